"""What a killed process leaves half written is removed, and what somebody is writing is not."""

from __future__ import annotations

import os
import time
from datetime import timedelta
from pathlib import Path

import pytest

from memory_pipeline.errors import StorageError
from memory_pipeline.settings import Settings
from memory_pipeline.storage.erasing.unfinished import remove_unfinished, unfinished
from memory_pipeline.storage.parquet.files import PARTIAL, Files

DAY = timedelta(days=1)
PLACES = (f"lake/{PARTIAL}/a.tmp", "recall/recall-1.jsonl.b.tmp", "quarantine/talks/.x.jsonl.7.tmp", "batches/.c.tmp")


def _left(home: Path, seconds_ago: float) -> None:
    for place in (*PLACES, "recall/recall-1.jsonl", "lake/messages/day=2026-03-01/a.parquet"):
        (home / place).parent.mkdir(parents=True, exist_ok=True)
        (home / place).write_text("half", encoding="utf-8")
        at = time.time() - seconds_ago
        os.utime(home / place, (at, at))


@pytest.mark.parametrize("days_ago", [2, -400])  # a clock that was put back makes the past look like the future
def test_what_lies_untouched_goes(tmp_path: Path, days_ago: int) -> None:
    _left(tmp_path, days_ago * DAY.total_seconds())
    settings = Settings.load(home=str(tmp_path))
    assert unfinished(settings, DAY) == sorted(str(tmp_path / place) for place in PLACES)
    assert remove_unfinished(settings, DAY) == len(PLACES)
    assert not list(tmp_path.rglob("*.tmp"))
    assert (tmp_path / "recall/recall-1.jsonl").exists() and list(tmp_path.rglob("*.parquet"))


def test_what_is_being_written_stays(tmp_path: Path) -> None:
    _left(tmp_path, 5)
    assert remove_unfinished(Settings.load(home=str(tmp_path)), DAY) == 0
    assert len(list(tmp_path.rglob("*.tmp"))) == len(PLACES)


def test_a_file_is_written_outside_the_datasets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """So that finding what was left takes a look at one folder, and not at one a day."""
    seen: list[str] = []
    monkeypatch.setattr(os, "fsync", lambda fd: seen.append(os.readlink(f"/proc/self/fd/{fd}")))
    files = Files(str(tmp_path))
    files.put("messages/day=2026-03-01/a.parquet", b"data")
    assert [Path(path).parent for path in seen] == [tmp_path / PARTIAL]
    assert (tmp_path / "messages/day=2026-03-01/a.parquet").read_bytes() == b"data"
    assert not list((tmp_path / PARTIAL).iterdir())


def test_a_full_disk_leaves_nothing_half_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    files = Files(str(tmp_path))
    files.put("messages/day=2026-03-01/part.parquet", b"before")
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StorageError, match="No space left on device"):
        files.put("messages/day=2026-03-01/part.parquet", b"after")
    assert (tmp_path / "messages/day=2026-03-01/part.parquet").read_bytes() == b"before"
    assert not list((tmp_path / PARTIAL).iterdir())


def test_removing_what_is_gone_is_no_error(tmp_path: Path) -> None:
    files = Files(str(tmp_path))
    files.put("messages/day=2026-03-01/a.parquet", b"data")
    (path,) = files.paths("messages")
    for _ in range(2):
        files.remove(path)
        files.remove("messages/day=2026-03-01/a.parquet")
    assert files.paths("messages") == []
