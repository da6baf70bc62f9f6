"""A damaged file is named, with what to do about it; a file that another process replaces is none."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from memory_pipeline.cli.operations import doctor
from memory_pipeline.domain.message import Message
from memory_pipeline.errors import StorageError
from memory_pipeline.settings import Settings
from memory_pipeline.stages.context import StageContext
from memory_pipeline.storage.parquet.files import ROLLED
from memory_pipeline.storage.parquet.lake import Lake
from memory_pipeline.storage.parquet.layouts.roll_up import roll_up, sweep
from memory_pipeline.storage.parquet.schemas import DATASETS
from memory_pipeline_tests.factories import NOON, memory, message, residence


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-20])


def _empty(path: Path) -> None:
    path.write_bytes(b"")


def _flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[20:60] = bytes(b ^ 0xFF for b in data[20:60])
    path.write_bytes(data)


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    lake = Lake(str(tmp_path / "lake"))
    lake.append("messages", [message(f"Message {n}.", NOON, message_id=f"m{n}") for n in range(40)])
    lake.append("messages", [message("Tomorrow.", NOON + timedelta(days=1), message_id="next")])
    lake.append("memory_versions", [memory(residence("Lisbon"))])
    return lake


@pytest.mark.parametrize("damage", [_cut, _empty, _flip])
def test_the_error_names_the_file_and_says_what_to_do(lake: Lake, damage: Callable[[Path], None]) -> None:
    path, _ = lake.files("messages")
    damage(Path(path))
    with pytest.raises(StorageError) as raised:
        lake.read("messages", Message)
    assert str(raised.value).startswith(f"{path} is damaged (")
    assert "remove it and ingest the transcripts of that day again" in str(raised.value)
    with pytest.raises(StorageError, match="is damaged"):
        lake.columns("messages", lake.files("messages"), [f.name for f in DATASETS["messages"].schema])
    assert [m.message_id for m in lake.read("messages", Message, days=[NOON.date() + timedelta(days=1)])] == ["next"]


def test_a_damaged_file_that_was_rolled_up_is_named(lake: Lake) -> None:
    lake.append("messages", [message("One more.", NOON, message_id="more")])
    roll_up(lake, "messages", [NOON.date()])
    (rolled,) = (p for p in lake.files("messages") if ROLLED in p)
    _cut(Path(rolled))
    with pytest.raises(StorageError, match=f"{rolled} is damaged"):
        Lake(lake.root).read("messages", Message)


def test_doctor_finds_it(lake: Lake, tmp_path: Path) -> None:
    settings = Settings.load(home=str(tmp_path))
    look = dict(doctor.checks_of(StageContext(settings, "doctor", NOON)))["files"]
    assert look() == (True, "3 files of the lake are whole")
    (path,) = lake.files("memory_versions")
    _cut(Path(path))
    ok, detail = look()
    assert not ok and detail.startswith(f"{path} is damaged")
    assert "without what was done by hand on that day" in detail


def test_a_reader_beside_a_writer_that_replaces_files_never_fails(lake: Lake) -> None:
    """Amended, rolled up and swept without any grace, while somebody reads: forty messages every time."""
    day, failures, reads = NOON.date(), list[object](), 0
    done = threading.Event()

    def write() -> None:
        for n in range(25):
            first = lake.read("messages", Message, days=[day])[0]
            edited = replace(first, content=f"Edited {n}.", content_hash=f"{n:064}")
            lake.amend("messages", [edited], ("message_id",))
            lake.append("messages", [replace(first, content="Put again.")])
            roll_up(lake, "messages", [day])
            sweep(lake, "messages", [day], timedelta(0))
        done.set()

    thread = threading.Thread(target=write)
    thread.start()
    reader = Lake(lake.root)
    while not done.is_set():
        reads += 1
        try:
            found = {m.message_id for m in reader.read("messages", Message, days=[day])}
            if len(found) != 40:
                failures.append(len(found))
        except Exception as error:
            failures.append(error)
    thread.join()
    assert reads > 10 and not failures
