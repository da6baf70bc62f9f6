"""Every vector of the pipeline's own texts is kept, by the hash of encoder and text; the same text never costs twice.

What is made anew under another policy says mostly what it said before, and an index that was lost says the same: both
take their vectors from here. A vector lies in the partition of its text's day, and is its user's as the text is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

from memory_pipeline.domain.ids import digest
from memory_pipeline.domain.scope import Scope

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from memory_pipeline.inference.encoder import RememberingEncoder
    from memory_pipeline.storage.lake import Lake

    Vector = npt.NDArray[np.float32]

_LITTLE_ENDIAN = "<f4"


@dataclass(frozen=True, slots=True)
class OwnedText:
    """A text to be encoded.

    Attributes:
        day: of what says it; only vectors of that day are looked through.
    """

    scope: Scope
    day: date
    text: str


class VectorCache:
    """Vectors of owned texts: from memory, from the kept ones, and of the rest from the encoder.

    Args:
        keep: whether new ones are to be kept.

    Attributes:
        encoded: texts that the encoder was asked about, since this object was made.
    """

    def __init__(self, lake: Lake, encoder: RememberingEncoder, *, keep: bool = True) -> None:
        self.encoder = encoder
        self.encoded = 0
        self._lake = lake
        self._keeping = keep
        self._kept: set[str] = set()

    def key(self, text: str) -> str:
        """Identity of a text's vector: equal keys mean the same text, read by the same model."""
        return digest(self.encoder.model, str(self.encoder.dimensions), text)

    def encode(self, texts: Sequence[OwnedText]) -> Vector:
        """Vectors of shape (len(texts), dimensions), each of length 1 (zero for a text without any content).

        Raises:
            ModelError: no vectors after the retries; those that are kept stay.
        """
        import numpy as np

        if not texts:
            return np.zeros((0, self.encoder.dimensions), dtype=np.float32)
        wanted = {text.text: text for text in reversed(texts)}
        keys = {text: self.key(text) for text in wanted}
        known = dict(self.encoder.remembered(wanted))
        unkept = {keys[t]: w for t, w in wanted.items() if keys[t] not in self._kept}
        found = self._lookup(unkept | {keys[t]: w for t, w in wanted.items() if t not in known})
        recalled = {t: found[keys[t]] for t in wanted if t not in known and keys[t] in found}
        self.encoder.remember(recalled)
        known |= recalled
        missing = [t for t in wanted if t not in known]
        if missing:
            self.encoded += len(missing)
            known.update(zip(missing, self.encoder.encode(missing), strict=True))
        self._keep({key: (w, known[w.text]) for key, w in unkept.items() if key not in found})
        self._kept.update(unkept)
        return np.stack([known[text.text] for text in texts])

    def _lookup(self, wanted: Mapping[str, OwnedText]) -> dict[str, Vector]:
        """What is kept, by key; of the owner's only, and of their texts' days."""
        import numpy as np
        import pyarrow as pa

        days = {w.day for w in wanted.values()}
        if not wanted or not self._lake.files("vectors", days):
            return {}
        found = self._lake.sql(
            "SELECT key, min(vector) AS vector FROM vectors SEMI JOIN wanted USING (key, tenant_id, user_id) "
            "GROUP BY key",
            days={"vectors": days},
            tables={
                "wanted": pa.table(
                    {
                        "key": list(wanted),
                        "tenant_id": [w.scope.tenant_id for w in wanted.values()],
                        "user_id": [w.scope.user_id for w in wanted.values()],
                    }
                )
            },
        )
        rows = zip(found["key"].to_pylist(), found["vector"].to_pylist(), strict=True)
        return {key: np.frombuffer(raw, dtype=_LITTLE_ENDIAN).astype(np.float32) for key, raw in rows}

    def _keep(self, made: Mapping[str, tuple[OwnedText, Vector]]) -> None:
        from memory_pipeline.storage.schemas import KeptVector

        if not self._keeping:
            return
        self._lake.append(
            "vectors",
            [
                KeptVector(
                    key=key,
                    tenant_id=text.scope.tenant_id,
                    user_id=text.scope.user_id,
                    day=text.day,
                    model=self.encoder.model,
                    vector=vector.astype(_LITTLE_ENDIAN).tobytes(),
                )
                for key, (text, vector) in made.items()
            ],
        )
