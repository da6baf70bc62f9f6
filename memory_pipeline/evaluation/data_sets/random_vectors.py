"""Vectors that mean nothing: what a ranking finds with them it does not owe to the encoder."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


class RandomEncoder:
    """An encoder whose vectors are drawn at random, the same for the same text.

    Args:
        dimensions: those of the encoder that it is compared with.
    """

    def __init__(self, dimensions: int) -> None:
        self._dimensions = dimensions

    @property
    def model(self) -> str:
        return f"random-{self._dimensions}"

    @property
    def dimensions(self) -> int:
        return self._dimensions

    def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """See :meth:`Encoder.encode`."""
        import numpy as np

        found = np.zeros((len(texts), self._dimensions), dtype=np.float32)
        for place, text in enumerate(texts):
            seed = int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")
            found[place] = np.random.default_rng(seed).standard_normal(self._dimensions)
        norms = np.linalg.norm(found, axis=1, keepdims=True)
        return np.asarray(found / np.maximum(norms, 1e-9), dtype=np.float32)
