"""The process beside an application: when it is started, and that closing waits for what it is at."""

from __future__ import annotations

import threading
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from memory_pipeline import Memory
from memory_pipeline.settings import Settings
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.messages.working_memory import take_all
from memory_pipeline.storage.logs.working_files import WorkingMemory


class Slow:
    """A worker that takes its time, in a thread of this process."""

    made: list[Slow] = []

    def __init__(self, settings: Settings, **_: Any) -> None:
        self.settings = settings
        self.alive = False
        self.left_at_stop: int | None = None
        self.made.append(self)

    def start(self) -> None:
        self.alive = True
        threading.Timer(0.3, self.take).start()

    def take(self) -> None:
        take_all(StageContext(self.settings, "flush-1", datetime.now(UTC)))

    def stop(self) -> None:
        self.left_at_stop = WorkingMemory(self.settings).count_waiting()


@pytest.fixture
def workers(monkeypatch: pytest.MonkeyPatch) -> list[Slow]:
    monkeypatch.setattr("memory_pipeline.sdk.embedded.Worker", Slow)
    monkeypatch.setattr(Slow, "made", [])
    return Slow.made


def test_closing_waits_for_what_was_added(tmp_path: Path, workers: list[Slow]) -> None:
    with Memory.open(str(tmp_path)) as memory:
        assert workers == [], "nothing waits yet"
        memory.add("I live in Lisbon.", user_id="ann", session_id="s")
        memory.add("I love padel.", user_id="ann", session_id="s")
    assert [worker.left_at_stop for worker in workers] == [0]


def test_what_waits_is_made_by_who_opens_next(tmp_path: Path, workers: list[Slow]) -> None:
    with Memory.open(str(tmp_path), work=False) as memory:
        memory.add("I live in Lisbon.", user_id="ann", session_id="s")
    assert workers == []
    Memory.open(str(tmp_path)).close()
    assert [worker.left_at_stop for worker in workers] == [0]


def test_a_hosted_model_is_not_waited_for(tmp_path: Path, workers: list[Slow], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "test-key")
    with Memory.open(settings=Settings.load(home=str(tmp_path), chat="openai")) as memory:
        memory.add("I live in Lisbon.", user_id="ann", session_id="s")
    assert [worker.left_at_stop for worker in workers] == [1]
