"""Which runs still have a process. What kill -9 or a power cut leaves behind says "running" in Dagster for ever, and
holds its places in the concurrency pools: the next run would wait for it without end.
"""

from __future__ import annotations

import logging
import os
import signal
import time
from contextlib import suppress

import dagster as dg
from dagster._core.storage.tags import GRPC_INFO_TAG

from memory_pipeline.orchestration.processes.marks import OURS, has_died, marks, remove, works
from memory_pipeline.settings import Settings

_PATIENCE_S = 5.0
_LOOK_S = 0.1
_log = logging.getLogger(__name__)


def end_dead_runs(instance: dg.DagsterInstance, settings: Settings) -> list[str]:
    """Mark runs as failed whose process has died, and free what they hold of the pools. Returns their ids."""
    ended = []
    for mark in marks(settings):
        if not has_died(settings, mark.stem):
            continue
        run = instance.get_run_by_id(mark.stem)
        if run is not None:
            if not run.is_finished:
                ended.append(run.run_id)
                _log.info("run %s had died: marked as failed", run.run_id)
            _end(instance, run, "the process of this run has died")
        remove(mark)
    return ended


def stop_launched(instance: dg.DagsterInstance, settings: Settings, patience_s: float = _PATIENCE_S) -> list[str]:
    """Stop the runs of this home that a code server has launched, which goes down; it would wait for them without end.
    Those that somebody has started as a command go on. Returns the ids of what was stopped.

    Args:
        patience_s: seconds that their processes are given to end by themselves.
    """
    stopped: dict[str, int] = {}
    for mark in marks(settings):
        run = instance.get_run_by_id(mark.stem)
        if run is None or run.is_finished or GRPC_INFO_TAG not in run.tags or has_died(settings, mark.stem):
            continue
        instance.report_run_canceling(run)
        stopped[run.run_id] = int(mark.read_text())
        _send(stopped[run.run_id], signal.SIGTERM)
    until = time.monotonic() + patience_s
    while (there := [i for i in stopped if works(settings, i)]) and time.monotonic() < until:
        time.sleep(_LOOK_S)
    for run_id in there:
        _send(stopped[run_id], signal.SIGKILL)
    while any(works(settings, run_id) for run_id in there):
        time.sleep(_LOOK_S)
    end_dead_runs(instance, settings)
    return list(stopped)


def _send(pid: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, number)


def give_up(instance: dg.DagsterInstance) -> None:
    """Mark what this process works on as failed, and free what it holds of the pools: the process ends at once."""
    for run_id in sorted(OURS):
        run = instance.get_run_by_id(run_id)
        if run is not None:
            _end(instance, run, "somebody has stopped it, and it did not end by itself")


def _end(instance: dg.DagsterInstance, run: dg.DagsterRun, why: str) -> None:
    if not run.is_finished:
        instance.report_run_failed(run, why)
    instance.event_log_storage.free_concurrency_slots_for_run(run.run_id)
