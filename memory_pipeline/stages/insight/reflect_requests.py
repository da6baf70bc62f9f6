"""Asking what memories show together: one request a user's week, and several weeks of one user in one call (DL-30)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property
from itertools import groupby
from typing import Any

from memory_pipeline.domain.calendar import Period, local_day, zone
from memory_pipeline.domain.ledger.memory import MemoryVersion
from memory_pipeline.domain.policy import ReflectionPolicy
from memory_pipeline.domain.scope import Scope
from memory_pipeline.domain.text import estimate_tokens
from memory_pipeline.inference.chat import ChatRequest
from memory_pipeline.inference.replies import Insight, PeriodInsights, ReflectReply
from memory_pipeline.inference.reply_cache import Pack
from memory_pipeline.stages.extraction.prompt_inputs import memory_input
from memory_pipeline.stages.summaries.calendar_requests import spans

_LINE_TOKENS = 4
_REPLY_TOKENS = 8192


@dataclass(frozen=True)
class Question:
    """One user's week, or the part of it that is looked at.

    Attributes:
        through: last local day that is looked at.
        memories: in order, as they stood then.
        new: ids of those that are new since the last look.
    """

    scope: Scope
    week: Period
    through: date
    memories: tuple[MemoryVersion, ...]
    new: frozenset[str]
    policy: ReflectionPolicy

    @cached_property
    def request(self) -> ChatRequest[ReflectReply]:
        """The request of this week alone; its hash is the key under which the reply is kept."""
        return _request([self], self.lines)

    @cached_property
    def lines(self) -> tuple[_Line, ...]:
        """The memories as they are shown."""
        return tuple(_line(v) for v in self.memories)


@dataclass(frozen=True, slots=True)
class _Line:
    """What is shown of a memory; the same in several weeks when it did not change between them."""

    day: str
    memory_id: str
    type: str
    content: str
    importance: float
    first: str
    hour: int


def _line(version: MemoryVersion) -> _Line:
    said = version.referenced_at.astimezone(zone(version.timezone))
    first = local_day(version.observed_at, version.timezone).isoformat()
    day = local_day(version.referenced_at, version.timezone).isoformat()
    return _Line(day, version.memory_id, str(version.type), version.content, version.importance, first, said.hour)


def in_order(version: MemoryVersion) -> tuple[str, str, str, int]:
    """Where a memory stands in a list, in a call about one week as in a call about many."""
    return _order(_line(version))


def _order(line: _Line) -> tuple[str, str, str, int]:
    return line.day, line.memory_id, line.content, line.hour


def _request(questions: Sequence[Question], lines: Sequence[_Line]) -> ChatRequest[ReflectReply]:
    place = {line: n for n, line in enumerate(lines, 1)}
    first = questions[0]
    shown = {line: v for q in questions for line, v in zip(q.lines, q.memories, strict=True)}
    inputs: dict[str, Any] = {
        "periods": [
            {
                "period": f"p{n}",
                "label": question.week.label,
                "memories": spans("k", (place[line] for line in question.lines)),
                "new": spans("k", (place[line] for line in question.lines if line.memory_id in question.new)),
            }
            for n, question in enumerate(questions, 1)
        ],
        # As they stand, not as they came to: a state has no change, and its day is that on which it was last said.
        # The day on which it was first said, and the hour of the last time, tell when something recurs.
        "memories": [
            memory_input(shown[line], f"k{n}")
            | {"change": "add", "day": line.day, "first": line.first, "hour": line.hour}
            for line, n in place.items()
        ],
        "min_evidence": first.policy.min_evidence,
        "max_insights": first.policy.max_insights,
    }
    return ChatRequest("reflect", inputs, ReflectReply, first.scope, first.week.start, max_tokens=_REPLY_TOKENS)


def grouped(questions: Iterable[Question], policy: ReflectionPolicy) -> list[list[Question]]:
    """Packs of weeks: of one user each, in order, within the budget."""
    packs: list[list[Question]] = []
    ordered = sorted(questions, key=lambda q: (q.scope, q.through))
    for _, same in groupby(ordered, key=lambda q: q.scope):
        pack: list[Question] = []
        shown: set[_Line] = set()
        size = 0
        for question in same:
            tokens = _tokens(set(question.lines) - shown)
            if pack and (size + tokens > policy.pack_tokens or len(pack) >= policy.pack_weeks):
                packs.append(pack)
                pack, shown, size = [], set(), 0
                tokens = _tokens(question.lines)
            pack.append(question)
            shown |= set(question.lines)
            size += tokens
        packs.append(pack)
    return packs


def _tokens(lines: Iterable[_Line]) -> int:
    return sum(estimate_tokens(line.content) + _LINE_TOKENS for line in lines)


def joint_request(questions: Sequence[Question]) -> Pack:
    """One call for some weeks of one user; each keeps what it would have got alone."""
    lines = sorted({line for q in questions for line in q.lines}, key=_order)
    shown = {f"k{n}": line for n, line in enumerate(lines, 1)}

    def split(value: ReflectReply) -> list[ReflectReply]:
        found = {told.period: told.insights for told in reversed(value.periods)}
        if len(questions) == 1:  # asked about alone, whatever it is called, it is meant
            found = {"p1": [insight for told in value.periods for insight in told.insights]}
        return [_own(found.get(f"p{n}", []), question, shown) for n, question in enumerate(questions, 1)]

    return Pack(_request(questions, lines), [q.request for q in questions], split)


def _own(insights: Iterable[Insight], question: Question, shown: dict[str, _Line]) -> ReflectReply:
    """A week's insights in the ids of its own request. A week that a reply leaves out has none."""
    place = {line: f"k{n}" for n, line in enumerate(question.lines, 1)}
    own = [
        replace(i, evidence=[place[shown[e]] for e in i.evidence if e in shown and shown[e] in place]) for i in insights
    ]
    return ReflectReply([PeriodInsights("p1", own)])
