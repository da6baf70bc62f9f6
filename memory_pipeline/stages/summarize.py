"""Messages and memories → daily, weekly and monthly summaries, each from the evidence itself (DL-29).

A week is never a summary of its days' summaries: its prompt holds the messages (the user's own first, as many as the
budget allows) and what the memories say happened. A silent period has no text.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from typing import Any

from memory_pipeline.domain.calendar import Grain, Period
from memory_pipeline.domain.ids import digest, identifier
from memory_pipeline.domain.memory import Cause, MemoryVersion, standing
from memory_pipeline.domain.message import Message, Role
from memory_pipeline.domain.scope import Scope
from memory_pipeline.domain.summary import Summary
from memory_pipeline.errors import ReplyError
from memory_pipeline.inference.chat import ChatRequest
from memory_pipeline.inference.replies import SummaryReply
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.inputs import SUMMARISED_TOKENS, memory_input, message_input, within_budget
from memory_pipeline.stages.quarantine import put_aside

_TASK = {Grain.DAY: "daily", Grain.WEEK: "weekly", Grain.MONTH: "monthly"}
_TOLD = frozenset({Cause.PROPOSAL, Cause.MANUAL})


@dataclass
class SummaryReport:
    """Summaries made, by period; ``failed`` counts replies that did not fit."""

    made: dict[date, list[Summary]] = field(default_factory=lambda: defaultdict(list))
    failed: int = 0


@dataclass(frozen=True, slots=True)
class _Work:
    scope: Scope
    period: Period
    messages: Sequence[Message]
    memories: Sequence[MemoryVersion]
    request: ChatRequest[SummaryReply]


def summarize(ctx: StageContext, periods: Sequence[Period]) -> SummaryReport:
    """Make the summaries of some periods of one grain, one for each user who wrote in it.

    Raises:
        ModelError: the model cannot be reached; nothing of these periods is replaced.
    """
    report = SummaryReport()
    ordered = sorted(set(periods))
    work = [w for n, period in enumerate(ordered) for w in _period_work(ctx, period, n, len(ordered))]
    answers = asyncio.run(ctx.replies.complete_many([w.request for w in work]))
    for item, answer in zip(work, answers, strict=True):
        if isinstance(answer, ReplyError):
            report.failed += 1
            where = f"{item.request.task}/{item.scope.user_id}/{item.period.label}"
            put_aside(ctx, where, 0, str(answer), answer.reply)
        elif answer.value.text.strip():
            report.made[item.period.start].append(_summary(ctx, item, answer.value))
    store(ctx, ordered, report.made)
    ctx.progress(f"{_TASK[ordered[0].grain]} summaries" if ordered else "summaries", len(ordered), len(ordered))
    return report


def _period_work(ctx: StageContext, period: Period, done: int, total: int) -> list[_Work]:
    ctx.progress(f"{_TASK[period.grain]} summaries", done, total)
    days = list(period.days())
    messages: dict[Scope, list[Message]] = defaultdict(list)
    for message in ctx.lake.read("messages", Message, days=days):
        messages[Scope(message.tenant_id, message.user_id)].append(message)
    memories: dict[Scope, list[MemoryVersion]] = defaultdict(list)
    for version in standing(ctx.lake.read("memory_versions", MemoryVersion, days=days)):
        if version.cause in _TOLD:
            memories[version.scope].append(version)
    work = []
    for scope in sorted(messages):
        if not any(m.role is Role.USER for m in messages[scope]):
            continue
        told = sorted(memories[scope], key=lambda v: (v.changed_at, v.memory_id, v.version))
        chosen = within_budget(messages[scope], ctx.policy.summary.input_tokens)
        work.append(_Work(scope, period, chosen, told, _request(ctx, scope, period, chosen, told)))
    return work


def _request(
    ctx: StageContext, scope: Scope, period: Period, messages: Sequence[Message], memories: Sequence[MemoryVersion]
) -> ChatRequest[SummaryReply]:
    figures = ctx.policy.summary
    limit = {Grain.DAY: figures.day_tokens, Grain.WEEK: figures.week_tokens, Grain.MONTH: figures.month_tokens}
    inputs: dict[str, Any] = {
        "label": period.label,
        "timezone": messages[0].timezone,
        "messages": [message_input(m, f"m{n}", SUMMARISED_TOKENS) for n, m in enumerate(messages, 1)],
        "memories": [memory_input(v, f"k{n}") for n, v in enumerate(memories, 1)],
        "max_tokens": limit[period.grain],
    }
    if period.grain is not Grain.DAY:
        inputs |= {"start": period.start.isoformat(), "end": (period.end - timedelta(days=1)).isoformat()}
    return ChatRequest(_TASK[period.grain], inputs, SummaryReply, scope, period.start, max_tokens=1024)


def _summary(ctx: StageContext, work: _Work, reply: SummaryReply) -> Summary:
    prompt_hash = ctx.prompts.prompt_hash(work.request.task)
    by_message = {f"m{n}": m.message_id for n, m in enumerate(work.messages, 1)}
    by_memory = {f"k{n}": v.memory_id for n, v in enumerate(work.memories, 1)}
    cited = [by_message[a] for a in reply.messages if a in by_message]
    remembered = [by_memory[a] for a in reply.memories if a in by_memory]
    if not cited and not remembered:  # a model that cites nothing rests on all it was shown
        cited, remembered = list(by_message.values()), list(by_memory.values())
    inputs = digest(
        ctx.chat.model, prompt_hash, *(m.content_hash for m in work.messages), *(v.version_id for v in work.memories)
    )
    return Summary(
        summary_id=identifier(
            "sum", work.scope.tenant_id, work.scope.user_id, work.period.grain, work.period.start.isoformat()
        ),
        tenant_id=work.scope.tenant_id,
        user_id=work.scope.user_id,
        grain=work.period.grain,
        start=work.period.start,
        text=reply.text.strip(),
        message_ids=tuple(dict.fromkeys(cited)),
        memory_ids=tuple(dict.fromkeys(remembered)),
        input_hash=inputs,
        observed_at=max(m.created_at for m in work.messages),
        prompt_hash=prompt_hash,
        model=ctx.chat.model,
        run_id=ctx.run_id,
        recorded_at=ctx.now,
    )


def _unchanged(new: Summary, old: Summary | None) -> bool:
    return old is not None and replace(new, run_id=old.run_id, recorded_at=old.recorded_at) == old


def store(ctx: StageContext, periods: Sequence[Period], made: Mapping[date, Sequence[Summary]]) -> None:
    """Replace the summaries of some periods of one grain in the lake and in the index; a row that says the same stays.

    The index lets go of what is no more before the lake forgets that it existed, so a crash leaves nothing behind.
    """
    if not periods:
        return
    grain = str(periods[0].grain)
    before = ctx.lake.read(
        "summaries", Summary, days=[p.start for p in periods], where="grain = $grain", params={"grain": grain}
    )
    old = {s.summary_id: s for s in before}
    kept = {
        p.start: [old[s.summary_id] if _unchanged(s, old.get(s.summary_id)) else s for s in made.get(p.start, ())]
        for p in periods
    }
    ctx.index.delete("summaries", old.keys() - {s.summary_id for rows in kept.values() for s in rows})
    for start, rows in kept.items():
        ctx.lake.replace("summaries", start, rows, part=grain)
    _index(ctx, [s for rows in kept.values() for s in rows])


def _index(ctx: StageContext, summaries: Sequence[Summary]) -> None:
    from memory_pipeline.storage.index import IndexedSummary
    from memory_pipeline.storage.rows import to_table

    there = ctx.index.lookup("summaries", [s.summary_id for s in summaries], ["summary_id", "content"])
    indexed = dict(zip(there["summary_id"].to_pylist(), there["content"].to_pylist(), strict=True))
    rows = [
        IndexedSummary(
            summary_id=s.summary_id,
            tenant_id=s.tenant_id,
            user_id=s.user_id,
            grain=str(s.grain),
            label=Period(s.grain, s.start).label,
            content=s.text,
            observed_at=s.observed_at,
            message_ids=s.message_ids,
            memory_ids=s.memory_ids,
        )
        for s in summaries
        if indexed.get(s.summary_id) != s.text
    ]
    if rows:
        ctx.index.upsert("summaries", to_table(rows, IndexedSummary), ctx.encoder.encode([r.content for r in rows]))
