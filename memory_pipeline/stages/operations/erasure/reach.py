"""What an erasure of some messages reaches: everything that was made of them, by id."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING

from memory_pipeline.domain.calendar import Grain, Period
from memory_pipeline.domain.derived.summary import Summary, SummaryGrain
from memory_pipeline.domain.erasure import Reached, Target
from memory_pipeline.domain.ledger.memory import MemoryVersion
from memory_pipeline.domain.message import Message
from memory_pipeline.domain.proposal import Proposal
from memory_pipeline.domain.scope import Scope
from memory_pipeline.domain.window import Window
from memory_pipeline.errors import NotFound, QueryError
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.messages.index_messages import message_key
from memory_pipeline.stages.messages.previous_turn import DAYS
from memory_pipeline.stages.operations.erasure.erased_messages import ErasedMessages
from memory_pipeline.stages.plan.registry import STAGES

if TYPE_CHECKING:
    import pyarrow as pa

_OWN = "tenant_id = $tenant AND user_id = $user"


@dataclass(frozen=True, slots=True)
class ErasureReach:
    """A target with what rests on it, and the messages themselves (in memory only)."""

    target: Target
    reached: Reached
    messages: Sequence[Message]


def params(scope: Scope) -> dict[str, str]:
    """Parameters of a query for one user's rows."""
    return {"tenant": scope.tenant_id, "user": scope.user_id}


def target_of(ctx: StageContext, scope: Scope, message_id: str | None, session_id: str | None) -> Target:
    """What a request names: the user, a session or a message.

    Raises:
        NotFound: the user has no such message or session.
        QueryError: several sessions have a message of that id.
    """
    if message_id is None and session_id is None:
        return Target(scope)
    table = ctx.lake.sql(
        f"SELECT DISTINCT session_id, message_id FROM messages WHERE {_OWN} "
        "AND ($message IS NULL OR message_id = $message) AND ($session IS NULL OR session_id = $session) "
        "UNION SELECT DISTINCT session_id, message_id FROM message_revisions "
        f"WHERE {_OWN} AND ($message IS NULL OR message_id = $message) AND ($session IS NULL OR session_id = $session) "
        "ORDER BY ALL",
        {**params(scope), "message": message_id, "session": session_id},
    )
    found = tuple(zip(table["session_id"].to_pylist(), table["message_id"].to_pylist(), strict=True))
    if not found:
        raise NotFound(
            f"this user has no {'session' if message_id is None else 'message'} of that id",
            message_id=message_id,
            session_id=session_id,
            tenant_id=scope.tenant_id,
            user_id=scope.user_id,
        )
    if message_id is not None and len(found) > 1:
        sessions = ", ".join(session for session, _ in found)
        raise QueryError(f"message {message_id!r} is in several sessions ({sessions}): say which with --session")
    return Target(scope, found)


def reach(ctx: StageContext, target: Target) -> ErasureReach:
    """Everything that was made of a target."""
    if target.messages is None:
        return ErasureReach(target, Reached(), _messages_of(ctx, target, "true", {}))
    import pyarrow as pa

    wanted = pa.table(
        {"session_id": [s for s, _ in target.messages], "message_id": [m for _, m in target.messages]},
        schema=pa.schema([("session_id", pa.string()), ("message_id", pa.string())]),
    )
    messages = _messages_of(
        ctx, target, "(session_id, message_id) IN (SELECT (session_id, message_id) FROM wanted)", {"wanted": wanted}
    )
    scope, ids = target.scope, {m.message_id for m in messages}
    proposals = ctx.lake.read("proposals", Proposal, where=_OWN, params=params(scope))
    citing = {p.proposal_id for p in proposals if ids.intersection(e.message_id for e in p.evidence)}
    sessions = {m.session_id for m in messages}
    windows = [
        w
        for w in ctx.lake.read("windows", Window, where=_OWN, params=params(scope))
        if w.session_id in sessions and ids.intersection(w.message_ids)
    ]
    ledger = ctx.lake.read("memory_versions", MemoryVersion, where=_OWN, params=params(scope))
    memories = tainted(ledger, ids, citing)
    lost = [v for v in ledger if v.version >= memories.get(v.memory_id, v.version + 1)]
    days = {m.day for m in messages} | {v.day for v in lost}
    cut = {w.window_id for w in windows}
    summaries = [
        s
        for s in ctx.lake.read("summaries", Summary, where=_OWN, params=params(scope))
        if ids.intersection(s.message_ids)
        or memories.keys() & set(s.memory_ids)
        or (s.session_id in sessions if s.grain is SummaryGrain.SESSION else _covers(s, days))
    ]
    reached = Reached(
        days=tuple(sorted({m.day for m in messages})),
        turns=tuple(_turns(ctx, scope, messages)),
        memories=memories,
        proposals=tuple(sorted(p.proposal_id for p in proposals if p.proposal_id in citing or p.window_id in cut)),
        windows=tuple(sorted(cut)),
        summaries=tuple(sorted(s.summary_id for s in summaries)),
        again=_again(messages, lost, summaries),
    )
    return ErasureReach(target, reached, messages)


