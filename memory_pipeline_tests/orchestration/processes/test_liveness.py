"""What kill -9 leaves of a run, and that the next run does not wait for it."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import dagster as dg
import pytest
from dagster._core.storage.tags import GRPC_INFO_TAG
from dagster._core.test_utils import create_run_for_test

from memory_pipeline.orchestration.dagster_home.instance import instance
from memory_pipeline.orchestration.processes.liveness import end_dead_runs, stop_launched
from memory_pipeline.orchestration.processes.marks import alive, has_died
from memory_pipeline.orchestration.runs.run import run
from memory_pipeline.settings import Settings
from memory_pipeline.stages.context import StageContext
from memory_pipeline_tests.factories import message

AT = datetime(2026, 3, 9, 12, tzinfo=UTC)
# A run that is killed inside the step which has its pool's only place.
KILLED = """
import os, signal
from memory_pipeline.orchestration.runs.run import run
from memory_pipeline.settings import Settings
from memory_pipeline.stages.consolidation import consolidate
consolidate.consolidate = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
run(Settings.load(), only=["proposals", "memories"])
"""


def test_a_killed_run_is_marked_as_failed_and_gives_up_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMORY_PIPELINE_HOME", str(tmp_path))
    monkeypatch.setenv("DAGSTER_HOME", "")
    settings = Settings.load()
    StageContext(settings, "test", AT).lake.append("messages", [message("I live in Lisbon.", AT)])
    killed = subprocess.run([sys.executable, "-c", KILLED], env=dict(os.environ), timeout=120)
    assert killed.returncode == -signal.SIGKILL

    with dg.DagsterInstance.from_config(str(tmp_path / "dagster")) as left:
        (dead,) = left.get_runs()
        assert dead.status is dg.DagsterRunStatus.STARTED and has_died(settings, dead.run_id)
        assert left.run_launcher.check_run_worker_health(dead).status.value == "FAILED"
        assert left.event_log_storage.get_concurrency_info("memories").claimed_slots

    report = run(settings, only=["proposals", "memories"])  # without the above, it would wait here for ever
    with instance(settings) as found:
        statuses = {r.run_id: r.status for r in found.get_runs()}
        assert statuses.pop(dead.run_id) is dg.DagsterRunStatus.FAILURE
        assert list(statuses) == report.run_ids and set(statuses.values()) == {dg.DagsterRunStatus.SUCCESS}
        assert not found.event_log_storage.get_concurrency_info("memories").claimed_slots
    rows = StageContext(settings, "test", AT).lake.sql("SELECT count(*) AS n FROM memory_versions").to_pylist()
    assert rows == [{"n": 1}]


def test_a_run_at_work_and_one_of_elsewhere_are_left_alone(tmp_path: Path) -> None:
    settings = Settings.load(home=str(tmp_path))
    with dg.instance_for_test() as instance, alive(settings, "at-work"):
        assert not has_died(settings, "at-work") and not has_died(settings, "of another machine")
        assert end_dead_runs(instance, settings) == []
        assert list((tmp_path / "dagster" / "running").glob("*.run"))
    assert not list((tmp_path / "dagster" / "running").iterdir()), "a finished run leaves nothing behind"


def test_a_run_that_could_not_write_its_end_is_put_in_order_by_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a full disk Dagster cannot log that a run has failed, nor give back its place in the pool."""
    monkeypatch.setenv("MEMORY_PIPELINE_HOME", str(tmp_path))
    monkeypatch.setenv("DAGSTER_HOME", "")
    settings = Settings.load()
    StageContext(settings, "test", AT).lake.append("messages", [message("I live in Lisbon.", AT)])
    with instance(settings) as dagster:
        store_event = type(dagster.event_log_storage).store_event

    def full(storage: object, event: dg.EventLogEntry) -> None:
        about = event.dagster_event
        if about is not None and about.step_key == "memories" and about.event_type_value != "STEP_START":
            raise sqlite3.OperationalError("database or disk is full")
        store_event(storage, event)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(type(dagster.event_log_storage), "store_event", full)
        with pytest.raises(sqlite3.OperationalError):
            run(settings, only=["proposals", "memories"])
    report = run(settings, only=["proposals", "memories"])  # without the mark it would wait for the place for ever
    with instance(settings) as found:
        assert {r.status for r in found.get_runs() if r.run_id not in report.run_ids} == {dg.DagsterRunStatus.FAILURE}
    rows = StageContext(settings, "test", AT).lake.sql("SELECT count(*) AS n FROM memory_versions").to_pylist()
    assert rows == [{"n": 1}]


# A process of a run, as far as it matters here.
AT_WORK = """
import signal, sys, time
from memory_pipeline.orchestration.processes.marks import alive
from memory_pipeline.settings import Settings
if sys.argv[2] == "deaf":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
with alive(Settings(home=sys.argv[1]), sys.argv[3]):
    print("at work", flush=True)
    time.sleep(60)
"""


def test_runs_of_a_code_server_that_goes_down_end_with_it(tmp_path: Path) -> None:
    settings = Settings(home=str(tmp_path))
    with dg.instance_for_test() as dagster:
        kinds = {"hears": {GRPC_INFO_TAG: "{}"}, "deaf": {GRPC_INFO_TAG: "{}"}, "command": {}}
        runs = {
            kind: create_run_for_test(dagster, job_name="j", status=dg.DagsterRunStatus.STARTED, tags=tags).run_id
            for kind, tags in kinds.items()
        }
        there = {
            kind: subprocess.Popen(
                [sys.executable, "-c", AT_WORK, settings.home, kind, run_id], stdout=subprocess.PIPE, text=True
            )
            for kind, run_id in runs.items()
        }
        try:
            for process in there.values():
                assert process.stdout is not None and process.stdout.readline() == "at work\n"
            assert sorted(stop_launched(dagster, settings, patience_s=1.0)) == sorted((runs["hears"], runs["deaf"]))
            assert there["hears"].wait(10) == -signal.SIGTERM and there["deaf"].wait(10) == -signal.SIGKILL
            assert there["command"].poll() is None
            statuses = {kind: dagster.get_run_by_id(run_id).status for kind, run_id in runs.items()}  # type: ignore[union-attr]
            ended, at_work = dg.DagsterRunStatus.FAILURE, dg.DagsterRunStatus.STARTED
            assert statuses == {"hears": ended, "deaf": ended, "command": at_work}
        finally:
            for process in there.values():
                with process:
                    process.kill()
