"""Proposals → gate → memories: each user's days are replayed in order, and the ledger gets the difference.

The state of a user is a fold over accepted proposals, the policy's transitions and what was done by hand. Re-running a
day that has not changed finds the same versions and writes nothing; a late message re-makes what came after it.
"""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import TypeVar

from memory_pipeline.domain.memory import MemoryVersion
from memory_pipeline.domain.message import Message
from memory_pipeline.domain.proposal import Proposal, Verdict
from memory_pipeline.domain.scope import Scope
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.neighbours import Vectors
from memory_pipeline.stages.publish import index_memories, publish
from memory_pipeline.stages.replay import Replay, UserHistory

_USERS_AT_ONCE = 100
T = TypeVar("T", Proposal, MemoryVersion)


@dataclass
class ConsolidateReport:
    """What consolidation did.

    Attributes:
        verdicts: by day and (outcome, reason).
        changes: versions written, by day and change.
        withdrawn: versions withdrawn because what they rested on changed.
        replayed: partitions after the requested days that late input made anew.
        memory_ids: memories that got or lost a version.
    """

    verdicts: dict[date, Counter[tuple[str, str]]] = field(default_factory=lambda: defaultdict(Counter))
    changes: dict[date, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    withdrawn: Counter[date] = field(default_factory=Counter)
    replayed: set[date] = field(default_factory=set)
    memory_ids: set[str] = field(default_factory=set)


def consolidate(ctx: StageContext, days: Sequence[date]) -> ConsolidateReport:
    """Make the ``verdicts`` and ``memory_versions`` of some days out of their proposals.

    Raises:
        ModelError: the judge cannot be reached; users already consolidated are written, the others are as they were.
    """
    report = ConsolidateReport()
    span = sorted(set(days))
    if not span:
        return report
    users = _users(ctx, span)
    for start in range(0, len(users), _USERS_AT_ONCE):
        ctx.progress("consolidating", start, len(users))
        _consolidate_users(ctx, users[start : start + _USERS_AT_ONCE], span, report)
    ctx.progress("consolidating", len(users), len(users))
    return report


def replay_users(ctx: StageContext, users: Sequence[Scope], first: date) -> ConsolidateReport:
    """Replay some users from a day on, because something before it changed; the index follows."""
    report = ConsolidateReport()
    last = max(ctx.lake.days("memory_versions"), default=first)
    if users and last >= first:
        _consolidate_users(ctx, users, [first, last], report)
        index_memories(ctx, report.memory_ids)
    return report


def _users(ctx: StageContext, days: Sequence[date]) -> list[Scope]:
    """Users with proposals, verdicts or versions in the span."""
    span = [days[0] + timedelta(days=n) for n in range((days[-1] - days[0]).days + 1)]
    table = ctx.lake.sql(
        "SELECT tenant_id, user_id FROM proposals UNION SELECT tenant_id, user_id FROM verdicts "
        "UNION SELECT tenant_id, user_id FROM memory_versions ORDER BY ALL",
        days={"proposals": span, "verdicts": span, "memory_versions": span},
    )
    return [Scope(t, u) for t, u in zip(*(table[c].to_pylist() for c in ("tenant_id", "user_id")), strict=True)]


def _consolidate_users(
    ctx: StageContext, users: Sequence[Scope], days: Sequence[date], report: ConsolidateReport
) -> None:
    from memory_pipeline.storage.ledger import versions_of

    proposals = _by_user(_proposals(ctx, users, days[0]))
    ledger = _by_user(versions_of(ctx.lake, users))
    cited = _cited(ctx, proposals)
    vectors = Vectors(ctx)
    vectors.load(users)
    vectors.encode(p.content for part in proposals.values() for p in part if p.day <= days[-1])
    replays = [Replay(ctx, UserHistory(user, ledger[user], proposals[user], cited[user]), vectors) for user in users]
    asyncio.run(_run(replays, days))
    verdicts: dict[date, list[Verdict]] = defaultdict(list)
    touched: dict[date, set[Scope]] = defaultdict(set)
    for replay in replays:
        for day, made in replay.verdicts.items():
            verdicts[day] += made
            for verdict in made:
                report.verdicts[day][str(verdict.outcome), verdict.reason] += 1
        for day in replay.covered:
            touched[day].add(replay.history.scope)
        report.replayed |= {d for d in replay.covered if d > days[-1]}
    for day in sorted(touched):
        _replace_users(ctx, day, touched[day], verdicts[day])
    asserted = [v for r in replays for v in r.asserted]
    withdrawn = [v for r in replays for v in r.withdrawn]
    for version in asserted:
        report.changes[version.day][str(version.change)] += 1
    for version in withdrawn:
        report.withdrawn[version.day] += 1
    report.memory_ids |= {v.memory_id for v in (*asserted, *withdrawn)}
    publish(ctx, asserted, withdrawn)


async def _run(replays: Sequence[Replay], days: Sequence[date]) -> None:
    await asyncio.gather(*(replay.run(days[0], days[-1]) for replay in replays))


def _proposals(ctx: StageContext, users: Sequence[Scope], first: date) -> list[Proposal]:
    """All proposals of the users from a day on: late input replays what came after it."""
    from memory_pipeline.storage.ledger import scopes_table
    from memory_pipeline.storage.rows import from_table

    table = ctx.lake.sql(
        "SELECT p.* FROM proposals p SEMI JOIN wanted USING (tenant_id, user_id) "
        "ORDER BY tenant_id, user_id, day, observed_at, window_id, ordinal",
        days={"proposals": [d for d in ctx.lake.days("proposals") if d >= first]},
        tables={"wanted": scopes_table(users)},
    )
    return from_table(table, Proposal)


def _cited(ctx: StageContext, proposals: Mapping[Scope, Sequence[Proposal]]) -> Mapping[Scope, dict[str, Message]]:
    """The messages that the proposals cite, by user and id."""
    import pyarrow as pa

    from memory_pipeline.storage.rows import from_table

    pairs = sorted(
        {(p.tenant_id, p.user_id, e.message_id) for part in proposals.values() for p in part for e in p.evidence}
    )
    found: dict[Scope, dict[str, Message]] = defaultdict(dict)
    if not pairs:
        return found
    columns = dict(zip(("tenant_id", "user_id", "message_id"), map(list, zip(*pairs, strict=True)), strict=True))
    table = ctx.lake.sql(
        "SELECT m.* FROM messages m SEMI JOIN cited USING (tenant_id, user_id, message_id)",
        days={"messages": {p.day for part in proposals.values() for p in part}},
        tables={"cited": pa.table(columns)},
    )
    for message in from_table(table, Message):
        found[Scope(message.tenant_id, message.user_id)][message.message_id] = message
    return found


def _replace_users(ctx: StageContext, day: date, users: set[Scope], verdicts: Sequence[Verdict]) -> None:
    """Replace some users' verdicts of a day, the other users' rows stay."""
    others = [v for v in ctx.lake.read("verdicts", Verdict, days=[day]) if Scope(v.tenant_id, v.user_id) not in users]
    ctx.lake.replace("verdicts", day, [*others, *verdicts])


def _by_user(rows: Sequence[T]) -> dict[Scope, list[T]]:
    found: dict[Scope, list[T]] = defaultdict(list)
    for row in rows:
        found[Scope(row.tenant_id, row.user_id)].append(row)
    return found
