"""A week's memories → reflections: insights with the ids they rest on (Generative Agents; DL-30).

The week is re-made as a whole: an insight that no longer follows from its memories is withdrawn.
"""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta

from memory_pipeline.domain.calendar import Period, day_end
from memory_pipeline.domain.derivation import derive, spread
from memory_pipeline.domain.gate import GateInput, examine, first_failure
from memory_pipeline.domain.memory import RETIRED, Cause, MemoryVersion, fold, standing
from memory_pipeline.domain.message import Message
from memory_pipeline.domain.proposal import DERIVED_TYPES, MemoryType
from memory_pipeline.domain.replay import difference
from memory_pipeline.domain.scope import Scope
from memory_pipeline.errors import ReplyError
from memory_pipeline.inference.chat import ChatRequest
from memory_pipeline.inference.prompts import CANARIES
from memory_pipeline.inference.replies import Insight, ReflectReply
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.inputs import memory_input
from memory_pipeline.stages.publish import index_memories, publish
from memory_pipeline.stages.quarantine import put_aside

_SHOWN = 120


def reflect(ctx: StageContext, weeks: Sequence[Period]) -> Counter[date]:
    """Make the reflections of some weeks. Returns how many stand, by the week's first day."""
    made: Counter[date] = Counter()
    for n, week in enumerate(sorted(set(weeks))):
        ctx.progress("reflecting", n, len(weeks))
        made[week.start] = _reflect_week(ctx, week)
    ctx.progress("reflecting", len(weeks), len(weeks))
    return made


def _reflect_week(ctx: StageContext, week: Period) -> int:
    from memory_pipeline.storage.ledger import versions_of

    scopes = _active(ctx, week)
    rows: dict[Scope, list[MemoryVersion]] = defaultdict(list)
    for row in versions_of(ctx.lake, scopes):
        rows[row.scope].append(row)
    recent = {scope: _recent(rows[scope], week) for scope in scopes}
    asked = [s for s in scopes if len(recent[s]) >= ctx.policy.reflection.min_evidence]
    requests = [_request(ctx, scope, week, recent[scope]) for scope in asked]
    answers = dict(zip(asked, asyncio.run(ctx.replies.complete_many(requests)), strict=True))
    asserted: list[MemoryVersion] = []
    withdrawn: list[MemoryVersion] = []
    stand = 0
    for scope in scopes:
        answer = answers.get(scope)
        if isinstance(answer, ReplyError):
            put_aside(ctx, f"reflect/{scope.user_id}/{week.label}", 0, str(answer), answer.reply)
            continue
        insights = answer.value.insights if answer is not None else []
        new = _versions(ctx, week, insights, recent[scope])
        old = [v for v in standing(rows[scope]) if v.cause is Cause.REFLECTION and _in(v, week)]
        earlier = {v.memory_id for v in standing(rows[scope]) if v.cause is Cause.REFLECTION and v.day < week.start}
        new = [v for v in new if v.memory_id not in earlier]
        more, less = difference(old, new)
        asserted += more
        withdrawn += less
        stand += len(new)
    publish(ctx, asserted, withdrawn)
    index_memories(ctx, {v.memory_id for v in asserted + withdrawn})
    return stand


def _in(version: MemoryVersion, week: Period) -> bool:
    return week.start <= version.day < week.end


def _active(ctx: StageContext, week: Period) -> list[Scope]:
    table = ctx.lake.sql(
        "SELECT DISTINCT tenant_id, user_id FROM memory_versions ORDER BY ALL",
        days={"memory_versions": list(week.days())},
    )
    return [Scope(t, u) for t, u in zip(*(table[c].to_pylist() for c in ("tenant_id", "user_id")), strict=True)]


def _recent(rows: Sequence[MemoryVersion], week: Period) -> list[MemoryVersion]:
    """Memories as they stood at the week's end that were said in the week or the three before it, the latest last."""
    state = fold(v for v in standing(rows) if v.day < week.end)
    since = week.start - timedelta(days=21)
    found = [
        v
        for v in state.values()
        if v.type not in DERIVED_TYPES
        and v.status not in RETIRED
        and v.referenced_at.date() >= since
        and v.type is not MemoryType.BOUNDARY
    ]
    return sorted(found, key=lambda v: (v.referenced_at, v.memory_id))[-_SHOWN:]


def _request(
    ctx: StageContext, scope: Scope, week: Period, memories: Sequence[MemoryVersion]
) -> ChatRequest[ReflectReply]:
    figures = ctx.policy.reflection
    inputs = {
        "label": week.label,
        "memories": [memory_input(v, f"k{n}") for n, v in enumerate(memories, 1)],
        "min_evidence": figures.min_evidence,
        "max_insights": figures.max_insights,
    }
    return ChatRequest("reflect", inputs, ReflectReply, scope, week.start, max_tokens=2048)


def _versions(
    ctx: StageContext, week: Period, insights: Sequence[Insight], memories: Sequence[MemoryVersion]
) -> list[MemoryVersion]:
    """The insights that rest on enough memories of enough days and pass the gate."""
    by_alias = {f"k{n}": v for n, v in enumerate(memories, 1)}
    figures = ctx.policy.reflection
    found: dict[str, MemoryVersion] = {}
    for insight in insights[: figures.max_insights]:
        members = [by_alias[a] for a in dict.fromkeys(insight.evidence) if a in by_alias]
        if len(members) < figures.min_evidence or spread(members) < figures.min_days:
            continue
        version = derive(
            MemoryType.REFLECTION,
            " ".join(insight.content.split()),
            members,
            importance=min(max(insight.importance, 0.0), 1.0),
            confidence=min(max(insight.confidence, 0.0), 1.0),
            at=_end(week, members),
            day=week.end - timedelta(days=1),
            policy=ctx.policy,
            run_id=ctx.run_id,
            now=ctx.now,
        )
        if _passes(ctx, version):
            found.setdefault(version.memory_id, version)
    return list(found.values())


def _end(week: Period, members: Sequence[MemoryVersion]) -> datetime:
    return day_end(week.end - timedelta(days=1), members[0].timezone) - timedelta(seconds=1)


def _passes(ctx: StageContext, version: MemoryVersion) -> bool:
    from memory_pipeline.stages.regate import as_proposal, cited_messages

    messages: Mapping[str, Message] = cited_messages(ctx, version)
    given = GateInput(as_proposal(version), messages, ctx.policy.gate, canaries=CANARIES)
    return first_failure(examine(given)) is None
