"""What a run would cost, before it costs anything: calls, tokens and money by task, and what kept replies answer.

Extraction is counted: its requests are packed and rendered as the run would do it, for the windows that have no kept
reply. What depends on replies that are not there yet is estimated (``forecast_estimates``) and says so. The work is
proportional to what would be made.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from memory_pipeline.domain.calendar import Grain
from memory_pipeline.domain.message import Message
from memory_pipeline.domain.text import estimate_tokens
from memory_pipeline.inference.chat import ChatRequest
from memory_pipeline.inference.metering import STAGE as ENCODE
from memory_pipeline.inference.prices import encoder_usd, prompt_tokens, task_usd
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.extraction.extract import chunks
from memory_pipeline.stages.extraction.extract_requests import Work, summary_request, works
from memory_pipeline.stages.extraction.packer import Packer
from memory_pipeline.stages.extraction.packing import Joint, to_summarise
from memory_pipeline.stages.plan.forecast_estimates import Estimates, Fresh, Part, Unit

_ENCODED_SHARE = 0.5  # of what models write, roughly: contents of memories and texts of summaries, without the JSON


@dataclass(frozen=True, slots=True)
class Span:
    """Partitions of one grain that a run would make some stages of."""

    grain: Grain
    stages: tuple[str, ...]
    partitions: Sequence[date]


@dataclass(frozen=True, slots=True)
class TaskForecast:
    """What one task would take.

    Attributes:
        stage: the task, by its name in the cost ledger.
        calls: to the model.
        cached: requests that kept replies answer.
        exact: calls and prompt tokens were counted, tokens as we estimate them from characters; else all is estimated.
        basis: one clause on where the figures come from.
    """

    stage: str
    calls: int
    cached: int
    prompt_tokens: int
    completion_tokens: int
    usd: float
    exact: bool
    basis: str


@dataclass(frozen=True, slots=True)
class Forecast:
    """What a run would take, by task in the order of the flow; no tasks where no model is hosted."""

    tasks: tuple[TaskForecast, ...] = ()

    @property
    def calls(self) -> int:
        return sum(t.calls for t in self.tasks)

    @property
    def cached(self) -> int:
        return sum(t.cached for t in self.tasks)

    @property
    def tokens(self) -> int:
        return sum(t.prompt_tokens + t.completion_tokens for t in self.tasks)

    @property
    def usd(self) -> float:
        return sum(t.usd for t in self.tasks)


def forecast(ctx: StageContext, spans: Sequence[Span]) -> Forecast:
    """What making some partitions would take. No model is asked, and nothing is written."""
    tasks: list[TaskForecast] = []
    if ctx.settings.chat != "builtin":
        estimates = Estimates(ctx)
        fresh: Fresh = set()
        counted = [_extraction(ctx, estimates, s.partitions, fresh) for s in spans if "proposals" in s.stages]
        tasks += _merged(t for found in counted for t in found)
        parts: dict[str, list[Part]] = {}
        for span in spans:
            for stage in span.stages:
                for task in () if stage == "proposals" else estimates.tasks(stage):
                    parts.setdefault(task, []).append(Part(stage, span.grain, span.partitions))
        tasks += [_estimated(ctx, estimates, task, asked_by, fresh) for task, asked_by in parts.items()]
    if ctx.settings.encoder != "builtin":
        tasks += _encoding(ctx, spans, sum(t.completion_tokens for t in tasks))
    return Forecast(tuple(t for t in tasks if t.calls or t.cached))


# -- counted: extraction


def _extraction(ctx: StageContext, estimates: Estimates, days: Sequence[date], fresh: Fresh) -> list[TaskForecast]:
    """Rolling summaries and extraction of some days; ``fresh`` gets the user-days that a model will say more about."""
    cached = 0
    asked: list[ChatRequest[Any]] = []
    summaries: list[ChatRequest[Any]] = []
    summaries_kept = 0
    packer = Packer(ctx)
    for chunk in chunks(ctx, days):
        todo = works(ctx, chunk)
        kept = ctx.replies.kept([w.request for w in todo])
        new = [w for w, found in zip(todo, kept, strict=True) if found is None]
        cached += len(todo) - len(new)
        fresh |= {Unit(w.request.scope, w.window.day) for w in new}
        packs = packer.grouped(new)
        told, missing, found_there = _summaries(ctx, packs)
        summaries += missing
        summaries_kept += found_there
        asked += [Joint(pack, told, packer.most_reply).pack.request for pack in packs]
    rolling = estimates.counted("rolling_summary", [prompt_tokens(ctx.prompts, r) for r in summaries])
    extracted = estimates.counted("extract", [prompt_tokens(ctx.prompts, r) for r in asked])
    return [
        _task(ctx, "rolling_summary", len(summaries), summaries_kept, *rolling, exact=True),
        _task(ctx, "extract", len(asked), cached, *extracted, exact=not summaries),
    ]


def _summaries(
    ctx: StageContext, packs: Iterable[Sequence[Work]]
) -> tuple[dict[str, str], list[ChatRequest[Any]], int]:
    """Rolling summaries for some packs: texts by key, the requests of those that must be made, how many are kept.

    One that is not there yet is taken to be as long as it may get.
    """
    from memory_pipeline.inference.replies import SummaryReply, parse

    wanted = {work.summary_of: work for pack in packs for work in to_summarise(pack)}
    requests = [summary_request(ctx, work) for work in wanted.values()]
    kept = ctx.replies.kept(requests)
    stand_in = "word" * ctx.policy.summary.rolling_tokens
    told = {
        key: stand_in if found is None else parse(SummaryReply, found.reply).text
        for key, found in zip(wanted, kept, strict=True)
    }
    missing: list[ChatRequest[Any]] = [r for r, found in zip(requests, kept, strict=True) if found is None]
    return told, missing, len(kept) - len(missing)


# -- estimated: everything that rests on replies


def _estimated(ctx: StageContext, estimates: Estimates, task: str, parts: Sequence[Part], fresh: Fresh) -> TaskForecast:
    found = estimates.of(task, parts, fresh)
    return _task(ctx, task, found.calls, found.cached, found.prompt_tokens, found.completion_tokens, found.basis)


def _encoding(ctx: StageContext, spans: Sequence[Span], written: int) -> list[TaskForecast]:
    """Vectors: of the turns that are not in the index, counted, and of what models are going to write, estimated."""
    from memory_pipeline.stages.messages.index_messages import encoded_text, message_key
    from memory_pipeline.stages.messages.previous_turn import INDEXED_ROLES

    days = sorted({d for s in spans if "message_vectors" in s.stages for d in s.partitions})
    turns = [m for m in ctx.lake.read("messages", Message, days=days) if m.role in INDEXED_ROLES] if days else []
    known = set(ctx.index.lookup("messages", list(map(message_key, turns)), ["message_key"])["message_key"].to_pylist())
    new = [m for m in turns if message_key(m) not in known]
    tokens = sum(estimate_tokens(encoded_text(m, ctx.policy.retrieval)) for m in new)
    tokens += round(written * _ENCODED_SHARE)
    if not tokens:
        return []
    basis = "turns that are not in the index, counted; texts that models will write, estimated"
    usd = encoder_usd(ctx.settings, tokens)
    return [TaskForecast(ENCODE, 1 + len(new) // 256, len(known), tokens, 0, usd, not written, basis)]


# -- putting it together


def _task(
    ctx: StageContext,
    task: str,
    calls: int,
    cached: int,
    prompt: int,
    completion: int,
    basis: str,
    *,
    exact: bool = False,
) -> TaskForecast:
    return TaskForecast(
        task, calls, cached, prompt, completion, task_usd(ctx.settings, task, prompt, completion), exact, basis
    )


def _merged(parts: Iterable[TaskForecast]) -> list[TaskForecast]:
    """One forecast a task."""
    found: dict[str, TaskForecast] = {}
    for part in parts:
        other = found.get(part.stage)
        if other is not None:
            part = TaskForecast(
                part.stage,
                part.calls + other.calls,
                part.cached + other.cached,
                part.prompt_tokens + other.prompt_tokens,
                part.completion_tokens + other.completion_tokens,
                part.usd + other.usd,
                part.exact and other.exact,
                part.basis,
            )
        found[part.stage] = part
    return list(found.values())
