"""Which runs still have a process. What kill -9 or a power cut leaves behind says "running" in Dagster for ever, and
holds its places in the concurrency pools: the next run would wait for it without end.

A run's process holds a lock file as long as it lives; the kernel lets go of it however the process ends.
"""

from __future__ import annotations

import logging
import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import dagster as dg
from dagster._core.storage.tags import GRPC_INFO_TAG

from memory_pipeline.settings import Settings

_FOLDER = "running"
_MARK = ".run"
_PATIENCE_S = 5.0
_LOOK_S = 0.1
_OURS: set[str] = set()  # runs whose lock this process holds
_log = logging.getLogger(__name__)


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
    if folder is None or run_id in _OURS:
        yield
        return
    from filelock import FileLock

    folder.mkdir(parents=True, exist_ok=True)
    mark = folder / f"{run_id}{_MARK}"
    with FileLock(mark.with_suffix(".lock"), thread_local=False):
        mark.write_text(str(os.getpid()))  # only now: whoever sees the mark may try the lock
        _OURS.add(run_id)
        try:
            yield
        finally:
            _OURS.discard(run_id)
        mark.unlink(missing_ok=True)
        mark.with_suffix(".lock").unlink(missing_ok=True)


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


def end_dead_runs(instance: dg.DagsterInstance, settings: Settings) -> list[str]:
    """Mark runs as failed whose process has died, and free what they hold of the pools. Returns their ids."""
    folder = _folder(settings)
    marks = sorted(folder.glob(f"*{_MARK}")) if folder is not None else []
    ended = []
    for mark in marks:
        if not has_died(settings, mark.stem):
            continue
        run = instance.get_run_by_id(mark.stem)
        if run is not None:
            if not run.is_finished:
                ended.append(run.run_id)
                _log.info("run %s had died: marked as failed", run.run_id)
            _end(instance, run, "the process of this run has died")
        mark.unlink(missing_ok=True)
        mark.with_suffix(".lock").unlink(missing_ok=True)
    return ended


def stop_launched(instance: dg.DagsterInstance, settings: Settings, patience_s: float = _PATIENCE_S) -> list[str]:
    """Stop the runs of this home that a code server has launched, which goes down; it would wait for them without end.
    Those that somebody has started as a command go on. Returns the ids of what was stopped.

    Args:
        patience_s: seconds that their processes are given to end by themselves.
    """
    folder = _folder(settings)
    stopped: dict[str, int] = {}
    for mark in sorted(folder.glob(f"*{_MARK}")) if folder is not None else []:
        run = instance.get_run_by_id(mark.stem)
        if run is None or run.is_finished or GRPC_INFO_TAG not in run.tags or has_died(settings, mark.stem):
            continue
        instance.report_run_canceling(run)
        stopped[run.run_id] = int(mark.read_text())
        _send(stopped[run.run_id], signal.SIGTERM)
    until = time.monotonic() + patience_s
    while (there := [i for i in stopped if _works(settings, i)]) and time.monotonic() < until:
        time.sleep(_LOOK_S)
    for run_id in there:
        _send(stopped[run_id], signal.SIGKILL)
    while any(_works(settings, run_id) for run_id in there):
        time.sleep(_LOOK_S)
    end_dead_runs(instance, settings)
    return list(stopped)


def _works(settings: Settings, run_id: str) -> bool:
    folder = _folder(settings)
    return folder is not None and (folder / f"{run_id}{_MARK}").exists() and not has_died(settings, run_id)


def _send(pid: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, number)


def give_up(instance: dg.DagsterInstance) -> None:
    """Mark what this process works on as failed, and free what it holds of the pools: the process ends at once."""
    for run_id in sorted(_OURS):
        run = instance.get_run_by_id(run_id)
        if run is not None:
            _end(instance, run, "somebody has stopped it, and it did not end by itself")


def _end(instance: dg.DagsterInstance, run: dg.DagsterRun, why: str) -> None:
    if not run.is_finished:
        instance.report_run_failed(run, why)
    instance.event_log_storage.free_concurrency_slots_for_run(run.run_id)
