"""Every vector of the pipeline's own texts is kept, by the hash of encoder and text; the same text never costs twice.

What is made anew under another policy says mostly what it said before, and an index that was lost says the same: both
take their vectors from here. A vector lies in the partition of its text's day, and is its user's as the text is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

from memory_pipeline.domain.ids import digest
from memory_pipeline.domain.scope import Scope
from memory_pipeline.inference.token_vectors import Encoding

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from memory_pipeline.inference.encoder import RememberingEncoder
    from memory_pipeline.storage.parquet.lake import Lake

    Vector = npt.NDArray[np.float32]

_LITTLE_ENDIAN = "<f4"
_Identity = tuple[Scope, str]  # whose text it is, and the key of its vector


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
        self._kept: dict[_Identity, date] = {}

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
        return np.stack([encoding.vector for encoding in self._made(texts, tokens=False)])

    def encodings(self, texts: Sequence[OwnedText]) -> list[Encoding]:
        """The vectors, and those of the texts' tokens where the encoder gives them.

        Raises:
            ModelError: no vectors after the retries; those that are kept stay.
        """
        return self._made(texts, tokens=self.encoder.gives_tokens)

    def _made(self, texts: Sequence[OwnedText], *, tokens: bool) -> list[Encoding]:
        keys = {text: self.key(text) for text in dict.fromkeys(t.text for t in texts)}
        wanted = {(t.scope, keys[t.text]): t for t in reversed(texts)}
        known = self.encoder.remembered(keys, tokens=tokens)
        unkept = {i: t for i, t in wanted.items() if i not in self._kept or t.text not in known}
        found = self._lookup(unkept, tokens=tokens)
        recalled = {wanted[i].text: encoding for i, encoding in found.items() if wanted[i].text not in known}
        self.encoder.remember(recalled)
        known |= recalled
        missing = [text for text in keys if text not in known]
        if missing:
            self.encoded += len(missing)
            made = self.encoder.encodings(missing) if tokens else map(Encoding, self.encoder.encode(missing))
            known.update(zip(missing, made, strict=True))
        new = {i: t for i, t in unkept.items() if i not in found and (i not in self._kept or t.text in missing)}
        self._keep([(key, t, known[t.text]) for (_, key), t in new.items()])
        self._kept.update((i, t.day) for i, t in wanted.items() if i not in self._kept)
        return [known[text.text] for text in texts]

    def _lookup(self, wanted: Mapping[_Identity, OwnedText], *, tokens: bool) -> dict[_Identity, Encoding]:
        """What is kept; of the owner's only, and of their texts' days.

        Args:
            tokens: leave out what was kept without them.
        """
        import numpy as np
        import pyarrow as pa

        # What this run has kept it may meet again under the day of a later version.
        days = {t.day for t in wanted.values()} | {self._kept[i] for i in wanted if i in self._kept}
        if not wanted or not self._lake.files("vectors", days):
            return {}
        found = self._lake.sql(
            "SELECT tenant_id, user_id, key, min(vector) AS vector, min(tokens) AS tokens "
            "FROM vectors SEMI JOIN wanted USING (key, tenant_id, user_id) GROUP BY ALL",
            days={"vectors": days},
            tables={
                "wanted": pa.table(
                    {
                        "key": [key for _, key in wanted],
                        "tenant_id": [scope.tenant_id for scope, _ in wanted],
                        "user_id": [scope.user_id for scope, _ in wanted],
                    }
                )
            },
        )
        columns = ("tenant_id", "user_id", "key", "vector", "tokens")
        rows = zip(*(found[name].to_pylist() for name in columns), strict=True)
        return {
            (Scope(tenant, user), key): Encoding(np.frombuffer(raw, dtype=_LITTLE_ENDIAN).astype(np.float32), cut)
            for tenant, user, key, raw, cut in rows
            if not (tokens and cut is None)
        }

    def _keep(self, made: Iterable[tuple[str, OwnedText, Encoding]]) -> None:
        from memory_pipeline.storage.parquet.schemas import KeptVector

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
                    vector=encoding.vector.astype(_LITTLE_ENDIAN).tobytes(),
                    tokens=encoding.tokens,
                )
                for key, text, encoding in made
            ],
        )
