"""Every stage in order, as a run makes them, without Dagster: what is missing or stale, until nothing is."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, datetime
from pathlib import Path
from typing import Any

from memory_pipeline.domain.calendar import Grain, Period
from memory_pipeline.domain.memory import MemoryVersion
from memory_pipeline.domain.summary import Summary
from memory_pipeline.settings import Settings
from memory_pipeline.stages import freshness
from memory_pipeline.stages.age import age
from memory_pipeline.stages.consolidate import consolidate
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.extract import extract
from memory_pipeline.stages.index_messages import index_messages
from memory_pipeline.stages.ingest import IngestReport, ingest
from memory_pipeline.stages.link import link
from memory_pipeline.stages.patterns import find_patterns
from memory_pipeline.stages.publish import index_days
from memory_pipeline.stages.reflect import reflect
from memory_pipeline.stages.summarize import summarize
from memory_pipeline.storage.lake import Lake
from memory_pipeline.storage.ledger import CURRENT
from memory_pipeline.storage.rows import from_table
from memory_pipeline_tests.store import WordEncoder

_ROUNDS = 4
Work = Callable[[StageContext, Sequence[date]], object]


def _weeks(work: Callable[[StageContext, Sequence[Period]], object]) -> Work:
    return lambda ctx, starts: work(ctx, [Period(Grain.WEEK, start) for start in starts])


def _told(grain: Grain) -> Work:
    return lambda ctx, starts: {
        start: sum(s.session_id is None for s in found)
        for start, found in summarize(ctx, [Period(grain, start) for start in starts]).made.items()
    }


WORK: dict[str, Work] = {
    "message_vectors": index_messages,
    "proposals": extract,
    "memories": consolidate,
    "lifecycle": age,
    "patterns": _weeks(find_patterns),
    "reflections": _weeks(reflect),
    "memory_vectors": index_days,
    "memory_links": link,
    "daily_summaries": _told(Grain.DAY),
    "weekly_summaries": _told(Grain.WEEK),
    "monthly_summaries": _told(Grain.MONTH),
}


class Whole:
    """A home with the builtin model, seen from outside."""

    def __init__(self, path: Path, **settings: Any) -> None:
        self.path = path
        self.settings = Settings.load(home=str(path), chat="builtin", encoder="builtin", **settings)
        self.lake = Lake(self.settings.path("lake"))
        self._files = 0

    def ctx(self, now: datetime) -> StageContext:
        """The surroundings of a run; vectors are words."""
        ctx = StageContext(self.settings, f"run-{now:%Y%m%d%H%M}", now)
        ctx.encoder = WordEncoder()
        ctx.lake = self.lake
        return ctx

    def take(self, lines: Iterable[Mapping[str, Any]], now: datetime) -> IngestReport:
        """Landing lines into the log."""
        self._files += 1
        file = self.path.parent / f"landing-{self._files}.jsonl"
        self.path.mkdir(parents=True, exist_ok=True)
        file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        return ingest(self.ctx(now), [file])

    def stale(self, now: datetime) -> dict[str, list[date]]:
        """What a run would make."""
        ctx = self.ctx(now)
        found = {name: freshness.stale(ctx, freshness.BY_NAME[name]) for name in WORK}
        return {name: starts for name, starts in found.items() if starts}

    def run(self, now: datetime) -> None:
        """Make what is missing or stale."""
        ctx = self.ctx(now)
        for _ in range(_ROUNDS):
            done = [name for name in WORK if self.make(ctx, name)]
            if not done:
                return

    def make(self, ctx: StageContext, name: str) -> bool:
        """Make what is stale of one stage. Returns whether anything was."""
        stage = freshness.BY_NAME[name]
        starts = freshness.stale(ctx, stage)
        if starts:
            made_from = freshness.inputs(ctx, stage)
            made = WORK[name](ctx, starts)
            freshness.record(ctx, stage, made_from, starts, made if isinstance(made, dict) else {})
        return bool(starts)

    def memories(self) -> list[MemoryVersion]:
        """What is remembered now."""
        return from_table(self.lake.sql(CURRENT), MemoryVersion)

    def summaries(self) -> list[Summary]:
        """Of days, weeks and months."""
        return [s for s in self.lake.read("summaries", Summary) if s.session_id is None]
