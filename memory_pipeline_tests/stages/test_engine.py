"""Stages in buckets of users: what several workers make, be some of them killed, is what one process makes."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

from memory_pipeline.domain.scope import Scope
from memory_pipeline.errors import SettingsError
from memory_pipeline.settings import Settings
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.engines.engine import LOCAL, Engine, open_engine
from memory_pipeline.stages.engines.user_buckets import Bucket, buckets, pieces, split
from memory_pipeline.stages.plan.registry import BY_NAME
from memory_pipeline.storage.parquet.staged_rows import StagedRows
from memory_pipeline_tests.factories import memory
from memory_pipeline_tests.stages.golden import made
from memory_pipeline_tests.stages.whole import Whole
from memory_pipeline_tests.store import WordEncoder

DAY = date(2026, 3, 4)
NOW = datetime(2026, 6, 20, 12, tzinfo=UTC)
STAGES = [BY_NAME[name] for name in ("message_vectors", "proposals", "memories", "daily_summaries", "weekly_summaries")]
LONG = 24  # turns of a session that has a summary of its own
SAID = (
    (2, "I live in Lisbon and I work at Acme as an engineer."),
    (2, "My dog is called Rex."),
    (4, "I moved to Porto last week."),
    (11, "Please never call me before nine. I really love climbing."),
)


class Workers:
    """An engine whose items are worked on elsewhere, each by a worker of its own that knows nothing of the others, and
    each twice: the first worker dies when it has written everything, before anybody has heard of it."""

    buckets = 3

    def __init__(self) -> None:
        self.asked: list[Any] = []

    def map(
        self, ctx: StageContext, function: Callable[[StageContext, Any], Any], items: Iterable[Any]
    ) -> Iterator[Any]:
        ahead = list(items)
        self.asked += ahead
        for item in ahead:
            work, given = pickle.loads(pickle.dumps((function, item)))
            for _ in range(2):
                worker = StageContext(ctx.settings, ctx.run_id, ctx.now)
                worker.encoder = WordEncoder()
                found = work(worker, given)
            yield pickle.loads(pickle.dumps(found))

    def close(self) -> None:
        """It holds nothing."""

    def describe(self) -> str:
        """Of these tests."""
        return "workers"


def _home(path: Path, engine: Engine) -> Whole:
    home = Whole(path / "home")
    path.mkdir()
    home.take(_lines(), NOW)
    ctx = home.ctx(NOW)
    ctx.engine = engine
    for stage in STAGES:
        home.make(ctx, stage.name)
    return home


def _lines() -> Iterator[Mapping[str, Any]]:
    for n in range(4):
        said = [(day, "s", content) for day, content in SAID[n % 2 :]]  # one name in every user's home
        said += [(12, "long", f"I saw film number {i}.") for i in range(LONG * (n == 1))]
        for i, (day, session, content) in enumerate(said):
            yield {
                "user_id": f"user-{n}",
                "session_id": session,
                "message_id": f"m{i}",
                "role": "user",
                "content": content,
                "created_at": f"2026-03-{day:02}T10:{n:02}:{i:02}+00:00",
            }


def test_workers_make_what_one_process_makes(tmp_path: Path) -> None:
    workers = Workers()
    here, apart = _home(tmp_path / "here", LOCAL), _home(tmp_path / "apart", workers)
    for stage in STAGES:
        assert made(here, stage) == made(apart, stage), stage.name
        assert made(here, stage), stage.name
    assert here.lake.sql("SELECT * FROM summaries WHERE grain = 'session'").num_rows == 1
    asked = [item.users for item in workers.asked if isinstance(item, Bucket)]
    assert len(set(asked)) > 1 and None not in asked, "users were split"


def test_users_are_split_into_neighbours_of_about_the_same_weight() -> None:
    weights = {Scope("t", f"u{n}"): 1 + 5 * (n == 3) for n in range(9)}
    found = split(weights, 3)
    assert [user for users in found for user in users] == sorted(weights)
    assert [sum(weights[user] for user in users) for users in found] == [9, 1, 4]
    assert split({}, 3) == []
    assert split({Scope("t", "u"): 7}, 3) == [(Scope("t", "u"),)]


def test_a_user_who_was_silent_is_in_a_bucket_where_asked_for(tmp_path: Path) -> None:
    home = Whole(tmp_path / "home")
    home.take(_lines(), NOW)
    ctx = home.ctx(NOW)
    silent = Scope("default", "silent")
    assert [bucket.users for bucket in buckets(ctx, [DAY])] == [None], "one process takes everybody"
    ctx.engine = Workers()
    found = buckets(ctx, [DAY], also=[silent])
    assert sorted(user for bucket in found for user in bucket.users or ()) == sorted(
        [silent, *(Scope("default", f"user-{n}") for n in range(4))]
    )
    assert len(found) == 3
    assert [bucket.users for bucket in buckets(ctx, [date(2026, 1, 1)])] == [None], "nobody wrote"


def test_what_a_broken_off_batch_has_staged_goes(tmp_path: Path) -> None:
    rows = StagedRows.of(Whole(tmp_path / "home").lake, "run")
    rows.begin("00001")
    rows.put("00001", "memory_versions", [memory()])
    assert rows.rows("memory_versions").num_rows == 1
    rows.begin("00001")
    assert rows.rows("memory_versions").num_rows == 0


def test_pieces_are_bounded_and_as_many_as_there_are_workers() -> None:
    assert list(map(len, pieces(range(10), 2048, 3))) == [4, 4, 2]
    assert list(map(len, pieces(range(10), 2, 3))) == [2] * 5
    assert pieces([], 5, 3) == []


def test_the_engine_is_local_unless_ray_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert open_engine(Settings(home=str(tmp_path))) is LOCAL
    assert open_engine(Settings(home=str(tmp_path), engine="ray", chat="openai", chat_batch=True)) is LOCAL
    monkeypatch.setitem(sys.modules, "ray", None)
    engine = open_engine(Settings(home=str(tmp_path), engine="ray"))
    with pytest.raises(SettingsError, match=r"pip install 'memory-pipeline\[ray\]'"):
        _ = engine.buckets
