"""Disks that are full and homes that cannot be written: what is told, and that it is no other error."""

from __future__ import annotations

import errno
import os
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from memory_pipeline import cli
from memory_pipeline.cli import trouble
from memory_pipeline.errors import MemoryPipelineError, StorageError


def _from(cause: BaseException, error: BaseException) -> BaseException:
    error.__cause__ = cause
    return error


FULL = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize(
    ("error", "advice"),
    [
        (_from(FULL, StorageError(f"cannot write /home/x: {FULL}")), trouble.FREE),
        (RuntimeError("lance error: LanceError(IO): write: No space left on device (os error 28)"), trouble.FREE),
        (_from(sqlite3.OperationalError("database or disk is full"), RuntimeError("run failed")), trouble.FREE),
        (MemoryPipelineError("memories failed: [Errno 28] No space left on device (run 1)"), trouble.FREE),
        (StorageError("cannot lock {home}/lake: [Errno 30] Read-only file system: '{home}/lake/.a'"), trouble.OPEN),
        (sqlite3.OperationalError("attempt to write a readonly database"), trouble.OPEN),
        (PermissionError(errno.EACCES, "Permission denied", "/elsewhere/transcript.jsonl"), None),
        (ValueError("a plain mistake"), None),
    ],
)
def test_the_machine_is_told_from_a_mistake(tmp_path: Path, error: Exception, advice: str | None) -> None:
    if "{home}" in str(error):
        error = type(error)(str(error).format(home=tmp_path))
    assert trouble.remedy(error, str(tmp_path)) == advice


def test_sqlite_that_only_says_io_is_understood_by_the_space_that_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    error = sqlite3.OperationalError("disk I/O error")
    assert trouble.remedy(error, str(tmp_path)) not in (None, trouble.FREE)
    monkeypatch.setattr(trouble, "_SPARE_BYTES", 1 << 62)
    assert trouble.remedy(error, str(tmp_path)) == trouble.FREE


def test_a_full_disk_is_one_line_and_a_mistake_keeps_its_traceback(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MEMORY_PIPELINE_HOME", str(tmp_path))

    def raising(error: Exception) -> None:
        def fail(**_: Any) -> None:
            raise error

        monkeypatch.setattr(cli, "_asked_for", lambda _: ("", fail))

    raising(RuntimeError("LanceError(IO): No space left on device (os error 28)\nbacktrace: …"))
    with pytest.raises(SystemExit) as left:
        cli.main()
    told = capsys.readouterr().err
    assert left.value.code == 1 and told.count("\n") == 1
    assert str(tmp_path) in told and trouble.FREE in told
    raising(ZeroDivisionError("division by zero"))
    with pytest.raises(ZeroDivisionError):
        cli.main()
