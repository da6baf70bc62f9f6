"""Batches of users, so many as may be locked at once: worked out and staged, and published once the audits have passed.

Publishing is idempotent: verdicts are replaced by the same ones, and a ledger file is named after its content. So a
process may die between any two writes; the next run finds what is missing still, and stages it again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from memory_pipeline.domain.scope import Scope
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.one_writer import one_writer
from memory_pipeline.stages.outcome import ConsolidateReport, Outcome, outcome_of, replace_verdicts
from memory_pipeline.stages.prospect import Prospect
from memory_pipeline.stages.replay_inputs import replays
from memory_pipeline.stages.settle import settle
from memory_pipeline.stages.tracing import traced
from memory_pipeline.storage.staging import Staged


@dataclass(frozen=True)
class Batch:
    """Some users whose rows are staged.

    Attributes:
        part: of the staged files.
        days: that were worked on, in order.
        marks: of the users' ledger as the work found it.
        prospect: what would hold.
        failed: days on which the judge's reply did not fit.
    """

    part: str
    users: Sequence[Scope]
    days: Sequence[date]
    marks: Mapping[Scope, tuple[int, int]]
    prospect: Prospect
    failed: frozenset[date]


def stage_batch(ctx: StageContext, staged: Staged, users: Sequence[Scope], days: Sequence[date]) -> Batch:
    """Replay some users over some days, and stage what comes of it.

    Raises:
        ModelError: the judge cannot be reached; nothing is staged.
    """
    from memory_pipeline.storage.ledger import marks_of

    marks = marks_of(ctx.lake, users)
    every = replays(ctx, users, days, ())
    asyncio.run(settle(ctx, every, days))
    made = outcome_of(ctx, every)
    part = f"{len(staged.parts()) + 1:05}"
    staged.begin(part)
    staged.put(part, "verdicts", made.verdicts)
    staged.put(part, "memory_versions", made.versions)
    proposed = frozenset(i for replay in every for i in replay.history.proposed)
    prospect = Prospect(ctx, staged, part, users, made.covered, proposed, days[0])
    return Batch(part, users, days, marks, prospect, frozenset(made.failed))


@traced("persist", lambda moved: {"users_again": len(moved)})
def publish_batch(ctx: StageContext, batch: Batch, report: ConsolidateReport) -> list[Scope]:
    """Publish what was staged of a batch, verdicts first: a version in the ledger is never without its verdict.

    Returns:
        The users whose ledger another hand has added to meanwhile: nothing of theirs is published.
    """
    from memory_pipeline.storage.ledger import marks_of

    what = batch.prospect
    with one_writer(ctx.settings, batch.users):
        now = marks_of(ctx.lake, batch.users)
        moved = [user for user in batch.users if batch.marks.get(user) != now.get(user)]
        made = Outcome(what.staged.rows("memory_versions", batch.part), what.judged, what.covered, batch.failed)
        if moved:
            made = made.only(ctx.lake, set(batch.users).difference(moved))
        replace_verdicts(ctx, made)
        if moved:
            ctx.lake.append("memory_versions", made.versions)
        else:
            what.staged.publish("memory_versions", batch.part)
        report.add(made, batch.days[-1])
    return moved
