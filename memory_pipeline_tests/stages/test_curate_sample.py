"""The user's own hand on the sample transcripts, as the stages run them: what was done holds, run after run."""

from __future__ import annotations

import json
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from memory_pipeline.curator import MemoryCurator
from memory_pipeline.domain.ledger.memory import MemoryVersion, standing
from memory_pipeline.retrieval.reader import MemoryReader
from memory_pipeline.settings import Settings, shipped
from memory_pipeline.stages.consolidation.consolidate import consolidate
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.extraction.extract import extract
from memory_pipeline.stages.messages.index_messages import index_messages
from memory_pipeline.stages.messages.ingest import ingest
from memory_pipeline.stages.operations.age import age
from memory_pipeline.stages.publication import audit
from memory_pipeline.stages.publication.publish import index_days

ALICE = {"user_id": "alice", "tenant_id": "acme"}
NOW = datetime(2026, 5, 2, 9, tzinfo=UTC)


# What the sessions speak of that the test is about.
SPOKEN_OF = ("based in Berlin", "ARRIVED", "EpiPen", "Svenja", "sister", "smoke", "cilantro")


def _sessions(path: Path) -> Path:
    """Alice's sessions that speak of it, in a file of their own."""
    lines = (shipped("data/sample") / "alice.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    chosen = {r["session_id"] for r in rows if any(words in r["content"] for words in SPOKEN_OF)}
    kept = [line for line, row in zip(lines, rows, strict=True) if row["session_id"] in chosen]
    path.write_text("\n".join(kept), encoding="utf-8")
    return path


class Sample:
    """Alice's home."""

    def __init__(self, home: Path) -> None:
        self.settings = Settings(home=str(home))
        self.now = NOW
        self.reader = MemoryReader(self.settings, clock=lambda: self.now)
        self.curator = MemoryCurator(self.settings, clock=lambda: self.now)
        self.context = self.later()
        ingest(self.context, [_sessions(home.with_suffix(".jsonl"))])
        extract(self.context, self.context.lake.days("messages"))

    def later(self) -> StageContext:
        self.now += timedelta(minutes=5)
        return StageContext(self.settings, f"run-{self.now:%d%H%M}", self.now)

    def run(self) -> Counter[str]:
        ctx = self.context = self.later()
        report = consolidate(ctx, ctx.lake.days("proposals"))
        age(ctx, [self.now.date()])
        index_messages(ctx, ctx.lake.days("messages"))
        index_days(ctx, ctx.lake.days("memory_versions"))
        return sum(report.changes.values(), Counter())

    def memory(self, content: str) -> dict[str, Any]:
        (found,) = (m for m in self.reader.memories(**ALICE) if m["content"] == content)
        return found

    def shown(self, query: str) -> str:
        layers = ("semantic", "episodic", "narrative")
        items = self.reader.search(query, **ALICE, k=200, layers=layers)
        return "\n".join(i.content for i in items if i.content) + self.reader.context(query, **ALICE).text


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Sample:
    found = Sample(tmp_path_factory.mktemp("sample"))
    found.run()
    return found


def test_what_alice_does_by_hand_holds(sample: Sample) -> None:
    do = sample.curator
    berlin, hamburg = sample.memory("Lives in Berlin."), sample.memory("Lives in Hamburg.")
    assert berlin["superseded_by"] == hamburg["memory_id"]
    do.undo(berlin["memory_id"], **ALICE)
    do.edit(sample.memory("Is allergic to peanuts.")["memory_id"], "Is allergic to hazelnuts.", **ALICE)
    do.forget(sample.memory("Has a colleague called Svenja.")["memory_id"], **ALICE)
    do.pin(sample.memory("Has a sister called Nora.")["memory_id"], **ALICE)
    do.suppress(sample.memory("Does not smoke.")["memory_id"], **ALICE)
    again = do.remember("I dislike cilantro", **ALICE)
    new = do.remember("Collects enamel mugs.", **ALICE)
    assert (again.change, again.content, new.change) == ("reinforce", "Hates cilantro.", "add")

    def holds() -> None:
        assert {sample.memory(f"Lives in {city}.")["status"] for city in ("Berlin", "Hamburg")} == {"active"}
        assert sample.memory("Has a colleague called Svenja.")["status"] == "archived"
        assert sample.memory("Has a sister called Nora.")["pinned"]
        assert sample.memory("Does not smoke.")["surface"] == "avoid"
        assert sample.memory("Collects enamel mugs.")["memory_id"] == new.memory_id
        assert "Is allergic to hazelnuts." in sample.shown("what is Alice allergic to?")
        assert "allergic to peanuts" not in sample.shown("allergic to peanuts")
        assert "colleague called Svenja" not in sample.shown("colleague called Svenja")

    holds()
    before = {v.version_id for v in _standing(sample)}
    assert not sample.run()
    assert {v.version_id for v in _standing(sample)} == before
    holds()
    days = sample.context.lake.days("memory_versions")
    for check in (*audit.OF_PARTITIONS["memories"], audit.index_matches_ledger):
        assert check(sample.context, days).ok, check.__name__


def _standing(sample: Sample) -> list[MemoryVersion]:
    return standing(sample.context.lake.read("memory_versions", MemoryVersion))
