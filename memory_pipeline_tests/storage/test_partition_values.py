"""A value for each partition is worked out again when its files have changed, and only then."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from memory_pipeline.storage.parquet.lake import Lake
from memory_pipeline.storage.parquet.partition_values import by_partition
from memory_pipeline_tests.factories import NOON, message

FIRST = NOON.date()
SECOND = FIRST + timedelta(days=1)


class Counted:
    """Counts the messages of partitions, and notes which were looked at."""

    def __init__(self, lake: Lake) -> None:
        self.lake = lake
        self.asked: list[date] = []

    def __call__(self, days: Collection[date]) -> dict[date, int]:
        self.asked += sorted(days)
        rows = self.lake.sql("SELECT day, count(*) AS n FROM messages GROUP BY day", days={"messages": days})
        return dict(zip(rows["day"].to_pylist(), rows["n"].to_pylist(), strict=True))


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    lake = Lake(str(tmp_path / "lake"))
    lake.append("messages", [message("one"), message("two", NOON + timedelta(days=1))])
    return lake


def settle(lake: Lake, days: Iterable[date] = (FIRST, SECOND)) -> None:
    """As if the partitions had been written an hour ago."""
    for day in days:
        folder = Path(lake.store.base) / "messages" / f"day={day}"
        then = folder.stat().st_mtime - 3600
        os.utime(folder, (then, then))


def ask(lake: Lake, kind: str = "n", **more: Any) -> tuple[dict[date, int], list[date]]:
    counted = Counted(lake)
    return by_partition(lake, "counts", kind, "messages", counted, **more), counted.asked


def test_only_changed_partitions_are_looked_at_again(lake: Lake) -> None:
    settle(lake)
    assert ask(lake) == ({FIRST: 1, SECOND: 1}, [FIRST, SECOND])
    assert ask(lake) == ({FIRST: 1, SECOND: 1}, [])
    lake.append("messages", [message("three", NOON + timedelta(days=1, hours=1))])
    assert ask(lake) == ({FIRST: 1, SECOND: 2}, [SECOND])


def test_no_note_is_kept_of_a_partition_that_just_changed(lake: Lake) -> None:
    settle(lake, [FIRST])
    ask(lake)
    assert ask(Lake(lake.root))[1] == [SECOND], "another process could not tell whether it changed again"


def test_a_partition_that_just_changed_is_looked_at_again_once_its_files_are_others(lake: Lake) -> None:
    assert ask(lake)[1] == [FIRST, SECOND]
    assert ask(lake) == ({FIRST: 1, SECOND: 1}, [])
    assert ask(lake, reach=1)[1] == [FIRST, SECOND, SECOND + timedelta(days=1)], "another kind of value"
    lake.replace("messages", FIRST, [message("four"), message("five")])
    assert ask(lake) == ({FIRST: 3, SECOND: 1}, [FIRST])
    stat = os.stat(lake.files("messages", [FIRST])[-1])
    lake.replace("messages", FIRST, [message("four"), message("nine")])  # of the same size, within the same tick
    os.utime(lake.files("messages", [FIRST])[-1], ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert ask(lake) == ({FIRST: 3, SECOND: 1}, [FIRST])
    assert ask(lake, beside="other") == ({FIRST: 3, SECOND: 1}, [FIRST, SECOND])


def test_another_kind_starts_anew(lake: Lake) -> None:
    settle(lake)
    ask(lake)
    assert ask(lake, "other")[1] == [FIRST, SECOND]


def test_days_before_count_where_values_reach_back(lake: Lake) -> None:
    settle(lake)
    ask(lake, reach=1)
    assert ask(lake, reach=1)[1] == []
    lake.append("messages", [message("three", NOON + timedelta(hours=1))])
    settle(lake, [FIRST])
    assert ask(lake, reach=1)[1] == [FIRST, SECOND]


def test_what_stands_beside_moves_the_partitions_it_names(lake: Lake) -> None:
    settle(lake)
    seen: list[Any] = []

    def moved(before: Any) -> list[date]:
        seen.append(before)
        return [SECOND]

    ask(lake, beside=["a"])
    assert ask(lake, beside=["a"], moved=moved)[1] == []
    assert ask(lake, beside=["b"], moved=moved)[1] == [SECOND]
    assert seen == [["a"]]


@pytest.mark.parametrize("damage", [lambda p: p.write_bytes(b"{"), lambda p: p.write_text("[]"), Path.unlink])
def test_a_lost_note_is_made_again(lake: Lake, damage: Callable[[Path], object]) -> None:
    settle(lake)
    ask(lake)
    damage(Path(lake.store.base) / ".notes" / "partitions.counts.json")
    assert ask(lake)[0] == {FIRST: 1, SECOND: 1}
    assert ask(lake)[1] == []


def test_a_removed_partition_has_no_value(lake: Lake) -> None:
    settle(lake)
    ask(lake)
    for path in lake.files("messages", [FIRST]):
        Path(path).unlink()
    assert ask(lake)[0] == {SECOND: 1}
