"""Late interaction: each word of a query looks for its like in a text, and rare words count for more (MaxSim, ColBERT).

A text's own vector is the mean of its tokens', in which the one word that was asked for is lost among the others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from memory_pipeline.domain.policy import RetrievalPolicy
from memory_pipeline.inference.token_vectors import STEPS, Encoding, unpacked
from memory_pipeline.retrieval.store.token_rows import TokenRows
from memory_pipeline.retrieval.store.user_rows import UserRows

if TYPE_CHECKING:
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]
    Places = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class QueryTokens:
    """The tokens of a query, shape (tokens, 48), of length 1, and the word that each is a part of."""

    tokens: npt.NDArray[np.float32]
    words: tuple[str, ...]


def query_tokens(query: Encoding) -> QueryTokens | None:
    """The tokens of a query; None where the encoder gives none, or the query has no word."""
    if not query.tokens:
        return None
    return QueryTokens(unpacked(query.tokens).astype(np.float32) / np.float32(STEPS), query.words)


def late(
    rows: UserRows,
    places: Places,
    mask: npt.NDArray[np.bool_],
    query: QueryTokens | None,
    policy: RetrievalPolicy,
    similarity: Floats,
    keyword: Floats,
) -> Floats:
    """How well the words of a query are met by each of some rows, 0 to 1, shape (places,).

    For each token of the query the cosine to the nearest token of the text, in the mean by how rare its word is among
    the user's rows; less what any text reaches by chance. Beside a short turn the short ones before and after it lend
    their tokens, for a little less: "Yes, in May" answers what stands before it. Of rows without tokens it is what such
    a similarity and such a keyword score come with on the average, so that they neither gain nor lose by it.

    Args:
        mask: which rows the read may see, shape (rows,); the others lend nothing.
        similarity, keyword: of the rows, shape (places,).
    """
    scores = np.minimum(policy.late_similarity * similarity + policy.late_keyword * keyword, 1.0)
    if query is None or rows.tokens is None:
        return scores
    weights = rows.keywords.rarities(query.words)
    has_tokens = rows.tokens.counts > 0
    there = has_tokens[places]
    if not weights.sum() or not there.any():
        return scores
    weighted = query.tokens * (weights / (weights.sum() * STEPS)).astype(np.float32)[:, None]
    beside = rows.surroundings.beside(places[there])
    beside[(beside >= 0) & ~(mask & has_tokens)[beside]] = -1
    cosines = _with_neighbours(rows.tokens, places[there], beside, weighted, policy.late_beside)
    scores[there] = np.clip((cosines - policy.late_floor) / (1 - policy.late_floor), 0.0, 1.0)
    return scores


def _with_neighbours(
    tokens: TokenRows, places: Places, beside: Places, weighted: npt.NDArray[np.float32], share: float
) -> npt.NDArray[np.float32]:
    """For each row the sum over the query's tokens of the highest cosine, its own or that share of a neighbour's.

    Args:
        beside: places of the neighbours, shape (2, places); -1 where there is none.
        weighted: the query's tokens, each as long as it weighs.
    """
    nearby = np.unique(np.concatenate([places, beside[beside >= 0]]))
    nearest = _nearest(weighted, tokens, nearby)
    line = np.full(len(tokens.counts) + 1, len(nearby), dtype=np.int64)  # of place -1 the last one: nothing is lent
    line[nearby] = np.arange(len(nearby))
    from_beside = share * np.maximum(nearest[line[beside[0]]], nearest[line[beside[1]]])
    total: npt.NDArray[np.float32] = np.maximum(nearest[line[places]], from_beside).sum(axis=1)
    return total


def _nearest(weighted: npt.NDArray[np.float32], tokens: TokenRows, places: Places) -> npt.NDArray[np.float32]:
    """For each token of the query the highest product with one of each row's; a last row has none.

    Returns:
        Shape (places + 1, tokens of the query).
    """
    counts = tokens.counts[places]
    products = tokens.of(places) @ weighted.T  # this way round it takes half the time (measured)
    nearest = np.maximum.reduceat(products, np.cumsum(counts) - counts, axis=0)
    return np.concatenate([nearest, np.full((1, len(weighted)), -np.inf, dtype=np.float32)])


def session_best(sessions: Places, values: Floats) -> Floats:
    """For each row the highest value among those of its session, shape (rows,)."""
    if not len(values):
        return values
    _, session = np.unique(sessions, return_inverse=True)
    best = np.zeros(int(session.max()) + 1, dtype=np.float64)
    np.maximum.at(best, session, values)
    return np.asarray(best[session], dtype=np.float64)
