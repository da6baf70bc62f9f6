"""Texts → vectors, as many at once as the engine works on side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from memory_pipeline.stages.engines.user_buckets import pieces

if TYPE_CHECKING:
    from memory_pipeline.inference.token_vectors import Encoding
    from memory_pipeline.inference.vector_cache import OwnedText, Vector
    from memory_pipeline.stages.context import StageContext

BATCH = 2048
"""Texts that are encoded at once, and rows that are written at once."""


def encoded(ctx: StageContext, texts: Sequence[OwnedText]) -> Iterator[Vector]:
    """The vectors of some texts, in order, piece by piece; none has more than :data:`BATCH`.

    Raises:
        ModelError: no vectors after the retries; those that are kept stay.
    """
    return ctx.engine.map(ctx, vectors_of, pieces(texts, BATCH, ctx.engine.buckets))


def encoded_with_tokens(ctx: StageContext, texts: Sequence[OwnedText]) -> Iterator[list[Encoding]]:
    """As :func:`encoded`, with the vectors of single tokens where the encoder gives them.

    Raises:
        ModelError: no vectors after the retries; those that are kept stay.
    """
    return ctx.engine.map(ctx, encodings_of, pieces(texts, BATCH, ctx.engine.buckets))


def encodings_of(ctx: StageContext, texts: Sequence[OwnedText]) -> list[Encoding]:
    """What the encoder makes of some texts, which is kept with what else is their owners'."""
    return ctx.vectors.encodings(texts)


def vectors_of(ctx: StageContext, texts: Sequence[OwnedText]) -> Vector:
    """The vectors of some texts, which are kept with those of their owners."""
    return ctx.vectors.encode(texts)
