"""Batches of users, so many as may be locked at once: replayed over some days, and what comes of it staged."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import date

from memory_pipeline.domain.scope import Scope
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.outcome import ConsolidateReport, Outcome, outcome_of
from memory_pipeline.stages.prospect import Prospect
from memory_pipeline.stages.publication import Batch
from memory_pipeline.stages.replay_inputs import replays
from memory_pipeline.stages.settle import settle
from memory_pipeline.storage.staging import Staged


def stage_batch(
    ctx: StageContext,
    staged: Staged,
    part: str,
    users: Sequence[Scope],
    days: Sequence[date],
    report: ConsolidateReport,
) -> Batch:
    """Replay some users over some days, and stage what comes of it; the report counts it once it is published.

    Raises:
        ModelError: the judge cannot be reached; nothing is staged.
    """
    from memory_pipeline.storage.ledger import marks_of

    marks = marks_of(ctx.lake, users)
    every = replays(ctx, users, days, ())
    asyncio.run(settle(ctx, every, days))
    made = outcome_of(ctx, every)
    staged.put(part, "verdicts", made.verdicts)
    staged.put(part, "memory_versions", made.versions)
    proposed = frozenset(i for replay in every for i in replay.history.proposed)
    prospect = Prospect(ctx, "memories", users, staged, part, made.covered, proposed, days[0])

    def told(published: Outcome, _: Collection[Scope]) -> None:
        report.add(replace(published, failed=made.failed), days[-1])

    return Batch(users, marks, prospect, told)
