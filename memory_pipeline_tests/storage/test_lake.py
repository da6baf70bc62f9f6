from __future__ import annotations

import multiprocessing
import os
import threading
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from memory_pipeline.domain.ledger.memory import MemoryVersion
from memory_pipeline.domain.message import Message
from memory_pipeline.domain.proposal import Proposal
from memory_pipeline.errors import QueryError, StorageError
from memory_pipeline.settings import Settings
from memory_pipeline.storage.parquet.arrow_rows import from_table, to_table
from memory_pipeline.storage.parquet.lake import Lake
from memory_pipeline.storage.queries.console import query
from memory_pipeline_tests.factories import NOON, memory, message, proposal, residence


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return Lake(str(tmp_path / "lake"))


def test_rows_come_back_as_they_went(lake: Lake) -> None:
    one = memory(residence("Lisbon", due_at=NOON + timedelta(days=1)))
    said = proposal("Naïve café — 東京 🗼 'quoted'; DROP TABLE")
    assert from_table(to_table([one], MemoryVersion), MemoryVersion) == [one]
    lake.append("memory_versions", [one])
    lake.append("proposals", [said])
    (back,) = lake.read("memory_versions", MemoryVersion)
    assert back == one and back.observed_at.tzinfo is UTC
    assert lake.read("proposals", Proposal) == [said]


def test_appending_the_same_rows_twice_leaves_one_file(lake: Lake) -> None:
    rows = [message(f"message {n}", NOON + timedelta(minutes=n)) for n in range(5)]
    lake.append("messages", rows)
    lake.append("messages", list(reversed(rows)))
    assert len(lake.files("messages")) == 1
    assert len(lake.read("messages", Message)) == 5


def test_a_partition_is_replaced_as_a_whole(lake: Lake) -> None:
    lake.replace("proposals", NOON.date(), [proposal("first"), proposal("second")])
    lake.replace("proposals", NOON.date(), [proposal("third")])
    assert [p.content for p in lake.read("proposals", Proposal)] == ["third"]
    lake.replace("proposals", NOON.date(), [])
    assert lake.files("proposals") == []


def test_only_the_named_days_are_read(lake: Lake) -> None:
    lake.append("messages", [message("x", NOON + timedelta(days=n)) for n in range(4)])
    days = [NOON.date() + timedelta(days=n) for n in (1, 3)]
    assert [m.day for m in lake.read("messages", Message, days=days)] == days
    assert lake.days("messages") == [NOON.date() + timedelta(days=n) for n in range(4)]


def test_values_are_parameters(lake: Lake) -> None:
    lake.append("messages", [message("x", user_id="o'hara; --"), message("y", user_id="plain")])
    found = lake.read("messages", Message, where="user_id = $user", params={"user": "o'hara; --"})
    assert [m.content for m in found] == ["x"]


def test_an_empty_lake_answers(lake: Lake) -> None:
    assert lake.sql("SELECT count(*) AS n FROM messages").to_pylist() == [{"n": 0}]
    assert lake.days("messages") == [] and lake.files("messages") == []


def test_files_carry_their_schema_version(lake: Lake) -> None:
    lake.append("messages", [message()])
    metadata = pq.read_schema(lake.files("messages")[0]).metadata
    assert metadata[b"memory_pipeline.dataset"] == b"messages"
    assert metadata[b"memory_pipeline.schema_version"] == b"2"


def test_a_failed_write_leaves_nothing(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*args: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(StorageError, match="No space left"):
        lake.append("messages", [message()])
    assert list(Path(lake.root).rglob("*.parquet")) == [] and list(Path(lake.root).rglob("*.tmp")) == []


def test_threads_do_not_see_each_other_s_tables(lake: Lake) -> None:
    lake.append("messages", [message("x")])
    wrong: list[object] = []

    def ask(n: int) -> None:
        for _ in range(20):
            table = to_table([message("x", user_id=f"user-{n}")], Message)
            found = lake.sql("SELECT mine.user_id FROM mine, messages", tables={"mine": table})["user_id"].to_pylist()
            if found != [f"user-{n}"]:
                wrong.append(found)

    threads = [threading.Thread(target=ask, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def _write_many(root: str, writer: int) -> None:
    lake = Lake(root)
    for n in range(5):
        lake.append("messages", [message(f"{writer}-{n}", NOON, message_id=f"{writer}-{n}")])


def test_processes_write_beside_each_other(lake: Lake) -> None:
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=_write_many, args=(lake.root, n)) for n in range(3)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
        assert writer.exitcode == 0
    assert len(lake.read("messages", Message)) == 15


def test_an_unreadable_root_is_said_so() -> None:
    with pytest.raises(StorageError, match="cannot open the lake"):
        Lake("nonsense://somewhere")


def _home(tmp_path: Path) -> Settings:
    settings = Settings.load(home=str(tmp_path))
    first = memory(residence("Lisbon"))
    Lake(settings.path("lake")).append("memory_versions", [first, replace(first, version=2, version_id="v2")])
    return settings


def test_the_console_reads_views(tmp_path: Path) -> None:
    settings = _home(tmp_path)
    found = query(settings, "SELECT content, version FROM memories").to_pylist()
    assert found == [{"content": "Lives in Lisbon.", "version": 2}]
    assert query(settings, "SELECT count(*) AS n FROM memory_versions").to_pylist() == [{"n": 2}]


@pytest.mark.parametrize(
    "text",
    [
        "DROP VIEW memories",
        "SELECT 1; SELECT 2",
        "COPY (SELECT 1) TO 'out.csv'",
        "SELECT * FROM read_csv('/etc/passwd')",
        "ATTACH 'x.db'",
        "SELEC",
    ],
)
def test_the_console_only_reads_the_lake(tmp_path: Path, text: str) -> None:
    with pytest.raises(QueryError):
        query(_home(tmp_path), text)


def test_dates_are_dates(lake: Lake) -> None:
    lake.append("memory_versions", [memory(proposal("x" * 9, at=datetime(2026, 12, 31, 23, 59, tzinfo=UTC)))])
    (row,) = lake.read("memory_versions", MemoryVersion)
    assert row.day == date(2026, 12, 31)
