"""``memory-pipeline rollback``: put on record what is rolled back, and make what follows from it through Dagster."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import Any

from memory_pipeline.orchestration.processes.stage_contexts import stage_context
from memory_pipeline.orchestration.runs.materialise import make_again
from memory_pipeline.orchestration.runs.run_report import RunReport
from memory_pipeline.settings import Settings
from memory_pipeline.stages.operations.rollback import Rollback, prepare, write


@dataclass
class RollbackReport:
    """What a rollback did (the JSON shape of ``rollback --json``).

    Attributes:
        rollback_id: names it: rolled back itself, it is undone.
        runs: what it rolled back.
        users: how many users it concerned.
        days: the days that it put back.
        kept: memories that a run had brought and that stay, because the user has taken them up by hand.
        run: what followed from it.
    """

    rollback_id: str
    runs: list[str]
    users: int
    days: list[date]
    kept: list[dict[str, str]] = field(default_factory=list)
    run: RunReport = field(default_factory=RunReport)


def roll_back(settings: Settings, run_ids: Sequence[str], reason: str = "") -> RollbackReport:
    """Take back what some runs did to memories, or undo a rollback.

    Raises:
        RollbackError: it cannot be done; nothing was changed.
        MemoryPipelineError: it is on record, and what follows from it is not all made yet: the next run goes on.
    """
    from memory_pipeline.stages.plan.freshness import stale
    from memory_pipeline.stages.plan.registry import STAGES
    from memory_pipeline.stages.publication.auditing import AGED_SHARE, RETIRED_SHARE

    began = datetime.now(UTC)
    start = f"rollback-{began:%Y%m%dT%H%M%S%f}"
    ctx = stage_context(start, settings.home)
    found = prepare(ctx, run_ids, reason)
    before = {stage.name: stale(ctx, stage) for stage in STAGES}
    write(ctx, found)
    report = preview(start, found)
    # Whoever takes back a run that brought much means all of it: the cap guards against what nobody has asked for.
    report.run = make_again(settings, start, began, before, accept=(RETIRED_SHARE, AGED_SHARE))
    return report


def preview(rollback_id: str, found: Rollback) -> RollbackReport:
    """The report on a rollback before anything was made."""
    kept: list[dict[str, Any]] = [
        {"memory_id": act.memory_id, "user_id": act.user_id, "content": act.content, "reason": act.reason}
        for act in found.kept
    ]
    return RollbackReport(rollback_id, list(found.runs), len({h.scope for h in found.holds}), found.days, kept)
