"""Messages → proposals: windows are cut, packed into calls a user at a time, and the replies resolved.

A pure function of the transcripts (and of the kept replies): it never sees the memories, so days can be extracted in
any order or in parallel.
"""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from itertools import groupby
from typing import Any

from memory_pipeline.domain.message import Message, Role
from memory_pipeline.domain.proposal import Proposal
from memory_pipeline.domain.scope import Scope
from memory_pipeline.domain.text import estimate_tokens, truncate
from memory_pipeline.domain.window import Window, windows
from memory_pipeline.errors import ReplyError
from memory_pipeline.inference.chat import ChatRequest
from memory_pipeline.inference.replies import ExtractReply, SummaryReply, WindowReply
from memory_pipeline.inference.reply_cache import Pack
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.drafts import resolve
from memory_pipeline.stages.inputs import SUMMARISED_TOKENS, message_input, within_budget
from memory_pipeline.stages.quarantine import put_aside

_CONTEXT_DAYS = 7
_PACK_TOKENS = 12_000
_CONTEXT_TOKENS = 200
_CHUNK_DAYS = 31


@dataclass
class ExtractReport:
    """What extraction made, by day.

    Attributes:
        failed: windows whose reply did not fit; they stay open for the next run.
    """

    windows: Counter[date] = field(default_factory=Counter)
    proposals: Counter[date] = field(default_factory=Counter)
    failed: Counter[date] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class _Work:
    window: Window
    messages: Sequence[Message]
    request: ChatRequest[ExtractReply]


def extract(ctx: StageContext, days: Sequence[date]) -> ExtractReport:
    """Make the ``windows`` and ``proposals`` partitions of some days, replacing what they held.

    Raises:
        ModelError: the model cannot be reached; replies that had arrived are kept, partitions are left as they were.
    """
    report = ExtractReport()
    ordered = sorted(set(days))
    for start in range(0, len(ordered), _CHUNK_DAYS):
        chunk = ordered[start : start + _CHUNK_DAYS]
        ctx.progress("extracting", start, len(ordered))
        _extract_days(ctx, chunk, report)
    ctx.progress("extracting", len(ordered), len(ordered))
    return report


def _extract_days(ctx: StageContext, days: Sequence[date], report: ExtractReport) -> None:
    work = _work(ctx, days)
    answers = asyncio.run(ctx.replies.complete_many([w.request for w in work], pack))
    made: dict[date, list[Proposal]] = defaultdict(list)
    prompt_hash = ctx.prompts.prompt_hash("extract")
    for item, answer in zip(work, answers, strict=True):
        day = item.window.day
        report.windows[day] += 1
        if isinstance(answer, ReplyError):
            report.failed[day] += 1
            put_aside(ctx, f"extract/{item.window.window_id}", 0, str(answer), answer.reply)
            continue
        drafts = answer.value.windows[0].proposals if answer.value.windows else []
        made[day] += resolve(drafts, item.window, item.messages, prompt_hash=prompt_hash, model=ctx.chat.model)
    for day in days:
        ctx.lake.replace("windows", day, [w.window for w in work if w.window.day == day])
        ctx.lake.replace("proposals", day, made[day])
        report.proposals[day] += len(made[day])


def _work(ctx: StageContext, days: Sequence[date]) -> list[_Work]:
    messages = ctx.lake.read("messages", Message, days=days)
    earlier = _earlier(ctx, days, messages)
    by_session: dict[tuple[str, str, str], list[Message]] = defaultdict(list)
    for message in sorted([*earlier, *messages], key=lambda m: m.order):
        by_session[message.tenant_id, message.user_id, message.session_id].append(message)
    place = {
        (m.tenant_id, m.user_id, m.session_id, m.message_id): n for s in by_session.values() for n, m in enumerate(s)
    }
    cut, before = [], []
    for window, inside in windows(messages, ctx.policy.window):
        session = by_session[window.tenant_id, window.user_id, window.session_id]
        first = place[window.tenant_id, window.user_id, window.session_id, inside[0].message_id]
        cut.append((window, inside))
        before.append(session[:first])
    summaries = _rolling_summaries(ctx, [w for w, _ in cut], before)
    kept = ctx.policy.window.context_messages
    return [
        _Work(window, inside, request_for(window, inside, previous[-kept:], summary))
        for (window, inside), previous, summary in zip(cut, before, summaries, strict=True)
    ]


