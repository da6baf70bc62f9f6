"""``memory-pipeline run``: plan what is missing or stale, and have it materialised.

Whether there is anything to do is decided without Dagster, which takes longer to load than the decision.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING

from memory_pipeline.orchestration.processes.marks import has_died, marks
from memory_pipeline.orchestration.processes.stage_contexts import stage_context
from memory_pipeline.orchestration.runs.look_ahead import LookAhead, look_ahead
from memory_pipeline.orchestration.runs.plan import due, plan
from memory_pipeline.orchestration.runs.run_report import RunReport as RunReport
from memory_pipeline.orchestration.runs.run_report import account
from memory_pipeline.settings import Settings

if TYPE_CHECKING:
    from memory_pipeline.stages.context import StageContext


def run(
    settings: Settings,
    first: date | None = None,
    last: date | None = None,
    only: Sequence[str] = (),
    *,
    dry_run: bool = False,
    accept: Sequence[str] = (),
    mark_empty: bool = False,
) -> RunReport:
    """Take the inbox, then materialise what is missing or stale.

    Args:
        accept: names of audits of what is staged that may fail; it is recorded that they did.
        mark_empty: have Dagster show days, weeks and months from which nothing is made as done, not as missing; about
            a millisecond for each of them and each asset, once.

    Raises:
        MemoryPipelineError: a step failed; what was finished stays, and the next run goes on from there.
        AuditFailed: what would be published breaks a rule; readers see what they saw before.
    """
    from memory_pipeline.stages.messages.ingest import take_inbox
    from memory_pipeline.stages.operations.clock import take_back_early
    from memory_pipeline.stages.operations.index_repair import repair

    report, began = RunReport(), datetime.now(UTC)
    start = f"run-{began:%Y%m%dT%H%M%S%f}"
    ctx = stage_context(start, settings.home, settings.chat_batch, accept)
    if dry_run:
        ahead = look_ahead(ctx, plan(ctx, first, last, only))
        report.planned = [step.to_dict() for step in ahead.steps]
        report.forecast = ahead.to_dict()
        return report
    repair(ctx)
    take_inbox(ctx)
    take_back_early(ctx)
    steps = due(ctx, first, last, only)
    if steps and settings.chat_batch:
        _require_batches(ctx)
    if steps or any(has_died(settings, mark.stem) for mark in marks(settings)):
        from memory_pipeline.orchestration.runs.materialise import make

        make(settings, report, start, first, last, only, steps=steps, accept=accept, mark_empty=mark_empty)
    account(stage_context(f"{start}-end", settings.home, settings.chat_batch), report, began)
    return report


def preview(
    settings: Settings, first: date | None = None, last: date | None = None, only: Sequence[str] = ()
) -> LookAhead:
    """Take the inbox, and say what :func:`run` would make and cost then."""
    from memory_pipeline.stages.messages.ingest import take_inbox

    ctx = stage_context(f"preview-{datetime.now(UTC):%Y%m%dT%H%M%S%f}", settings.home, settings.chat_batch)
    take_inbox(ctx)
    return look_ahead(ctx, plan(ctx, first, last, only))


def _require_batches(ctx: StageContext) -> None:
    """A server without a Batch API is told at once, not after a step has been tried three times."""
    from memory_pipeline.inference.batches.batch import BatchChat

    if isinstance(ctx.chat, BatchChat):
        asyncio.run(ctx.chat.require())
