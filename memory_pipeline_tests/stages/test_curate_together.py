"""Several hands and a run at the same time, and what fails on the way: nothing is lost, nothing is half done."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from memory_pipeline.curator import MemoryCurator
from memory_pipeline.domain.ledger.memory import standing
from memory_pipeline.domain.proposal import MemoryType
from memory_pipeline.domain.scope import Scope
from memory_pipeline.errors import ModelError
from memory_pipeline.settings import Settings
from memory_pipeline.stages.consolidation.consolidate import consolidate
from memory_pipeline.stages.publication import one_writer
from memory_pipeline.stages.publication.publish import index_days
from memory_pipeline.storage.exclusion import locks
from memory_pipeline_tests.factories import proposal, residence
from memory_pipeline_tests.stages.curated import Home, at, dog
from memory_pipeline_tests.stages.timeline import source
from memory_pipeline_tests.store import WordEncoder


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home")


# -- when something fails


class Unreachable(WordEncoder):
    """An encoder that cannot be reached."""

    def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        raise ModelError("the encoder cannot be reached")


def test_without_an_encoder_words_are_not_taken_but_everything_else_works(home: Home) -> None:
    home.say(residence("Lisbon", at(0)), dog(1))
    curator = MemoryCurator(home.settings, encoder=Unreachable(), clock=lambda: home.now)
    before = home.rows()
    with pytest.raises(ModelError):
        curator.remember("Collects fountain pens.", **home.owner)
    with pytest.raises(ModelError):
        curator.edit(home.id("Lives in Lisbon."), "Lives in Braga.", **home.owner)
    assert home.rows() == before
    curator.pin(home.id("Lives in Lisbon."), **home.owner)
    curator.forget(home.id("Has a dog called Max."), **home.owner)
    assert not [c for c in home.found("dog Max") if "dog" in c]


def test_an_undo_for_which_the_judge_cannot_be_reached_changes_nothing(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("OPENAI_API_KEY", "test-key")
    loop = proposal("Needs to call mom.", at(3), type=MemoryType.OPEN_LOOP)
    told = proposal("Called mom about the garden.", at(4), type=MemoryType.EPISODIC_EVENT)  # the judge is asked: done?
    home.say(residence("Lisbon", at(0)), residence("Porto", at(2)), loop, told)
    before, lisbon = home.rows(), home.id("Lives in Lisbon.")
    settings = Settings(home=str(home.folder), chat="openai", chat_retries=0)
    curator = MemoryCurator(settings, encoder=home.encoder, clock=lambda: home.now)
    with pytest.raises(ModelError):
        curator.undo(lisbon, **home.owner)
    assert home.rows() == before
    home.curator.undo(lisbon, **home.owner)
    assert home.listed("Lives in Lisbon.")["status"] == "active"


def test_a_run_that_indexes_an_older_version_looks_again(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    home.say(dog(0))
    memory_id, ctx = home.id("Has a dog called Max."), home.context()
    ctx.index.delete("memories", [memory_id])
    upsert = ctx.index.upsert

    def overtaken(name: str, rows: Any, vectors: Any) -> None:
        monkeypatch.setattr(ctx.index, "upsert", upsert)
        home.curator.forget(memory_id, **home.owner)  # another process, between this one's reading and writing
        upsert(name, rows, vectors)

    monkeypatch.setattr(ctx.index, "upsert", overtaken)
    index_days(ctx, ctx.lake.days("memory_versions"))
    assert not [c for c in home.found("dog Max") if "dog" in c]


# -- many hands

WRITER = """
import sys
from datetime import datetime, timedelta
from memory_pipeline_tests.stages.curated import Home, NOW
from pathlib import Path
home, number = Home(Path(sys.argv[1])), int(sys.argv[2])
home.curator._clock = lambda: NOW
shared = sys.argv[3]
for thing in ("stamps", "coins"):
    home.curator.remember(f"Collects {thing} of {('Peru', 'Chad')[number]}.", user_id="u", tenant_id="t")
    (home.curator.pin if number % 2 else home.curator.unpin)(shared, user_id="u", tenant_id="t")
"""


def test_processes_and_a_run_at_the_same_time_lose_nothing(home: Home) -> None:
    home.say(dog(0))
    shared = home.id("Has a dog called Max.")
    root = Path(__file__).parents[2]
    environment = {**os.environ, "PYTHONPATH": str(root)}
    processes = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(home.folder), str(n), shared], cwd=root, env=environment)
        for n in range(2)
    ]
    for day, city in enumerate(("Lisbon", "Porto", "Faro"), 1):
        home.say(residence(city, at(day)))
    assert [p.wait(120) for p in processes] == [0, 0]
    home.run()
    held = standing(home.rows())
    assert max(Counter((v.memory_id, v.version) for v in held).values()) == 1
    active = {m["content"] for m in home.reader.memories(**home.owner, status="active")}
    collected = {f"Collects {thing} of {land}." for thing in ("stamps", "coins") for land in ("Peru", "Chad")}
    assert active == collected | {"Has a dog called Max.", "Lives in Faro."}
    for memory_id in {v.memory_id for v in held}:
        chain = sorted((v for v in held if v.memory_id == memory_id), key=lambda v: v.version)
        assert [v.version for v in chain] == list(range(1, len(chain) + 1))
        assert [v.previous_version_id for v in chain[1:]] == [v.version_id for v in chain[:-1]]
    assert not home.run()


def test_a_user_whose_ledger_changed_during_a_replay_is_replayed_again(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.say(dog(0))
    memory_id = home.id("Has a dog called Max.")
    said = residence("Lisbon", at(1))
    ctx = home.context()
    ctx.lake.append("messages", [source(said)])
    ctx.lake.replace("proposals", said.day, [said])
    from memory_pipeline.stages.consolidation import user_batches

    settle, times = user_batches.settle, []

    async def slow(*given: Any) -> None:
        await settle(*given)
        if not times:
            home.curator.forget(memory_id, **home.owner)
        times.append(1)

    monkeypatch.setattr(user_batches, "settle", slow)
    consolidate(ctx, ctx.lake.days("proposals"))
    assert len(times) == 2
    assert {m["content"]: m["status"] for m in home.reader.memories(**home.owner)} == {
        "Has a dog called Max.": "archived",
        "Lives in Lisbon.": "active",
    }


def test_a_wait_says_what_it_waits_for(
    home: Home, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(locks, "_PATIENCE_S", 0.05)
    scope = Scope("t", "u")
    entered, done = threading.Event(), []

    def hold() -> None:
        with one_writer.one_writer(home.settings, [scope]), one_writer.one_writer(home.settings, [scope]):
            entered.set()
            threading.Event().wait(0.4)
            done.append("first")

    other = threading.Thread(target=hold)
    other.start()
    entered.wait()
    with caplog.at_level(logging.WARNING), one_writer.one_writer(home.settings, [scope, Scope("t", "v")]):
        done.append("second")
    other.join()
    assert done == ["first", "second"]
    assert "user 'u' of tenant 't'" in caplog.text