def _rolling_summaries(ctx: StageContext, cut: Sequence[Window], before: Sequence[Sequence[Message]]) -> list[str]:
    """What each window's session was about before its context: for understanding only, never extracted (RX-23).

    Made anew every so many user turns, from the messages themselves; windows in between share it.
    """
    requests = {}
    for n, (window, previous) in enumerate(zip(cut, before, strict=True)):
        told = summarised_part(previous[: -ctx.policy.window.context_messages], ctx.policy.summary.rolling_user_turns)
        if told:
            chosen = within_budget(told, ctx.policy.summary.input_tokens)
            inputs = {
                "messages": [message_input(m, f"m{i}", SUMMARISED_TOKENS) for i, m in enumerate(chosen, 1)],
                "max_tokens": ctx.policy.summary.rolling_tokens,
            }
            scope = Scope(window.tenant_id, window.user_id)
            requests[n] = ChatRequest("rolling_summary", inputs, SummaryReply, scope, told[-1].day, max_tokens=1024)
    answers = asyncio.run(ctx.replies.complete_many(list(requests.values()))) if requests else []
    found = [""] * len(cut)
    for n, answer in zip(requests, answers, strict=True):
        if isinstance(answer, ReplyError):
            put_aside(ctx, f"rolling_summary/{cut[n].window_id}", 0, str(answer), answer.reply)
        else:
            found[n] = truncate(answer.value.text, ctx.policy.summary.rolling_tokens)
    return found


def summarised_part(messages: Sequence[Message], user_turns: int) -> Sequence[Message]:
    """The messages up to the last multiple of so many user turns; none before the first."""
    ends = [n + 1 for n, m in enumerate(messages) if m.role is Role.USER]
    whole = len(ends) // user_turns * user_turns
    return messages[: ends[whole - 1]] if whole else []


def _earlier(ctx: StageContext, days: Sequence[date], messages: Sequence[Message]) -> list[Message]:
    """Messages of the same sessions on the days just before: context only."""
    sessions = sorted({m.session_id for m in messages})
    wanted = {day - timedelta(days=n) for day in days for n in range(1, _CONTEXT_DAYS + 1)} - set(days)
    if not sessions or not wanted:
        return []
    return ctx.lake.read(
        "messages",
        Message,
        days=wanted,
        where="session_id IN (SELECT unnest($sessions))",
        params={"sessions": sessions},
    )


def request_for(
    window: Window, messages: Sequence[Message], before: Sequence[Message], summary: str = ""
) -> ChatRequest[ExtractReply]:
    """The request of one window alone; its hash is the key under which the reply is kept."""
    inputs = {
        "timezone": window.timezone,
        "windows": [
            {
                "window": "w1",
                "summary": summary,
                "context": [message_input(m, f"c{n}", _CONTEXT_TOKENS) for n, m in enumerate(before, 1)],
                "messages": [message_input(m, f"m{n}") for n, m in enumerate(messages, 1)],
            }
        ],
    }
    return ChatRequest("extract", inputs, ExtractReply, Scope(window.tenant_id, window.user_id), window.day)


def pack(requests: Sequence[ChatRequest[Any]]) -> list[Pack]:
    """Join one user's windows into as few calls as the token budget allows; never two users in one call."""
    packs = []
    ordered = sorted(requests, key=lambda r: (r.scope, r.inputs["timezone"], r.day))
    for _, group in groupby(ordered, key=lambda r: (r.scope, r.inputs["timezone"])):
        batch: list[ChatRequest[Any]] = []
        size = 0
        for request in group:
            tokens = sum(
                estimate_tokens(m["content"]) + 20
                for part in ("context", "messages")
                for m in request.inputs["windows"][0][part]
            )
            if batch and size + tokens > _PACK_TOKENS:
                packs.append(_join(batch))
                batch, size = [], 0
            batch.append(request)
            size += tokens
        packs.append(_join(batch))
    return packs


def _join(members: Sequence[ChatRequest[Any]]) -> Pack:
    """One request with all windows; messages are numbered through, so that no id stands twice in a prompt."""
    joined: list[Mapping[str, Any]] = []
    back: list[dict[str, str]] = []
    messages = context = 0
    for n, member in enumerate(members, 1):
        (window,) = member.inputs["windows"]
        aliases = {f"m{messages + i}": m["id"] for i, m in enumerate(window["messages"], 1)}
        joined.append(
            {
                **window,
                "window": f"w{n}",
                "context": [{**m, "id": f"c{context + i}"} for i, m in enumerate(window["context"], 1)],
                "messages": [{**m, "id": f"m{messages + i}"} for i, m in enumerate(window["messages"], 1)],
            }
        )
        back.append(aliases)
        messages += len(window["messages"])
        context += len(window["context"])
    first = members[0]
    request = ChatRequest(
        first.task, {**first.inputs, "windows": joined}, first.reply, first.scope, first.day, max_tokens=8192
    )
    return Pack(request, members, lambda value: _split(value, back))


def _split(value: ExtractReply, back: Sequence[Mapping[str, str]]) -> list[ExtractReply | None]:
    """One reply a window. A window that the reply does not name had nothing worth keeping."""
    found: dict[str, list[Any]] = defaultdict(list)
    for window in value.windows:
        found[window.window] += window.proposals
    parts: list[ExtractReply | None] = []
    for n, aliases in enumerate(back, 1):
        drafts = [_renamed(draft, aliases) for draft in found[f"w{n}"]]
        parts.append(ExtractReply([WindowReply("w1", drafts)]))
    return parts


def _renamed(draft: Any, aliases: Mapping[str, str]) -> Any:
    evidence = [replace(e, message=aliases.get(e.message, "")) for e in draft.evidence]
    return replace(draft, evidence=evidence)
