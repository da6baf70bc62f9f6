"""What a replay of users starts from: their ledger, their proposals, the messages these cite, and the vectors of all.

Read for a whole batch of users at once, and no more of the past than a replay may ask for.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import date
from typing import TypeVar

from memory_pipeline.domain.ledger.memory import MemoryVersion
from memory_pipeline.domain.ledger.transition import identity
from memory_pipeline.domain.message import Message
from memory_pipeline.domain.proposal import Proposal
from memory_pipeline.domain.scope import Scope
from memory_pipeline.domain.sensitive import screen
from memory_pipeline.stages.consolidation.gate_context import gate_inputs
from memory_pipeline.stages.consolidation.holds import holds_in_force
from memory_pipeline.stages.consolidation.kept_judgements import JudgedBefore
from memory_pipeline.stages.consolidation.neighbours import Vectors
from memory_pipeline.stages.consolidation.recalled_texts import items_recalled_into
from memory_pipeline.stages.consolidation.replay import Replay, UserHistory
from memory_pipeline.stages.consolidation.user_state import WeekEnds
from memory_pipeline.stages.context import StageContext

T = TypeVar("T", Proposal, MemoryVersion, Message)


def replays(
    ctx: StageContext,
    users: Sequence[Scope],
    days: Sequence[date],
    acts: Sequence[MemoryVersion],
    weeks: Mapping[Scope, WeekEnds] | None = None,
) -> list[Replay]:
    """Users ready to be replayed over some days.

    Args:
        days: in order; what comes after the last one may have to be replayed, too.
        acts: what the users did by hand just now.
        weeks: what is made anew at the ends of a user's weeks.
    """
    proposed = _by_user(_proposals(ctx, users, days[0]))
    ledger = _by_user([*_history(ctx, users, days[0], proposed, bool(acts)), *acts])
    cited = _by_user(_cited(ctx, proposed))
    given = gate_inputs(ctx, proposed, [m for part in cited.values() for m in part], ledger)
    proposals = {user: [g.proposal for g in given.get(user, {}).values()] for user in users}
    vectors = Vectors(ctx)
    vectors.load(users, living=True)
    vectors.prepare(p for part in proposals.values() for p in part if p.day <= days[-1])
    held = holds_in_force(ctx, users)
    histories = [
        UserHistory(
            user,
            ledger[user],
            proposals[user],
            {m.message_id: m for m in cited[user]},
            given.get(user, {}),
            frozenset(p.proposal_id for p in proposed.get(user, ())),
            held.get(user, {}),
        )
        for user in users
    ]
    before = JudgedBefore(ctx, users, days[0])
    ends = weeks or {}
    return [Replay(ctx, history, vectors, before, ends.get(history.scope)) for history in histories]


def _history(
    ctx: StageContext, users: Sequence[Scope], first: date, proposed: Mapping[Scope, Sequence[Proposal]], by_hand: bool
) -> list[MemoryVersion]:
    """The part of the users' ledger that a replay from a day on may ask for.

    What the user does by hand may concern anything. What is said concerns living memories, the one that the same words
    of the same message made, and what was recalled into the talk.
    """
    from memory_pipeline.storage.queries.ledger import living_of, versions_of

    if by_hand:
        return versions_of(ctx.lake, users, first)
    said = [p for part in proposed.values() for p in part]
    named = {identity(p) for raw in said for p in (raw, screen(raw, ctx.policy.gate))}
    if said:
        sessions = {(p.tenant_id, p.user_id, p.session_id) for p in said}
        named |= items_recalled_into(ctx, sessions, max(p.day for p in said))
    return living_of(ctx.lake, users, first, named)


def _proposals(ctx: StageContext, users: Sequence[Scope], first: date) -> list[Proposal]:
    """All proposals of the users from a day on: late input replays what came after it."""
    from memory_pipeline.storage.parquet.arrow_rows import from_table
    from memory_pipeline.storage.queries.ledger import scopes_table

    table = ctx.lake.sql(
        "SELECT p.* FROM proposals p SEMI JOIN wanted USING (tenant_id, user_id) "
        "ORDER BY tenant_id, user_id, day, observed_at, window_id, ordinal",
        days={"proposals": [d for d in ctx.lake.days("proposals") if d >= first]},
        tables={"wanted": scopes_table(users)},
    )
    return from_table(table, Proposal)


def _cited(ctx: StageContext, proposals: Mapping[Scope, Sequence[Proposal]]) -> list[Message]:
    """The messages that the proposals cite; an id stands for one message within its session."""
    import pyarrow as pa

    from memory_pipeline.storage.parquet.arrow_rows import from_table

    keys = sorted(
        {
            (p.tenant_id, p.user_id, p.session_id, e.message_id)
            for part in proposals.values()
            for p in part
            for e in p.evidence
        }
    )
    if not keys:
        return []
    names = ("tenant_id", "user_id", "session_id", "message_id")
    table = ctx.lake.sql(
        f"SELECT m.* FROM messages m SEMI JOIN cited USING ({', '.join(names)})",
        days={"messages": {p.day for part in proposals.values() for p in part}},
        tables={"cited": pa.table(dict(zip(names, map(list, zip(*keys, strict=True)), strict=True)))},
    )
    return from_table(table, Message)


def _by_user(rows: Sequence[T]) -> dict[Scope, list[T]]:
    found: dict[Scope, list[T]] = defaultdict(list)
    for row in rows:
        found[Scope(row.tenant_id, row.user_id)].append(row)
    return found