def _again(
    messages: Sequence[Message], lost: Sequence[MemoryVersion], summaries: Sequence[Summary]
) -> dict[str, tuple[date, ...]]:
    """What must be made anew although its inputs may look the same: partitions out of which rows are taken."""
    taken = ErasedMessages(messages, lost, summaries)
    found = {stage.name: stage.reached(taken) for stage in STAGES if stage.reached is not None}
    return {name: tuple(sorted(days)) for name, days in found.items() if days}


def tainted(ledger: Sequence[MemoryVersion], message_ids: set[str], proposal_ids: set[str]) -> dict[str, int]:
    """By memory its first version that rests on some messages or proposals, on a memory that does, or that such a
    memory has ended."""
    first: dict[str, int] = {}
    left = list(ledger)
    while True:
        found = [
            v
            for v in left
            if v.version >= first.get(v.memory_id, v.version + 1)
            or message_ids.intersection(e.message_id for e in v.evidence)
            or v.proposal_id in proposal_ids
            or v.superseded_by in first
            or first.keys() & set(v.derived_from)
        ]
        if not found:
            return first
        for version in found:
            first[version.memory_id] = min(version.version, first.get(version.memory_id, version.version))
        taken = {id(v) for v in found}
        left = [v for v in left if id(v) not in taken]


def _covers(summary: Summary, days: set[date]) -> bool:
    period = Period(Grain(str(summary.grain)), summary.start)
    return any(period.start <= day < period.end for day in days)


def _messages_of(ctx: StageContext, target: Target, where: str, tables: Mapping[str, pa.Table]) -> list[Message]:
    """The messages, and what they said before they were edited."""
    from memory_pipeline.storage.parquet.arrow_rows import from_table

    table = ctx.lake.sql(
        f"SELECT * FROM messages WHERE {_OWN} AND {where} "
        f"UNION ALL BY NAME SELECT * FROM message_revisions WHERE {_OWN} AND {where}",
        params(target.scope),
        tables=tables,
    )
    return from_table(table, Message)


def _turns(ctx: StageContext, scope: Scope, messages: Sequence[Message]) -> list[str]:
    """Turns of the index that hold the messages, and those of the same sessions that may quote one as the turn before:
    of the same day and of the session's next."""
    days: dict[str, set[date]] = {}
    for message in messages:
        days.setdefault(message.session_id, set()).add(message.day)
    span = {day + timedelta(days=n) for found in days.values() for day in found for n in range(DAYS + 1)}
    near = ctx.lake.read(
        "messages", Message, days=span & set(ctx.lake.days("messages")), where=_OWN, params=params(scope)
    )
    keys = {message_key(m) for m in messages}
    for session, gone in days.items():
        held = sorted({m.day for m in near if m.session_id == session})
        after = {next((d for d in held if d > day), day) for day in gone}
        keys |= {message_key(m) for m in near if m.session_id == session and m.day in gone | after}
    return sorted(keys)
