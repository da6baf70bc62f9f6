"""Store maintenance: compact the index, bring its scalar indexes up to date, drop its old versions."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta

from memory_pipeline.stages.context import StageContext

_KEPT_VERSIONS = timedelta(days=1)


def maintain(ctx: StageContext) -> Mapping[str, int]:
    """Optimise the index. Returns the rows of each table, by name."""
    return ctx.index.optimize(_KEPT_VERSIONS)
