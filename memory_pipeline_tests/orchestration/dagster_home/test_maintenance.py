"""Maintenance through Dagster: what goes from its event log, what stays, and what is told of it."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import dagster as dg
import pytest
from typer.testing import CliRunner

from memory_pipeline.cli import app
from memory_pipeline.definitions import defs
from memory_pipeline.orchestration.dagster_home.event_log import prune

DAYS = dg.DailyPartitionsDefinition("2026-01-01")
LATER = datetime.now(UTC) + timedelta(days=1)


@dg.asset(partitions_def=DAYS, check_specs=[dg.AssetCheckSpec("good", asset="thing")])
def thing(context: dg.AssetExecutionContext) -> dg.MaterializeResult:
    for n in range(5):
        context.log.info(f"line {n} of many")
    return dg.MaterializeResult(check_results=[dg.AssetCheckResult(passed=True)], tags={"kind": "thing"})


def make(instance: dg.DagsterInstance, day: str) -> str:
    return dg.materialize([thing], instance=instance, partition_key=day).run_id


@pytest.fixture
def instance(tmp_path: Path) -> Iterator[dg.DagsterInstance]:
    with dg.instance_for_test(temp_dir=str(tmp_path)) as found:
        yield found


def asset_view(instance: dg.DagsterInstance) -> object:
    """What the asset graph shows of the thing: partitions, the run that made each, the check."""
    key = dg.AssetKey("thing")
    latest = instance.event_log_storage.get_latest_storage_id_by_partition(
        key, dg.DagsterEventType.ASSET_MATERIALIZATION
    )
    records = instance.fetch_materializations(dg.AssetRecordsFilter(key, storage_ids=list(latest.values())), limit=10)
    check = dg.AssetCheckKey(key, "good")
    execution = instance.event_log_storage.get_latest_asset_check_execution_by_key([check])[check]
    return (
        instance.get_materialized_partitions(key),
        sorted((r.partition_key, r.run_id) for r in records.records),
        (execution.run_id, execution.status),
        instance.get_latest_materialization_event(key).run_id,  # type: ignore[union-attr]
    )


def test_old_logs_go_and_the_asset_graph_stays(instance: dg.DagsterInstance, tmp_path: Path) -> None:
    again = make(instance, "2026-01-01")
    made = [make(instance, day) for day in ("2026-01-02", "2026-01-01")]
    shown = asset_view(instance)
    done = prune(instance, LATER, keep=1)
    assert (done.logs, done.runs) == (2, 1) and done.events > 0 and done.freed > 0
    assert asset_view(instance) == shown
    assert not instance.has_run(again) and all(instance.has_run(run_id) for run_id in made)
    assert not instance.get_records_for_run(made[0]).records, "its log is gone"
    assert instance.get_records_for_run(made[1]).records, "the latest run keeps its log"
    assert prune(instance, LATER, keep=1).events == 0
    make(instance, "2026-01-03")  # and it goes on
    assert instance.get_materialized_partitions(dg.AssetKey("thing")) == {f"2026-01-0{n}" for n in (1, 2, 3)}


def test_what_is_young_or_under_way_stays(instance: dg.DagsterInstance) -> None:
    make(instance, "2026-01-01")
    under_way = instance.create_run_for_job(
        defs.resolve_job_def("store_maintenance"), status=dg.DagsterRunStatus.STARTED
    )
    assert prune(instance, LATER - timedelta(days=2), keep=0) == prune(instance, LATER, keep=9)
    prune(instance, LATER, keep=0)
    assert instance.has_run(under_way.run_id)


def test_the_asset_tells_before_and_after_and_checks_the_caps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, instance: dg.DagsterInstance
) -> None:
    monkeypatch.setenv("MEMORY_PIPELINE_HOME", str(tmp_path / "home"))
    done = defs.resolve_job_def("store_maintenance").execute_in_process(instance=instance)
    (event,) = done.get_asset_materialization_events()
    assert {"bytes before", "bytes after", "live bytes", "files after"} <= set(event.materialization.metadata)
    assert {e.check_name: e.passed for e in done.get_asset_check_evaluations()} == {
        "store_size": True,
        "file_count": True,
    }


def test_the_command_fails_where_a_cap_is_passed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DAGSTER_HOME", "MEMORY_PIPELINE_HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    (tmp_path / "lake" / "messages").mkdir(parents=True)
    for n in range(3):
        (tmp_path / "lake" / "messages" / f"stray-{n}").write_text("x")
    (tmp_path / "policy.toml").write_text("[maintenance]\nmost_files = 2\n")
    result = CliRunner().invoke(app, ["maintain", "--json"])
    found = json.loads(result.stdout)
    assert result.exit_code == 1 and found["after"]["files"] > 2
    (bad,) = [check for check in found["checks"] if not check["ok"]]
    assert bad["name"] == "file_count" and " files" in bad["detail"] and "most_files" in bad["detail"]
    (tmp_path / "policy.toml").unlink()
    assert CliRunner().invoke(app, ["maintain"]).exit_code == 0
