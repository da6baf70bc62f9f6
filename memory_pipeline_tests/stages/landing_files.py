"""Small transcripts for the tests of the way into the log, and what the log holds afterwards."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from memory_pipeline.domain.message import Message
from memory_pipeline.settings import Settings
from memory_pipeline.stages.context import StageContext
from memory_pipeline.storage.parquet.schemas import Quarantined

NOW = datetime(2026, 3, 20, 12, tzinfo=UTC)


def context(home: Path, now: datetime = NOW, **settings: Any) -> StageContext:
    return StageContext(Settings.load(home=str(home), **settings), run_id="test", now=now)


def line(**fields: Any) -> dict[str, Any]:
    """A valid landing line with some fields changed; None takes a field away."""
    given = {
        "user_id": "alice",
        "session_id": "s-1",
        "role": "user",
        "content": "I moved to Lisbon last week.",
        "created_at": "2026-03-02T09:15:00+00:00",
        **fields,
    }
    return {name: value for name, value in given.items() if value is not None}


def numbered(n: int, **fields: Any) -> dict[str, Any]:
    """The n-th line of a conversation, a minute after the one before, with an id."""
    minute = f"2026-03-02T{9 + n // 60:02}:{n % 60:02}:00+00:00"
    return line(**{"message_id": f"m-{n}", "content": f"Message number {n}.", "created_at": minute, **fields})


def write(path: Path, lines: Iterable[dict[str, Any]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(given) + "\n" for given in lines), encoding="utf-8")
    return path


def stored(ctx: StageContext) -> list[Message]:
    return ctx.lake.read("messages", Message)


def put_aside(ctx: StageContext) -> list[Quarantined]:
    return ctx.lake.read("quarantined", Quarantined)


def readable_quarantine(ctx: StageContext, name: str) -> list[dict[str, Any]]:
    path = Path(ctx.settings.path("quarantine")) / f"{name}.jsonl"
    return [json.loads(text) for text in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []
