"""Rankings to compare with, over the same rows: BM25, cosine, and both fused by rank."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from memory_pipeline.retrieval.scores.keywords import KeywordIndex, query_terms
from memory_pipeline.storage.vectors.projection import spoken

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from memory_pipeline.retrieval.store.user_rows import UserRows

    Order = npt.NDArray[np.int64]

_K1, _B = 1.2, 0.75  # the usual figures, whatever the policy has
_RANK_CONSTANT = 60  # of reciprocal rank fusion (Cormack et al. 2009)


class Baselines:
    """Plain rankings of one user's messages.

    Args:
        rows: of the table of messages.
    """

    def __init__(self, rows: UserRows) -> None:
        self._rows = rows
        said = zip(rows.values("speaker"), rows.values("content"), strict=True)
        self._keywords = KeywordIndex([spoken(speaker, text) for speaker, text in said], k1=_K1, b=_B)

    def rankings(
        self, query: str, vector: npt.NDArray[np.float32], allowed: npt.NDArray[np.bool_]
    ) -> Mapping[str, Callable[[], Order]]:
        """By name a function that gives places of the rows, best first.

        Args:
            vector: of the query, shape (dimensions,).
            allowed: which rows the read may see, shape (rows,); the others are left out.
        """
        import numpy as np

        keyword = self._keywords.scores(query_terms(query)).astype(np.float64)
        cosine = (self._rows.vectors @ vector).astype(np.float64)

        def order(scores: npt.NDArray[np.float64]) -> Order:
            best = np.argsort(-scores, kind="stable")
            return np.asarray(best[allowed[best]], dtype=np.int64)

        def fused() -> Order:
            return order(sum((_reciprocal(order(scores), len(scores)) for scores in (keyword, cosine)), np.zeros(1)))

        return {"bm25": lambda: order(keyword), "dense": lambda: order(cosine), "rrf": fused}


def _reciprocal(order: Order, rows: int) -> npt.NDArray[np.float64]:
    import numpy as np

    found = np.zeros(rows, dtype=np.float64)
    found[order] = 1 / (_RANK_CONSTANT + 1 + np.arange(len(order)))
    return found
