"""Every stage in order, as a run makes them, without Dagster: what is missing or stale, until nothing is."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import date, datetime
from pathlib import Path
from typing import Any

from memory_pipeline.domain.derived.summary import Summary
from memory_pipeline.domain.ledger.memory import MemoryVersion
from memory_pipeline.settings import Settings
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.messages.ingest import IngestReport, ingest
from memory_pipeline.stages.plan import freshness, registry
from memory_pipeline.stages.plan.making import make
from memory_pipeline.storage.parquet.arrow_rows import from_table
from memory_pipeline.storage.parquet.lake import Lake
from memory_pipeline.storage.queries.ledger import CURRENT
from memory_pipeline_tests.store import WordEncoder

_ROUNDS = 4


STAGES = tuple(stage for stage in registry.STAGES if stage.name != "recall_feedback")


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
        found = {stage.name: freshness.stale(ctx, stage) for stage in STAGES}
        return {name: starts for name, starts in found.items() if starts}

    def run(self, now: datetime) -> None:
        """Make what is missing or stale."""
        ctx = self.ctx(now)
        for _ in range(_ROUNDS):
            done = [stage for stage in STAGES if self.make(ctx, stage.name)]
            if not done:
                return

    def make(self, ctx: StageContext, name: str) -> bool:
        """Make what is stale of one stage. Returns whether anything was."""
        stage = registry.BY_NAME[name]
        starts = freshness.stale(ctx, stage)
        if starts:
            make(ctx, stage, starts)
        return bool(starts)

    def memories(self) -> list[MemoryVersion]:
        """What is remembered now."""
        return from_table(self.lake.sql(CURRENT), MemoryVersion)

    def summaries(self) -> list[Summary]:
        """Of days, weeks and months."""
        return [s for s in self.lake.read("summaries", Summary) if s.session_id is None]
