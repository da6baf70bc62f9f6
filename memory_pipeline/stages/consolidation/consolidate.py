"""Proposals → gate → memories: each user's days are replayed in order, and the ledger gets the difference.

The state of a user is a fold over accepted proposals, the policy's transitions and what was done by hand. Re-running a
day that has not changed finds the same versions and writes nothing; a late message re-makes what came after it.

A run writes, audits and publishes: the rows of all its users are staged where no reader looks, the audits judge what
would hold with them, and only when every one has passed do verdicts and ledger move. The index follows the ledger.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta

from memory_pipeline.domain.ledger.memory import MemoryVersion
from memory_pipeline.domain.scope import Scope
from memory_pipeline.stages.consolidation.replay import Replay
from memory_pipeline.stages.consolidation.replay_inputs import replays
from memory_pipeline.stages.consolidation.replay_outcome import ConsolidateReport as ConsolidateReport
from memory_pipeline.stages.consolidation.replay_outcome import outcome_of, replace_verdicts
from memory_pipeline.stages.consolidation.replay_rounds import settle
from memory_pipeline.stages.consolidation.user_batches import replay_batches
from memory_pipeline.stages.consolidation.user_state import WeekEnds
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.engines.user_buckets import pieces
from memory_pipeline.stages.publication.auditing import audited, combined, require_of_act
from memory_pipeline.stages.publication.layered_context import OnTop
from memory_pipeline.stages.publication.one_writer import in_turn
from memory_pipeline.stages.publication.publish import index_memories
from memory_pipeline.stages.publication.staged_publication import staged
from memory_pipeline.stages.publication.staged_view import BY_HAND, Prospect
from memory_pipeline.stages.publication.staging import clear
from memory_pipeline.stages.tracing import traced

_USERS_AT_ONCE = 100
_NEAR = timedelta(days=62)  # what is replayed together shares calls


def _told(report: ConsolidateReport) -> dict[str, int]:
    by_outcome = Counter[str]()
    for verdicts in report.verdicts.values():
        for (outcome, _), n in verdicts.items():
            by_outcome[outcome] += n
    changed = sum((found for found in report.changes.values()), Counter[str]())
    return {
        **{f"proposals.{outcome}": n for outcome, n in by_outcome.items()},
        **{f"versions.{change}": n for change, n in changed.items()},
        "days_unfit": len(report.failed),
    }


@traced("consolidate", _told)
def consolidate(ctx: StageContext, days: Sequence[date]) -> ConsolidateReport:
    """Make the ``verdicts`` and ``memory_versions`` of some days out of their proposals.

    A user whose ledger another hand has added to since its rows were staged is worked on again: nobody waits for a
    model, and nothing is lost.

    Raises:
        AuditFailed: what was staged breaks a rule; nothing of it was published.
        ModelError: the judge cannot be reached; users already consolidated are written, the others are as they were.
    """
    report = ConsolidateReport(audits=audited(ctx, "memories", []))
    for span in _near(sorted(set(days))):
        _consolidate(ctx, span, report)
    return report


def _near(days: Sequence[date]) -> list[list[date]]:
    """Days that lie near each other: users of today are not replayed from a day long ago that others came late for."""
    spans: list[list[date]] = []
    for day in days:
        if spans and day - spans[-1][-1] <= _NEAR:
            spans[-1].append(day)
        else:
            spans.append([day])
    return spans


def _consolidate(ctx: StageContext, span: Sequence[date], report: ConsolidateReport) -> None:
    users = users_of(ctx, span)
    at_once = len(next(iter(pieces(users, _USERS_AT_ONCE, ctx.engine.buckets)), ()))
    with staged(ctx, "memories", users, at_once=at_once, index=False) as publication:
        while publication.users:
            made = replay_batches(ctx, publication, span)
            for batch, published in publication.publish():
                report.add(replace(published.outcome, failed=made[batch].failed), span[-1])
    report.audits = combined(report.audits, publication.audits)
    if users:
        clear(ctx, "memories", users, [*span, *report.replayed])


def replay_users(
    ctx: StageContext, users: Sequence[Scope], first: date, acts: Sequence[MemoryVersion] = ()
) -> ConsolidateReport:
    """Replay some users from a day on, because something before it changed, and write at once; the index follows.

    Args:
        acts: what a user did by hand just now, to be done and written in the same replay.

    Raises:
        AuditFailed: what would be written breaks a rule; nothing is.
        ModelError: the judge cannot be reached; nothing is written.
    """
    report = ConsolidateReport()
    last = max([*ctx.lake.days("memory_versions"), *(act.day for act in acts)], default=first)
    if not users or last < first:
        return report

    def work(some: Sequence[Scope]) -> Callable[[Collection[Scope]], None]:
        every = _replayed(ctx, some, first, last, acts)

        def write(fine: Collection[Scope]) -> None:
            made = outcome_of(ctx, [r for r in every if r.history.scope in fine], acts)
            given = {"changed": made.versions, "judged": made.verdicts}
            require_of_act(Prospect(ctx, BY_HAND, sorted(fine), covered=made.covered, since=first, given=given))
            replace_verdicts(ctx, made)
            ctx.lake.append("memory_versions", made.versions)
            report.add(made, last)

        return write

    in_turn(ctx, users, work)
    index_memories(ctx, report.memory_ids)
    return report


def replay_on_top(
    top: OnTop, users: Sequence[Scope], first: date, weeks: Mapping[Scope, WeekEnds] | None = None
) -> None:
    """Replay some users from a day on, and stage what comes of it.

    Args:
        weeks: what is made anew at the ends of a user's weeks.

    Raises:
        ModelError: the judge cannot be reached.
    """
    last = max(top.lake.days("memory_versions"), default=first)
    if users and first <= last:
        every = _replayed(top, users, first, last, weeks=weeks)
        top.keep(outcome_of(top, every), {i for replay in every for i in replay.history.proposed})


def _replayed(
    ctx: StageContext,
    users: Sequence[Scope],
    first: date,
    last: date,
    acts: Sequence[MemoryVersion] = (),
    weeks: Mapping[Scope, WeekEnds] | None = None,
) -> list[Replay]:
    every = replays(ctx, users, [first, last], acts, weeks)
    asyncio.run(settle(ctx, every, [first, last]))
    return every


def users_of(ctx: StageContext, days: Sequence[date]) -> list[Scope]:
    """Users with proposals, verdicts or versions on some days."""
    from memory_pipeline.storage.parquet.lake import scopes_in

    table = ctx.lake.sql(
        "SELECT tenant_id, user_id FROM proposals UNION SELECT tenant_id, user_id FROM verdicts "
        "UNION SELECT tenant_id, user_id FROM memory_versions ORDER BY ALL",
        days={"proposals": days, "verdicts": days, "memory_versions": days},
    )
    return scopes_in(table)
