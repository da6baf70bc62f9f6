"""SIGTERM and Ctrl-C end a real `run` within seconds, whatever it is at; the next one finishes the work."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import dagster as dg
import pytest

from memory_pipeline.orchestration.dagster_home.instance import instance
from memory_pipeline.orchestration.runs.run import run
from memory_pipeline.settings import Settings
from memory_pipeline.stages.context import StageContext
from memory_pipeline_tests.factories import message

AT = datetime(2026, 3, 9, 12, tzinfo=UTC)
COMMAND = [sys.executable, "-m", "memory_pipeline.cli", "run", "--only", "proposals,memories"]
# A stage that hears nothing, as a native library that is busy for minutes, or a step that waits to be tried again.
DEAF = """
import sys, time
from memory_pipeline.stages.consolidation import consolidate

def deaf(*_):
    while True:
        try:
            print("deaf", flush=True)
            time.sleep(60)
        except BaseException:
            pass

consolidate.consolidate = deaf
sys.argv = ["memory-pipeline", "run", "--only", "proposals,memories"]
from memory_pipeline.cli import main
main()
"""
_PATIENCE_S = 60.0


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    monkeypatch.setenv("MEMORY_PIPELINE_HOME", str(tmp_path))
    monkeypatch.setenv("DAGSTER_HOME", "")
    settings = Settings.load()
    StageContext(settings, "test", AT).lake.append("messages", [message("I live in Lisbon.", AT)])
    return settings


@contextmanager
def _process(command: Sequence[str]) -> Iterator[subprocess.Popen[str]]:
    started = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    with started:
        try:
            yield started
        finally:
            started.kill()


def _until(wanted: Callable[[], object]) -> None:
    give_up = time.monotonic() + _PATIENCE_S
    while not wanted():
        assert time.monotonic() < give_up, "it did not come to that"
        time.sleep(0.1)


def _finishes(home: Settings) -> None:
    """The next run does not wait for the one that was stopped, and makes what that did not."""
    report = run(home, only=["proposals", "memories"])
    with instance(home) as dagster:
        (stopped,) = (r for r in dagster.get_runs() if r.run_id not in report.run_ids)
        assert stopped.status is dg.DagsterRunStatus.FAILURE
        found = dagster.event_log_storage.get_concurrency_info("memories")
        assert not found.claimed_slots and not found.pending_steps
    rows = StageContext(home, "test", AT).lake.sql("SELECT count(*) AS n FROM memory_versions").to_pylist()
    assert rows == [{"n": 1}]


def test_a_run_that_waits_for_its_place_sleeps_and_can_be_stopped(home: Settings) -> None:
    with instance(home) as dagster:
        log = dagster.event_log_storage
        log.initialize_concurrency_limit_to_default("memories")
        assert log.claim_concurrency_slot("memories", "another run", "memories").is_claimed
        with _process(COMMAND) as waiting:
            _until(lambda: [s for s in log.get_concurrency_info("memories").pending_steps if s.run_id != "another run"])
            (run_id,) = (r.run_id for r in dagster.get_runs())
            used = _cpu_s(waiting.pid)
            time.sleep(2.0)
            assert _cpu_s(waiting.pid) - used < 0.5, "it takes the core of the one that it waits for"
            waiting.send_signal(signal.SIGTERM)
            asked = time.monotonic()
            _, said = waiting.communicate(timeout=_PATIENCE_S)
            took = time.monotonic() - asked
        assert waiting.returncode == 130 and "stopped; what was finished is kept" in said
        assert took < 15.0
        assert dagster.get_run_by_id(run_id).status is dg.DagsterRunStatus.FAILURE  # type: ignore[union-attr]
        assert {s.run_id for s in log.get_concurrency_info("memories").pending_steps} <= {"another run"}
        log.free_concurrency_slots_for_run("another run")
    assert not list(Path(home.path("dagster", "running")).glob("*"))
    _finishes(home)


def test_a_run_that_hears_nothing_is_ended_and_marked(home: Settings) -> None:
    with _process([sys.executable, "-c", DEAF]) as deaf:
        assert deaf.stdout is not None and deaf.stdout.readline() == "deaf\n"
        deaf.send_signal(signal.SIGTERM)
        asked = time.monotonic()
        _, said = deaf.communicate(timeout=_PATIENCE_S)
        took = time.monotonic() - asked
    assert deaf.returncode == 130 and "stopped in the middle of a step" in said
    assert 4.0 < took < 25.0
    with dg.DagsterInstance.from_config(home.path("dagster")) as left:
        assert [r.status for r in left.get_runs()] == [dg.DagsterRunStatus.FAILURE], "at once, not by the next run"
        assert not left.event_log_storage.get_concurrency_info("memories").claimed_slots
    _finishes(home)


def _cpu_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def test_a_command_keeps_its_own_output_and_dagster_that_of_its_runs(home: Settings) -> None:
    with instance(home) as own, dg.DagsterInstance.get() as daemons:
        managers = [type(one.compute_log_manager).__name__ for one in (own, daemons)]
    assert managers == ["NoOpComputeLogManager", "LocalComputeLogManager"]
