"""Marks of the runs that have a process: a lock file that its process holds as long as it lives; the kernel lets go of
it however the process ends."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from memory_pipeline.settings import Settings

OURS: set[str] = set()
"""Runs whose lock this process holds."""
_FOLDER = "running"
_MARK = ".run"


def marks(settings: Settings) -> list[Path]:
    """The marks that are there, those of the dead included: each is named after its run and holds a process id."""
    folder = _folder(settings)
    return sorted(folder.glob(f"*{_MARK}")) if folder is not None else []


def remove(mark: Path) -> None:
    """Remove a mark, and its lock."""
    mark.unlink(missing_ok=True)
    mark.with_suffix(".lock").unlink(missing_ok=True)


def _folder(settings: Settings) -> Path | None:
    """Where the locks are: beside Dagster's own files; None where the home has no local folder."""
    return None if settings.remote else Path(settings.path("dagster", _FOLDER))


@contextmanager
def alive(settings: Settings, run_id: str) -> Iterator[None]:
    """Hold a run's lock while its process works on it; in it, the same run may be held again.

    A run that ends by an exception keeps its mark: what it said of itself may not have been written (the disk is full),
    and the next one puts it in order as if its process had died.
    """
    folder = _folder(settings)
    if folder is None or run_id in OURS:
        yield
        return
    from filelock import FileLock

    folder.mkdir(parents=True, exist_ok=True)
    mark = folder / f"{run_id}{_MARK}"
    with FileLock(mark.with_suffix(".lock"), thread_local=False):
        mark.write_text(str(os.getpid()))  # only now: whoever sees the mark may try the lock
        OURS.add(run_id)
        try:
            yield
        finally:
            OURS.discard(run_id)
        remove(mark)


def has_died(settings: Settings, run_id: str) -> bool:
    """Whether a run's process is gone without having finished. False also where nothing is known of it: its process
    works on another machine, or has not begun."""
    folder = _folder(settings)
    if folder is None or not (mark := folder / f"{run_id}{_MARK}").exists():
        return False
    from filelock import FileLock, Timeout

    try:
        with FileLock(mark.with_suffix(".lock"), timeout=0, thread_local=False):
            return mark.exists()
    except Timeout:
        return False


def works(settings: Settings, run_id: str) -> bool:
    """Whether a run has a process on this machine."""
    folder = _folder(settings)
    return folder is not None and (folder / f"{run_id}{_MARK}").exists() and not has_died(settings, run_id)
