"""A stage's work without Dagster, with the note of what was made from what."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.plan import freshness
from memory_pipeline.stages.plan.registry import Stage
from memory_pipeline.stages.plan.work import StageOutcome, Work


def make(ctx: StageContext, stage: Stage, starts: Sequence[date], work: Work | None = None) -> StageOutcome:
    """Make some partitions of a stage, and note what they were made from.

    Args:
        work: in place of the stage's own.

    Raises:
        ModelError: a model cannot be reached, or may not be asked any more.
    """
    made_from = freshness.inputs(ctx, stage)
    freshness.begin(ctx, stage)
    made = (work or stage.work)(ctx, starts)
    freshness.record(ctx, stage, made_from, [s for s in starts if s not in made.failed], made.rows)
    return made
