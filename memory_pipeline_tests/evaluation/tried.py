"""A small home with a day of reads in its log, for trying changes on."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from memory_pipeline.retrieval.reader import MemoryReader
from memory_pipeline.settings import Settings
from memory_pipeline.stages.consolidation.consolidate import consolidate
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.extraction.extract import extract
from memory_pipeline.stages.messages.index_messages import index_messages
from memory_pipeline.stages.messages.ingest import ingest
from memory_pipeline.stages.plan.freshness import inputs, record
from memory_pipeline.stages.plan.registry import BY_NAME
from memory_pipeline.stages.publication.publish import index_days

SAID = datetime(2026, 3, 10, 9, tzinfo=UTC)
READ_AT = datetime(2026, 3, 20, 12, tzinfo=UTC)
READ_ON = READ_AT.date()
NOW = datetime(2026, 3, 21, 8, tzinfo=UTC)
TOLD = {
    "ada": [
        "I live in Lisbon.",
        "My email is ada@example.org.",
        "I love jasmine tea.",
        "My sister Mia plays the cello.",
    ],
    "bo": ["I live in Oslo.", "I am allergic to peanuts."],
}


def told_home(folder: Path, **given: Any) -> Settings:
    """A home in which everything that was told has gone through the stages."""
    settings = Settings(home=str(folder / "home"), **given)
    ctx = StageContext(settings, "run-1", NOW)
    lines = [
        {
            "user_id": user,
            "session_id": f"{user}-1",
            "message_id": f"{user}-{n}",
            "role": "user",
            "content": text,
            "created_at": (SAID + timedelta(minutes=n)).isoformat(),
        }
        for user, texts in TOLD.items()
        for n, text in enumerate(texts)
    ]
    file = folder / "messages.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    ingest(ctx, [file])
    days = ctx.lake.days("messages")
    extract(ctx, days)
    made_from = inputs(ctx, BY_NAME["memories"])
    consolidate(ctx, days)
    record(ctx, BY_NAME["memories"], made_from, days, {})
    index_messages(ctx, days)
    index_days(ctx, ctx.lake.days("memory_versions"))
    return settings


def make_reads(settings: Settings) -> None:
    """A day of reads, with what somebody said of them."""
    reader = MemoryReader(settings, clock=lambda: READ_AT)
    (where,) = reader.search("Where do I live?", user_id="ada", layers=("semantic",), k=1)
    assert "Lisbon" in where.content
    reader.feedback(where.recall_id, where.id, True)
    (tea,) = reader.search("what tea do I like?", user_id="ada", k=1)
    reader.feedback(tea.recall_id, tea.id, True)
    reader.search("what is my email address?", user_id="ada", layers=("semantic",))
    reader.context("Shall we plan my trip home?", user_id="ada", session_id="ada-2")
    reader.search("what must I not eat?", user_id="bo")
    reader.ask("Where do I live?", user_id="bo")
