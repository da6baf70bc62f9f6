"""The protocol of an encoder (texts in, unit vectors out), and a memory for one run's texts."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from threading import Lock
from typing import TYPE_CHECKING, Protocol

from memory_pipeline import telemetry

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


class Encoder(Protocol):
    """Anything that makes vectors.

    Attributes:
        model: name and version; vectors of two models are never compared, and tables are named after it.
        dimensions: length of a vector.
    """

    @property
    def model(self) -> str: ...

    @property
    def dimensions(self) -> int: ...

    def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Vectors of shape (len(texts), dimensions), each of length 1 (zero for a text without any content).

        Raises:
            ModelError: no vectors after the retries.
        """
        ...


class RememberingEncoder:
    """An encoder that keeps the vectors of the latest texts, so that stages of one run do not encode a text twice."""

    def __init__(self, encoder: Encoder, capacity: int = 20_000) -> None:
        self._encoder = encoder
        self._capacity = capacity
        self._kept: OrderedDict[str, npt.NDArray[np.float32]] = OrderedDict()
        self._lock = Lock()

    @property
    def model(self) -> str:
        return self._encoder.model

    @property
    def dimensions(self) -> int:
        return self._encoder.dimensions

    def remembered(self, texts: Iterable[str]) -> dict[str, npt.NDArray[np.float32]]:
        """The vectors of those of some texts that are remembered."""
        with self._lock:
            return {t: self._kept[t] for t in texts if t in self._kept}

    def remember(self, vectors: Mapping[str, npt.NDArray[np.float32]]) -> None:
        """Take in vectors by text, as the latest ones."""
        with self._lock:
            for text, vector in vectors.items():
                self._kept[text] = vector
                self._kept.move_to_end(text)
            while len(self._kept) > self._capacity:
                self._kept.popitem(last=False)

    def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """See :meth:`Encoder.encode`."""
        import numpy as np

        found = self.remembered(texts)
        missing = [t for t in dict.fromkeys(texts) if t not in found]
        if missing:
            known = {"memory_pipeline.texts": len(missing), "memory_pipeline.texts_cached": len(texts) - len(missing)}
            with telemetry.span("embed", **known, **{"gen_ai.request.model": self.model}):
                found.update(zip(missing, self._encoder.encode(missing), strict=True))
        self.remember(found)
        if not texts:
            return np.zeros((0, self.dimensions), dtype=np.float32)
        return np.stack([found[t] for t in texts])
