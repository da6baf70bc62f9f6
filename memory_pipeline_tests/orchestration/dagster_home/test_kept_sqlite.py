"""Dagster's SQLite files behind connections that stay open."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import dagster as dg
import pytest
import sqlalchemy as db
from dagster._core.storage.event_log.base import EventLogStorage
from dagster._core.storage.sqlite_storage import DagsterSqliteStorage

from memory_pipeline.orchestration.dagster_home.instance import instance
from memory_pipeline.orchestration.kept_sqlite import Engines, KeptEventLog
from memory_pipeline.settings import Settings


@dg.op
def _nothing() -> None:
    return None


@dg.job
def _job() -> None:
    _nothing()


def _events(log: EventLogStorage, run_id: str) -> list[str]:
    return [str(e.dagster_event_type) for e in log.get_logs_for_run(run_id) if e.dagster_event]


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    for name in ("DAGSTER_HOME", "MEMORY_PIPELINE_HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    return Settings.load(home=str(tmp_path), chat="builtin", encoder="builtin")


def test_dagsters_own_class_reads_what_was_stored_and_the_other_way_round(settings: Settings) -> None:
    with instance(settings) as opened:
        assert isinstance(opened.event_log_storage, KeptEventLog)
        run_id = _job.execute_in_process(instance=opened).run_id
        told = _events(opened.event_log_storage, run_id)
    folder = settings.path("dagster")
    own = DagsterSqliteStorage(folder)
    assert "DagsterEventType.RUN_SUCCESS" in told and _events(own.event_log_storage, run_id) == told
    assert own.run_storage.has_run(run_id)
    with dg.DagsterInstance.local_temp(folder) as theirs:
        other = _job.execute_in_process(instance=theirs).run_id
    with instance(settings) as opened:
        assert "DagsterEventType.RUN_SUCCESS" in _events(opened.event_log_storage, other)


@dg.asset(
    partitions_def=dg.DailyPartitionsDefinition("2026-03-01", end_date="2026-03-11"),
    backfill_policy=dg.BackfillPolicy.single_run(),
)
def daily() -> None:
    return None


def test_what_is_planned_and_made_of_many_partitions_is_stored_at_once(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    batches: list[int] = []
    store = KeptEventLog.store_event_batch

    def counted(log: KeptEventLog, events: Sequence[dg.EventLogEntry]) -> None:
        batches.append(len(events))
        store(log, events)

    monkeypatch.setattr(KeptEventLog, "store_event_batch", counted)
    with instance(settings) as opened:
        tags = {"dagster/asset_partition_range_start": "2026-03-01", "dagster/asset_partition_range_end": "2026-03-10"}
        run_id = dg.materialize([daily], instance=opened, tags=tags).run_id
    assert batches == [10, 10]
    own = DagsterSqliteStorage(settings.path("dagster")).event_log_storage
    assert len(own.get_materialized_partitions(daily.key)) == 10
    assert _events(own, run_id).count("DagsterEventType.ASSET_MATERIALIZATION_PLANNED") == 10


def test_a_batch_that_cannot_be_stored_leaves_nothing(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    with instance(settings) as opened:
        run_id = _job.execute_in_process(instance=opened).run_id
        log = opened.event_log_storage
        assert isinstance(log, KeptEventLog)
        before = _events(log, run_id)
        entries = list(log.get_logs_for_run(run_id))[:2]
        store = KeptEventLog.store_event

        def failing(log: KeptEventLog, event: dg.EventLogEntry) -> None:
            store(log, event)
            if event is entries[1]:
                raise OSError("disk full")

        monkeypatch.setattr(KeptEventLog, "store_event", failing)
        with pytest.raises(OSError, match="disk full"):
            log.store_event_batch(entries)
        assert _events(log, run_id) == before


def test_a_closed_instance_leaves_no_file_open(settings: Settings) -> None:
    with instance(settings) as opened:
        _job.execute_in_process(instance=opened)
    links = (Path("/proc/self/fd") / name for name in os.listdir("/proc/self/fd"))
    assert not [str(link.resolve()) for link in links if str(link.resolve()).startswith(settings.path("dagster"))]


def test_a_file_that_was_replaced_is_opened_anew_and_few_stay_open(tmp_path: Path) -> None:
    engines = Engines()

    def rows(name: str) -> list[int]:
        with engines.of(f"sqlite:///{tmp_path / name}").begin() as conn:
            conn.execute(db.text("CREATE TABLE IF NOT EXISTS t (n INTEGER)"))
            conn.execute(db.text("INSERT INTO t VALUES (1)"))
            return [row[0] for row in conn.execute(db.text("SELECT n FROM t"))]

    assert (rows("a.db"), rows("a.db")) == ([1], [1, 1])
    (tmp_path / "a.db").unlink()
    assert rows("a.db") == [1], "not what the removed file held"
    first = engines.of(f"sqlite:///{tmp_path / 'a.db'}")
    assert engines.of(f"sqlite:///{tmp_path / 'a.db'}") is first
    for n in range(10):
        rows(f"{n}.db")
    assert engines.of(f"sqlite:///{tmp_path / 'a.db'}") is not first
    engines.close()
