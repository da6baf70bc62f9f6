"""Vectors of the examples of requests, as the package holds them for the embedded encoder.

A process that reads once would otherwise spend a sixth of its CPU time (0.2 s) on encoding the same sentences.
``python -m benchmarks.request_examples`` makes the file again.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from memory_pipeline.domain.ids import digest

if TYPE_CHECKING:
    import numpy.typing as npt

    from memory_pipeline.inference.encoder import Encoder

FILE = Path(__file__).with_name("request_examples.npz")


def example_vectors(encoder: Encoder, texts: Sequence[str]) -> npt.NDArray[np.float32]:
    """Vectors of shape (texts, dimensions): the package's, where they are of this encoder and these texts, or new ones.

    Raises:
        ModelError: the encoder is asked, and gives no vectors.
    """
    with np.load(FILE, allow_pickle=False) as kept:
        if str(kept["made_from"]) == made_from(encoder.model, texts):
            vectors: npt.NDArray[np.float32] = kept["vectors"]
            return vectors
    return encoder.encode(list(texts))


def made_from(model: str, texts: Sequence[str]) -> str:
    """What the vectors depend on, as a digest."""
    return digest(model, *texts)
