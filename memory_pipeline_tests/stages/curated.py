"""A home with a pipeline, a reader and a curator of one user, for the tests of the user's own hand."""

from __future__ import annotations

from collections import Counter
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from memory_pipeline.curator import MemoryCurator
from memory_pipeline.domain.ledger.memory import MemoryVersion
from memory_pipeline.domain.proposal import Proposal
from memory_pipeline.retrieval.reader import MemoryReader
from memory_pipeline.settings import Settings
from memory_pipeline.stages.consolidation.consolidate import consolidate
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.messages.index_messages import index_messages
from memory_pipeline.stages.operations.age import age
from memory_pipeline.stages.publication.publish import index_days
from memory_pipeline.storage.parquet.lake import Lake
from memory_pipeline_tests.factories import NOON, proposal
from memory_pipeline_tests.stages.timeline import source
from memory_pipeline_tests.store import WordEncoder

NOW = NOON + timedelta(days=30)
LAYERS = ("semantic", "episodic", "narrative")


class Home:
    """A home with a pipeline, a reader and a curator of one user."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.settings = Settings(home=str(folder))
        self.encoder: Any = WordEncoder()
        self.lake = Lake(self.settings.path("lake"))
        self.now = NOW
        self.owner = {"user_id": "u", "tenant_id": "t"}
        self.reader = MemoryReader(self.settings, encoder=self.encoder, clock=lambda: self.now, seed=1)
        self.curator = MemoryCurator(self.settings, encoder=self.encoder, clock=lambda: self.now)

    def context(self) -> StageContext:
        ctx = StageContext(self.settings, f"run-{self.now:%d%H%M%S}", self.now)
        ctx.encoder = self.encoder
        ctx.lake = self.lake
        return ctx

    def say(self, *said: Proposal) -> None:
        """Messages arrive, with what is extracted from them, and are consolidated."""
        ctx = self.context()
        ctx.lake.append("messages", [source(p) for p in said])
        for day in sorted({p.day for p in said}):
            there = ctx.lake.read("proposals", Proposal, days=[day])
            ctx.lake.replace("proposals", day, [*there, *(p for p in said if p.day == day)])
        self.run()

    def run(self) -> Counter[str]:
        """Everything is consolidated and indexed. Returns the changes made."""
        self.now += timedelta(minutes=10)
        ctx = self.context()
        days = ctx.lake.days("proposals")
        report = consolidate(ctx, days)
        age(ctx, [self.now.date()])
        index_messages(ctx, ctx.lake.days("messages"))
        index_days(ctx, ctx.lake.days("memory_versions"))
        return sum(report.changes.values(), Counter())

    def rows(self) -> list[MemoryVersion]:
        return self.context().lake.read("memory_versions", MemoryVersion)

    def listed(self, content: str) -> dict[str, Any]:
        (found,) = (m for m in self.reader.memories(**self.owner) if m["content"] == content)
        return found

    def id(self, content: str) -> str:
        return str(self.listed(content)["memory_id"])

    def found(self, query: str, **given: Any) -> list[str]:
        items = self.reader.search(query, **self.owner, **{"layers": LAYERS, "k": 50, **given})
        return [item.content for item in items]


def at(day: int) -> datetime:
    """Noon of a day of the tests' March."""
    return NOON + timedelta(days=day)


def dog(day: int, content: str = "Has a dog called Max.") -> Proposal:
    return proposal(content, at(day), attribute="pet", value="Max")
