"""Rolling a day up changes no row, whoever reads, adds or amends meanwhile, and wherever it is stopped."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from memory_pipeline.domain.ids import content_hash
from memory_pipeline.domain.message import Message
from memory_pipeline.storage.parquet.files import ROLLED
from memory_pipeline.storage.parquet.lake import Lake
from memory_pipeline.storage.parquet.layouts.roll_up import roll_up, sweep
from memory_pipeline_tests.factories import NOON, message

DAY = NOON.date()
NOW = timedelta(0)


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    lake = Lake(str(tmp_path / "lake"))
    for n in range(4):
        lake.append("messages", [said(n)])
    return lake


def said(n: int) -> Message:
    return message(f"message {n}", NOON + timedelta(minutes=n))


def contents(lake: Lake) -> list[str]:
    return [m.content for m in lake.read("messages", Message)]


def on_disk(lake: Lake) -> list[Path]:
    return sorted((Path(lake.store.base) / "messages" / f"day={DAY}").glob("*.parquet"))


def test_a_day_becomes_one_file_with_the_same_rows(lake: Lake) -> None:
    before = lake.read("messages", Message)
    assert roll_up(lake, "messages", [DAY]) == 1
    assert (len(lake.files("messages")), len(on_disk(lake))) == (1, 5)
    assert lake.read("messages", Message) == before
    assert sweep(lake, "messages", [DAY], timedelta(hours=1)) == 0
    assert sweep(lake, "messages", [DAY], NOW) == 4
    assert len(on_disk(lake)) == 1 and Lake(lake.root).read("messages", Message) == before
    assert roll_up(lake, "messages", [DAY]) == 0


def test_a_reader_that_listed_the_old_files_can_read_them(lake: Lake) -> None:
    listed = lake.files("messages")
    roll_up(lake, "messages", [DAY])
    query = "SELECT count(*) AS n FROM listed"
    assert lake.sql(query, files={"listed": ("messages", listed)})["n"].to_pylist() == [4]


def test_what_comes_later_is_read_beside_it_and_rolled_up_with_it(lake: Lake) -> None:
    roll_up(lake, "messages", [DAY])
    lake.append("messages", [said(9)])
    assert contents(lake) == ["message 0", "message 1", "message 2", "message 3", "message 9"]
    assert roll_up(lake, "messages", [DAY]) == 1
    assert contents(lake)[-1] == "message 9" and len(lake.files("messages")) == 1
    sweep(lake, "messages", [DAY], NOW)
    assert len(on_disk(lake)) == 1 and len(contents(lake)) == 5


def test_rows_that_are_written_once_more_stay_single(lake: Lake) -> None:
    roll_up(lake, "messages", [DAY])
    sweep(lake, "messages", [DAY], NOW)
    lake.append("messages", [said(2)])
    assert len(contents(lake)) == 4
    assert sweep(lake, "messages", [DAY], NOW) == 1


@pytest.mark.parametrize("swept", [False, True])
def test_an_amended_file_still_stands_for_the_others(lake: Lake, swept: bool) -> None:
    roll_up(lake, "messages", [DAY])
    if swept:
        sweep(lake, "messages", [DAY], NOW)
    edited = replace(said(1), content="edited", content_hash=content_hash("user", "edited"))
    lake.amend("messages", [edited], ("message_id",))
    again = Lake(lake.root)
    assert contents(again) == ["message 0", "edited", "message 2", "message 3"]
    assert sweep(again, "messages", [DAY], NOW) == (0 if swept else 4)


def test_days_with_one_file_stay_as_they_are(lake: Lake) -> None:
    other = DAY + timedelta(days=1)
    lake.append("messages", [message("alone", NOON + timedelta(days=1))])
    assert roll_up(lake, "messages", [other, DAY + timedelta(days=7)]) == 0
    assert not any(Path(p).name.startswith(ROLLED) for p in lake.files("messages"))
