"""Linking a hand-made home, with the encoder that can be computed by hand."""

from __future__ import annotations

from datetime import UTC, date, datetime

from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.links.link import LinkReport, link
from memory_pipeline_tests.store import Store


def context(home: Store) -> StageContext:
    """The surroundings of a run in the home."""
    ctx = StageContext(home.settings, "run-l", datetime(2026, 12, 1, tzinfo=UTC))
    ctx.encoder = home.encoder
    return ctx


def run(home: Store, *days: date) -> LinkReport:
    """Link the users whom some days touched; all days when none is named."""
    ctx = context(home)
    return link(ctx, days or ctx.lake.days("memory_versions"))
