"""What Dagster shows as missing is what there is to make."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import dagster as dg
import pytest

from memory_pipeline.domain.calendar import Grain, Period
from memory_pipeline.orchestration.dagster_home.instance import instance
from memory_pipeline.orchestration.runs.empty_partitions import report_empty
from memory_pipeline.settings import Settings
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.plan import freshness
from memory_pipeline.stages.plan.registry import BY_NAME, STAGES
from memory_pipeline_tests.factories import message

FIRST = datetime(2026, 3, 5, 12, tzinfo=UTC)
NOW = datetime(2026, 3, 18, 12, tzinfo=UTC)
SAID = [FIRST, FIRST + timedelta(days=6)]


def _all(grain: Grain, *left_out: date) -> set[str]:
    """Keys of the partitions from the first message to what is over now."""
    found, day = (
        set(),
        Period(grain, {Grain.WEEK: date(2026, 3, 2), Grain.MONTH: date(2026, 3, 1)}.get(grain, SAID[0].date())),
    )
    while day.end <= NOW.date():
        found.add(day.start)
        day = Period(grain, day.end)
    return {start.isoformat() for start in found.difference(left_out)}


def test_what_is_over_and_has_nothing_to_be_made_from_is_reported_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DAGSTER_HOME", "")
    settings = Settings.load(home=str(tmp_path))
    ctx = StageContext(settings, "test", NOW)
    ctx.lake.append("messages", [message(f"I live in Lisbon, {at:%A}.", at) for at in SAID])
    said = [at.date() for at in SAID]
    with instance(settings) as dagster:

        def done(name: str) -> set[str]:
            return dagster.get_materialized_partitions(dg.AssetKey(name))

        first = report_empty(dagster, ctx)
        assert done("transcripts") == done("proposals") == done("memories") == _all(Grain.DAY, *said)
        assert done("weekly_summaries") == set(), "both weeks may have memories still"
        assert done("recall_feedback") == _all(Grain.DAY), "nothing was read, whatever was said"
        for stage in STAGES:  # as a run leaves them: of the second day nothing was proposed
            there = freshness.inputs(ctx, stage)
            freshness.record(ctx, stage, there, list(there), {})
        assert report_empty(dagster, ctx) > 0
        assert done("proposals") == _all(Grain.DAY, *said), "those were made, which their own run has told"
        assert done("memories") == done("session_summaries") == _all(Grain.DAY)
        assert done("weekly_summaries") == _all(Grain.WEEK, *freshness.provenance(ctx, BY_NAME["weekly_summaries"]))
        assert report_empty(dagster, ctx) == 0
        assert first and dagster.get_latest_materialization_event(dg.AssetKey("memories")) is not None
