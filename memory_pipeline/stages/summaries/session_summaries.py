"""Which sessions' rolling summaries are due, and up to which message (NM-8, NM-23, NM-24, RX-23).

A function of the log and of what was accepted from it: a back-fill finds the point that the last live run found.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import partial
from typing import Any

from memory_pipeline.domain.derived.summary import SummaryGrain, covered
from memory_pipeline.domain.ids import identifier
from memory_pipeline.domain.message import Message, Role
from memory_pipeline.domain.scope import Scope
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.engines.user_buckets import Bucket
from memory_pipeline.stages.summaries.calendar_requests import Member
from memory_pipeline.stages.summaries.summary_evidence import Diary, diaries, messages_of, sessions_table

Session = tuple[Scope, str]

# Verdicts that add a fact, and those that change one (NM-18, NM-23).
_ADDING = frozenset({"add"})
_CHANGING = frozenset({"merge", "supersede", "contradict", "close", "forget"})

_TOUCHED = """
SELECT DISTINCT tenant_id, user_id, session_id FROM messages
UNION SELECT DISTINCT tenant_id, user_id, session_id FROM summaries WHERE grain = 'session'
ORDER BY ALL
"""
_REACH = """
SELECT tenant_id, user_id, session_id, min(day) AS first, max(day) AS last, count(*) AS turns,
       max(created_at) AS spoken, max(max(created_at)) OVER (PARTITION BY tenant_id, user_id) AS heard
FROM messages SEMI JOIN users USING (tenant_id, user_id) WHERE role <> 'system' GROUP BY tenant_id, user_id, session_id
"""


@dataclass(frozen=True, slots=True)
class DueSession:
    """A session whose summary is to be made.

    Attributes:
        day: local day of its last message, the partition.
    """

    session: Session
    day: date
    member: Member


def session_summary_id(session: Session) -> str:
    """One row a session, whenever it is made."""
    scope, name = session
    return identifier("sum", scope.tenant_id, scope.user_id, SummaryGrain.SESSION, name)


def touched(ctx: StageContext, days: Sequence[date]) -> list[Session]:
    """Sessions that have, or had, something to do with some days."""
    rows = ctx.lake.sql(_TOUCHED, days={"messages": days, "summaries": days}).to_pylist()
    return [(Scope(r["tenant_id"], r["user_id"]), r["session_id"]) for r in rows]


def due_sessions(ctx: StageContext, sessions: Iterable[Session], days: Sequence[date]) -> list[DueSession]:
    """The summaries that some sessions should have now.

    Args:
        days: days that the sessions have to do with; earlier messages are read as far back as the policy says.
    """
    from memory_pipeline.storage.queries.ledger import scopes_table

    wanted = set(sessions)
    if not wanted:
        return []
    first = min(days)
    figures = ctx.policy.summary
    reach = timedelta(days=figures.session_days)
    later = [d for d in ctx.lake.days("messages") if d >= first - reach]
    rows = ctx.lake.sql(
        _REACH, days={"messages": later}, tables={"users": scopes_table(scope for scope, _ in wanted)}
    ).to_pylist()
    long: dict[Session, Mapping[str, Any]] = {}
    for row in rows:
        session = (Scope(row["tenant_id"], row["user_id"]), row["session_id"])
        if session in wanted and row["turns"] > figures.session_shown_turns:
            long[session] = row
    if not long:
        return []
    span = [d for d in later if any(row["first"] <= d <= row["last"] for row in long.values())]
    messages = _by_session(messages_of(ctx, Bucket(tuple(span)), long))
    changes = _changes(ctx, span, long)
    pause = timedelta(minutes=figures.session_pause_minutes)
    found = []
    for session, row in sorted(long.items()):
        inside = [m for m in messages[session] if m.day >= row["last"] - reach]
        silent_since = ctx.now.replace(tzinfo=None) - row["spoken"].replace(tzinfo=None)
        ended = row["heard"] > row["spoken"] or silent_since >= pause
        point = covered(
            [m.role for m in inside], [changes[session, m.message_id] for m in inside], figures, ended=ended
        )
        if point:
            found.append((session, row["last"], inside[:point]))
    return _members(ctx, found)


def _by_session(messages: Iterable[Message]) -> dict[Session, list[Message]]:
    found: dict[Session, list[Message]] = defaultdict(list)
    for message in sorted(messages, key=lambda m: m.order):
        if message.role is not Role.SYSTEM:
            found[Scope(message.tenant_id, message.user_id), message.session_id].append(message)
    return found


def _changes(
    ctx: StageContext, days: Sequence[date], sessions: Iterable[Session]
) -> Mapping[tuple[Session, str], tuple[int, int]]:
    """Facts that were added and changed by what each message said."""
    table = ctx.lake.sql(
        "SELECT p.tenant_id, p.user_id, p.session_id, p.evidence[1].message_id AS message_id, v.reason "
        "FROM verdicts v JOIN proposals p USING (tenant_id, user_id, proposal_id) "
        "SEMI JOIN asked a ON (a.tenant_id = p.tenant_id AND a.user_id = p.user_id AND a.session_id = p.session_id) "
        "WHERE v.outcome <> 'rejected' AND len(p.evidence) > 0",
        days={"verdicts": days, "proposals": days},
        tables={"asked": sessions_table(sessions)},
    )
    added, changed = Counter[tuple[Session, str]](), Counter[tuple[Session, str]]()
    for row in table.to_pylist():
        key = (Scope(row["tenant_id"], row["user_id"]), row["session_id"]), row["message_id"]
        added[key] += row["reason"] in _ADDING
        changed[key] += row["reason"] in _CHANGING
    return defaultdict(lambda: (0, 0), {key: (added[key], changed[key]) for key in added})


def _members(ctx: StageContext, due: Sequence[tuple[Session, date, Sequence[Message]]]) -> list[DueSession]:
    figures = ctx.policy.summary
    days = {m.day for _, _, inside in due for m in inside}
    known: Mapping[Scope, Diary] = {}
    if due:
        known = diaries(ctx, Bucket(tuple(sorted(days))), [session for session, _, _ in due])
    found = []
    for session, last, inside in due:
        scope, name = session
        keep = partial(_is_of, name, frozenset(m.message_id for m in inside))
        spoken = sorted({m.day for m in inside})
        evidence = known[scope].evidence(spoken, figures.session_input_tokens, keep)
        if evidence is not None:
            first, end, most = spoken[0], spoken[-1], figures.message_tokens
            grain = SummaryGrain.SESSION
            member = Member(scope, grain, "", first, end, figures.rolling_tokens, most, evidence)
            found.append(DueSession(session, last, member))
    return found


def _is_of(session_id: str, ids: frozenset[str], message: Message) -> bool:
    return message.session_id == session_id and message.message_id in ids
