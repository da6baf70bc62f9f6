"""A home for tests of summaries: messages, memories and verdicts by hand, a model that answers by a rule."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

from memory_pipeline.domain.calendar import Grain, day_range, period_of, periods
from memory_pipeline.domain.derived.summary import Summary
from memory_pipeline.domain.ledger.memory import MemoryVersion
from memory_pipeline.domain.message import Message
from memory_pipeline.domain.proposal import Evidence, Outcome, Proposal, Verdict
from memory_pipeline.settings import Settings
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.plan import freshness, registry
from memory_pipeline.stages.summaries.summarize import SummaryReport, summarize
from memory_pipeline.storage.parquet.lake import Lake
from memory_pipeline_tests.factories import NOON, memory, message, proposal
from memory_pipeline_tests.protocol_steps import Call
from memory_pipeline_tests.store import WordEncoder

NOW = datetime(2026, 7, 1, tzinfo=UTC)
DAY = NOON.date()  # a Tuesday
_PERIOD = re.compile(r"^(p\d+) \| (\w+) ?([^|]*?) \| ([^|]*) \| ([^|]*) \| (\d+)$", re.M)
_TEXT = re.compile(r'^([mk]\d+) \|(?:.*\|)? ("(?:[^"\\]|\\.)*")$', re.M)


@dataclass(frozen=True, slots=True)
class Asked:
    """A period as a prompt lists it."""

    period: str
    grain: str
    label: str
    messages: list[str]
    memories: list[str]


def asked(call: Call) -> list[Asked]:
    """The periods that a call asks about."""
    return [
        Asked(p, grain, label, ids("m", messages), ids("k", memories))
        for p, grain, label, messages, memories, _ in _PERIOD.findall(call.prompt)
    ]


def ids(letter: str, runs: str) -> list[str]:
    """The ids of runs like "m1-m3, m7"."""
    found: list[str] = []
    for first, last in re.findall(rf"{letter}(\d+)(?:-{letter}(\d+))?", runs):
        found += [f"{letter}{n}" for n in range(int(first), int(last or first) + 1)]
    return found


def texts(call: Call) -> dict[str, str]:
    """Messages and memories of a prompt by id."""
    return {i: json.loads(text) for i, text in _TEXT.findall(call.prompt)}


def told(period: str, text: str, cited: Iterable[str]) -> dict[str, Any]:
    """One period's part of a reply."""
    cited = list(cited)
    return {
        "period": period,
        "text": text,
        "messages": [i for i in cited if i.startswith("m")],
        "memories": [i for i in cited if i.startswith("k")],
    }


def faithful(call: Call) -> dict[str, Any]:
    """A model that tells every period by all that is listed for it, one sentence an item."""
    said = texts(call)
    return {
        "periods": [
            told(p.period, " ".join(said[i] for i in (*p.messages, *p.memories)), (*p.messages, *p.memories))
            for p in asked(call)
        ]
    }


class Home:
    """A home under a folder; its runs share the connection to the lake."""

    def __init__(self, path: Path, chat: str = "openai") -> None:
        self.lake = Lake(str(path / "lake"))
        self._settings = Settings.load(home=str(path), chat=chat, chat_retries=1)

    def ctx(self, run_id: str = "run", now: datetime = NOW) -> StageContext:
        """The surroundings of a run; vectors are words."""
        ctx = StageContext(self._settings, run_id, now)
        ctx.encoder = WordEncoder()
        ctx.lake = self.lake
        return ctx

    def say(self, text: str, at: datetime = NOON, **given: Any) -> Message:
        """Somebody writes something."""
        made = message(text, at, **given)
        self.lake.append("messages", [made])
        return made

    def remember(self, content: str, source: Message, **given: Any) -> MemoryVersion:
        """A memory of what a message said."""
        said = proposal(content, source.created_at, evidence=(Evidence(source.message_id, content),), **given)
        made = memory(said, memory_id=f"mem-{content}", user_id=source.user_id, session_id=source.session_id)
        self.put(made)
        return made

    def put(self, *versions: MemoryVersion) -> None:
        """Memory versions into the ledger."""
        self.lake.append("memory_versions", versions)

    def accept(self, source: Message, reason: str, count: int) -> None:
        """Verdicts on so many proposals from a message."""
        lake = self.lake
        made: list[Proposal] = [
            proposal(
                f"Fact {n} of {source.message_id}.",
                source.created_at,
                proposal_id=f"{source.message_id}-{n}",
                session_id=source.session_id,
                evidence=(Evidence(source.message_id, "x"),),
            )
            for n in range(count)
        ]
        lake.append("proposals", made)
        lake.append(
            "verdicts",
            [
                Verdict(f"v-{p.proposal_id}", p.proposal_id, "t", "u", p.day, Outcome.ACCEPTED, reason, (), None)
                for p in made
            ],
        )

    def summarize(self, grain: Grain, days: Sequence[date], run_id: str = "run", now: datetime = NOW) -> SummaryReport:
        """Make the periods of some days, and note that they were made, as an asset does."""
        ctx = self.ctx(run_id, now)
        stage = registry.BY_NAME[STAGES[grain]]
        made_from = freshness.inputs(ctx, stage)
        wanted = periods(grain, days)
        report = summarize(ctx, wanted)
        made = {start: sum(s.session_id is None for s in found) for start, found in report.made.items()}
        freshness.record(ctx, stage, made_from, [p.start for p in wanted if not report.failed[p.start]], made)
        return report

    def stale(self, grain: Grain, now: datetime = NOW) -> list[date]:
        """Partitions that a plan would make."""
        return freshness.stale(self.ctx("plan", now), registry.BY_NAME[STAGES[grain]])

    def rows(self, grain: str | None = None) -> list[Summary]:
        """The summaries that stand."""
        found = self.lake.read("summaries", Summary)
        return [s for s in found if grain in (None, s.grain)]

    def text(self, grain: Grain, start: date) -> str | None:
        """The text of the period that holds a day, None when it has none."""
        return next((s.text for s in self.rows(grain) if s.start == period_of(grain, start).start), None)


STAGES = {Grain.DAY: "daily_summaries", Grain.WEEK: "weekly_summaries", Grain.MONTH: "monthly_summaries"}
MARCH = day_range(date(2026, 3, 1), date(2026, 3, 31))


def at(day: int, hour: int = 12) -> datetime:
    """A time in March 2026."""
    return datetime(2026, 3, day, hour, tzinfo=UTC)


def minutes(start: datetime, count: int) -> list[datetime]:
    """Times a minute apart."""
    return [start + timedelta(minutes=n) for n in range(count)]
