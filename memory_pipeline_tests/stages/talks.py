"""Small conversations of many users, played through the pipeline's own stages in one home."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

from memory_pipeline.domain.calendar import zone
from memory_pipeline.domain.ledger.memory import MemoryVersion, fold
from memory_pipeline.domain.proposal import MemoryType
from memory_pipeline.retrieval.reader import MemoryReader
from memory_pipeline.settings import Settings
from memory_pipeline.stages.consolidation.consolidate import consolidate
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.extraction.extract import extract
from memory_pipeline.stages.messages.index_messages import index_messages
from memory_pipeline.stages.messages.ingest import ingest
from memory_pipeline.stages.operations.age import age
from memory_pipeline.stages.publication.publish import index_days
from memory_pipeline_tests.stages.landing_files import write

RUN = datetime(2027, 1, 1, tzinfo=UTC)
Turn = tuple[str, str]  # local time and words; "A: …" is the assistant's


@dataclass(frozen=True)
class Loop:
    """An open loop as it stands at the end.

    Attributes:
        due: local time, "" for none.
        reason: of its last version, a part of it.
    """

    content: str
    status: str = "active"
    due: str = ""
    reason: str = ""


def lines(user: str, turns: Sequence[Turn], timezone: str | None) -> list[dict[str, Any]]:
    """Landing lines of a conversation; every day is a session of its own."""
    found = []
    for n, (at, words) in enumerate(turns):
        own = not words.startswith("A: ")
        line = {
            "user_id": user,
            "session_id": f"s-{at[:10]}",
            "message_id": f"m-{n}",
            "role": "user" if own else "assistant",
            "content": words if own else words.removeprefix("A: "),
            "created_at": at,
        }
        found.append({**line, "metadata": {"timezone": timezone}} if timezone else line)
    return found


class Pipeline:
    """A home, with the builtin models unless the settings say otherwise, and runs over everything in it."""

    def __init__(self, folder: Path, **settings: Any) -> None:
        self._folder = folder
        self.settings = Settings.load(home=str(folder / "home"), **settings)
        self._runs = 0
        self._known: tuple[int, list[MemoryVersion]] = 0, []

    def context(self) -> StageContext:
        return StageContext(self.settings, f"run-{self._runs}", RUN + timedelta(minutes=self._runs))

    def run(self, said: Sequence[Mapping[str, Any]] = (), through: date | None = None) -> None:
        """Take messages, and make everything of them; time passes until the end of a day."""
        self._runs += 1
        ctx = self.context()
        if said:
            ingest(ctx, [write(self._folder / f"{self._runs}.jsonl", [dict(line) for line in said])])
        days = ctx.lake.days("messages")
        extract(ctx, days)
        consolidate(ctx, sorted({*days, *ctx.lake.days("memory_versions")}))
        if through:
            age(ctx, [through])
        index_messages(ctx, days)
        index_days(ctx, ctx.lake.days("memory_versions"))

    def reader(self, at: datetime) -> MemoryReader:
        """A reader at a moment."""
        return MemoryReader(self.settings, clock=lambda: at)

    def loops(self, user: str, timezone: str | None) -> list[Loop]:
        """The user's open loops, in the order in which they were stated, times in the user's zone."""
        if self._known[0] != self._runs:
            rows = self.context().lake.read("memory_versions", MemoryVersion)
            self._known = self._runs, list(fold(rows).values())
        own = [m for m in self._known[1] if m.user_id == user and m.type is MemoryType.OPEN_LOOP]
        return [
            Loop(m.content, str(m.status), _local(m.due_at, timezone), m.reason)
            for m in sorted(own, key=lambda m: (m.observed_at, m.memory_id))
        ]


def _local(at: datetime | None, timezone: str | None) -> str:
    return "" if at is None else at.astimezone(zone(timezone or "UTC")).isoformat(timespec="minutes")
