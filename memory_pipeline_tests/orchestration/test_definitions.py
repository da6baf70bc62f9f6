"""The graph as users see it: names, groups, jobs, schedules, and the picture of it in the docs."""

from __future__ import annotations

import importlib.util
import re
from datetime import UTC, date, datetime
from pathlib import Path

import dagster as dg
import pytest

from memory_pipeline.definitions import defs
from memory_pipeline.errors import SettingsError
from memory_pipeline.orchestration import automation
from memory_pipeline.orchestration.metadata.panel_links import with_panel_link
from memory_pipeline.stages.plan.registry import Cadence

ASSETS = {
    "transcripts": "1_transcripts",
    "message_vectors": "1_transcripts",
    "proposals": "2_proposals",
    "memories": "3_memories",
    "memory_vectors": "3_memories",
    "memory_links": "3_memories",
    "session_summaries": "4_summaries",
    "daily_summaries": "4_summaries",
    "weekly_summaries": "4_summaries",
    "monthly_summaries": "4_summaries",
    "patterns": "5_reflections",
    "reflections": "5_reflections",
    "recall_feedback": "6_recall",
    "lifecycle": "7_lifecycle",
    "evaluation": "8_evaluation",
    "isolation": "9_operations",
    "maintenance": "9_operations",
}
OF_NO_DAY = {"evaluation", "isolation", "maintenance"}
REPOSITORY = Path(__file__).parents[2]


def test_the_assets_and_their_groups() -> None:
    graph = defs.resolve_asset_graph()
    assert {k.to_user_string(): graph.get(k).group_name for k in graph.get_all_asset_keys()} == ASSETS


def test_every_asset_is_described_owned_partitioned_and_has_kinds() -> None:
    graph = defs.resolve_asset_graph()
    for key in graph.get_all_asset_keys():
        node = graph.get(key)
        assert node.description and node.owners and node.kinds, key
        assert node.partitions_def or key.to_user_string() in OF_NO_DAY, key
        assert node.code_version, key


def test_assets_lead_to_the_panel_where_its_address_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    spec = dg.AssetSpec("memories", metadata={"own": 1})
    assert with_panel_link(spec) is spec
    monkeypatch.setenv("MEMORY_PIPELINE_PANEL_URL", "https://memory.example/")
    found = with_panel_link(spec).metadata
    assert found == {"own": 1, "panel": dg.MetadataValue.url("https://memory.example/panel/gate")}
    monkeypatch.setenv("MEMORY_PIPELINE_PANEL_URL", "javascript:alert(1)")
    with pytest.raises(SettingsError, match="MEMORY_PIPELINE_PANEL_URL"):
        with_panel_link(spec)


def test_jobs_schedules_and_the_sensor() -> None:
    jobs = {"ingest_and_extract", "nightly_consolidation", "weekly_reflection", "lifecycle_sweep", "store_maintenance"}
    repository = defs.get_repository_def()
    assert jobs <= set(repository.job_names)
    schedules = {s.job_name: s for s in repository.schedule_defs}
    assert jobs - {"ingest_and_extract"} <= set(schedules)
    assert all(s.default_status is dg.DefaultScheduleStatus.RUNNING for s in schedules.values())
    sensors = {sensor.name: sensor for sensor in repository.sensor_defs}
    assert set(sensors) == {"inbox_sensor", "failure_alerts", "warning_alerts", "freshness_alerts"}
    assert all(sensor.default_status is dg.DefaultSensorStatus.RUNNING for sensor in sensors.values())


def test_today_and_tomorrow_are_partitions() -> None:
    keys = set(defs.resolve_asset_graph().get(dg.AssetKey("transcripts")).partitions_def.get_partition_keys())
    assert datetime.now(UTC).date().isoformat() in keys
    assert "2020-01-01" in keys


@pytest.mark.parametrize(
    ("schedule", "at", "partition"),
    [
        (automation.lifecycle_sweep_schedule, datetime(2026, 4, 1, 3, tzinfo=UTC), "2026-03-31"),
        (automation.period_schedules[Cadence.WEEKLY], datetime(2026, 3, 16, 4, tzinfo=UTC), "2026-03-09"),
        (automation.period_schedules[Cadence.MONTHLY], datetime(2026, 4, 1, 4, 30, tzinfo=UTC), "2026-03-01"),
    ],
)
def test_schedules_name_the_period_that_has_ended(
    schedule: dg.ScheduleDefinition, at: datetime, partition: str
) -> None:
    with dg.instance_for_test() as instance:
        context = dg.build_schedule_context(
            instance=instance, scheduled_execution_time=at, repository_def=defs.get_repository_def()
        )
        (request,) = schedule.evaluate_tick(context).run_requests or []
    assert request.partition_key == partition
    key = date.fromisoformat(partition).isoformat()
    job = defs.resolve_job_def(schedule.job_name)
    assert key in job.partitions_def.get_partition_keys(current_time=at)


def test_the_picture_in_the_docs_is_drawn_from_these_definitions() -> None:
    spec = importlib.util.spec_from_file_location("asset_graph", REPOSITORY / "docs" / "asset_graph.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    picture = (REPOSITORY / "docs" / "asset-graph.svg").read_text(encoding="utf-8")
    assert module.draw() == picture, "run: python docs/asset_graph.py"
    assert set(re.findall(r">(\w+)</text>", picture)) >= set(ASSETS)
