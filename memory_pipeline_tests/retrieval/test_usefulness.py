from __future__ import annotations

import os
import random
from datetime import date, timedelta
from typing import Any

import pytest

from memory_pipeline.domain.scope import Scope
from memory_pipeline.retrieval.store import usefulness as module
from memory_pipeline.retrieval.store.usefulness import RecentUsefulness, usefulness
from memory_pipeline.storage.parquet.schemas import Usefulness
from memory_pipeline_tests.store import NOW, Store

FIRST = date(2026, 3, 1)


def read_days(home: Store, monkeypatch: pytest.MonkeyPatch) -> list[set[date]]:
    """The days of usefulness that are read from here on."""
    read: list[set[date]] = []
    query = home.lake.sql

    def watched(text: str, *given: Any, days: Any = None, **more: Any) -> Any:
        read.append(set(days["usefulness"]))
        return query(text, *given, days=days, **more)

    monkeypatch.setattr(module, "_KEPT_SECONDS", 0)
    monkeypatch.setattr(home.lake, "sql", watched)
    return read


def settle(home: Store) -> None:
    """Everything was written an hour ago, so that a file's time tells whether it has changed since."""
    for folder in (home.home / "lake").glob("usefulness/day=*"):
        then = folder.stat().st_mtime_ns - 3600 * 10**9
        os.utime(folder, ns=(then, then))


def test_days_that_did_not_change_are_not_read_again(own_home: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    days = [FIRST + timedelta(n) for n in range(4)]
    for day in days[:3]:
        own_home.usefulness(f"mem_{day.day}", day, access_count=day.day)
    read, scope = read_days(own_home, monkeypatch), Scope(own_home.tenant_id, own_home.user_id)
    recent = RecentUsefulness(own_home.lake)
    settle(own_home)
    recent.of(scope, NOW)
    recent.of(scope, NOW)
    own_home.usefulness("mem_1", days[3], access_count=9)
    found = recent.of(scope, NOW)
    assert read == [set(days[:3]), {days[3]}]
    assert {i: row.access_count for i, row in found.items()} == {"mem_1": 9, "mem_2": 2, "mem_3": 3}


@pytest.mark.parametrize("seed", [1, 2])
def test_whatever_changes_it_is_what_a_reading_of_all_days_gives(
    own_home: Store, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    draw, users = random.Random(seed), [own_home.of(name) for name in ("ann", "bob")]
    monkeypatch.setattr(module, "_KEPT_SECONDS", 0)
    recent = RecentUsefulness(own_home.lake)
    for _ in range(15):
        day, user = FIRST + timedelta(draw.randrange(5)), draw.choice(users)
        there = (
            own_home.lake.read("usefulness", Usefulness, days=[day]) if day in own_home.lake.days("usefulness") else []
        )
        rows = [row for row in there if row.user_id != user.user_id]  # a day is made anew, with or without the user
        for item in draw.sample(["mem_1", "mem_2", "mem_3"], draw.randrange(3)):
            rows.append(Usefulness(item, user.tenant_id, user.user_id, day, draw.randrange(100), NOW, 0, 0, 0.5))
        own_home.lake.replace("usefulness", day, rows)
        if draw.random() < 0.7:
            settle(own_home)
        for owner in users:
            scope = Scope(owner.tenant_id, owner.user_id)
            assert recent.of(scope, NOW) == usefulness(own_home.lake, scope, NOW)
