"""A small home in which two users have said much the same, with something in every store; built once, and copied."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from memory_pipeline.domain.scope import Scope
from memory_pipeline.retrieval.reader import MemoryReader
from memory_pipeline.stages.hand.curate import edit
from memory_pipeline.stages.messages.ingest import take_inbox
from memory_pipeline.storage.parquet.schemas import DATASETS
from memory_pipeline_tests.stages.whole import Whole
from memory_pipeline_tests.store import WordEncoder

NOW = datetime(2026, 6, 1, 3, tzinfo=UTC)
ALICE, BOB = Scope("default", "alice"), Scope("default", "bob")
SISTERS = {"alice": "Wilhelmina", "bob": "Bartholomew"}
PORTO = "m4"
"""Id of the message by which the users have moved: what they said before holds again without it."""
_RUN = frozenset({"run_id", "recorded_at", "reply_key", "call_id", "id"})


def said(user: str) -> list[dict[str, Any]]:
    """What a user has said, in the landing format; quotes, markup and other scripts included."""
    name = SISTERS[user]
    return [
        _line(user, "s1", "m1", 2, f"I live in Lisbon and my sister is called {name}."),
        _line(user, "s1", "m2", 2, "Nice, how is she?", "assistant"),
        _line(user, "s1", "m3", 2, f"I work as a glass blower at {name}'s workshop in Marinha Grande."),
        _line(
            user, "s1", PORTO, 3, f'I moved to Porto last week, {name} helped me with "boxes" — façade & 引っ越し 🏠.'
        ),
        _line(user, "s2", "m5", 4, "I am allergic to peanuts and I love chamomile tea."),
        _line(user, "s2", "m6", 9, f"I have to call {name} by Friday about the lease."),
    ]


def _line(user: str, session: str, message: str, day: int, content: str, role: str = "user") -> dict[str, Any]:
    at = f"2026-03-{day:02}T09:{int(message[1:]):02}:00+00:00"
    return {
        "user_id": user,
        "session_id": f"{session}-{user}",
        "message_id": message,
        "role": role,
        "content": content,
        "created_at": at,
    }


class Home(Whole):
    """See the module."""

    def deliver(self, name: str, lines: Iterable[Mapping[str, Any] | str], now: datetime = NOW) -> None:
        """A file of the inbox, taken."""
        inbox = self.path / "inbox"
        inbox.mkdir(parents=True, exist_ok=True)
        texts = (line if isinstance(line, str) else json.dumps(line) for line in lines)
        (inbox / name).write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
        take_inbox(self.ctx(now))

    def reader(self) -> MemoryReader:
        return MemoryReader(self.settings, encoder=WordEncoder(), clock=lambda: NOW)

    def rows(self, user: str) -> dict[str, list[str]]:
        """A user's rows of every dataset but the costs, without what tells of the run that wrote them."""
        found = {}
        for name, dataset in DATASETS.items():
            if "user_id" in dataset.schema.names and name != "costs":
                table = self.lake.sql(f'SELECT * FROM "{name}" WHERE user_id = $user', {"user": user})
                kept = [c for c in table.schema.names if c not in _RUN]
                found[name] = sorted(map(repr, table.select(kept).to_pylist()))
        return found

    def told(self, user: str) -> list[tuple[str, str, tuple[str, ...]]]:
        """What is remembered of a user: words, status and evidence."""
        return sorted(
            (m.content, str(m.status), tuple(e.message_id for e in m.evidence))
            for m in self.memories()
            if m.user_id == user
        )


def built(path: Path, without: tuple[str, str] | None = None) -> Home:
    """A home with something in every store.

    Args:
        without: user and id of a message that was never said.
    """
    home = Home(path)
    for user in SISTERS:
        bad = {**said(user)[0], "created_at": "yesterday", "content": f"{user} was never dated: {SISTERS[user]} rows."}
        lines = [line for line in said(user) if (user, line["message_id"]) != without]
        home.deliver(f"{user}.jsonl", [*lines, bad])
    both = [
        {**said(u)[4], "message_id": "m7", "content": f"{SISTERS[u]} sends her very best regards."} for u in SISTERS
    ]
    home.deliver("both.jsonl", [*both, f'{{"user_id": "alice", "content": "broken off, {SISTERS["alice"]} sai'])
    home.run(NOW)
    reader = home.reader()
    for user, name in SISTERS.items():
        reader.search(f"where does {name} work with glass?", user_id=user)
        reader.context(said(user)[3]["content"], user_id=user, session_id=f"s1-{user}")
        tea = next(m for m in home.memories() if m.user_id == user and "tea" in m.content)
        edit(home.ctx(NOW + timedelta(minutes=1)), tea.scope, tea.memory_id, f"Loves {name}'s rooibos tea.")
    home.run(NOW + timedelta(minutes=2))
    return home


def copied(home: Home, path: Path) -> Home:
    """The same home in another place."""
    shutil.copytree(home.path, path)
    return Home(path)
