"""Days far apart in one run: what lies between them is not materialised."""

from datetime import UTC, date, datetime
from pathlib import Path

import dagster as dg
import pytest

from memory_pipeline.domain.calendar import Grain, Period, period_of
from memory_pipeline.orchestration import partitions
from memory_pipeline.orchestration.partitions import (
    BY_GRAIN,
    DAYS,
    earlier,
    exactly,
    job_of,
    range_tags,
    request_tags,
)
from memory_pipeline.storage.parquet.lake import Lake
from memory_pipeline_tests.factories import message

MARCH = [date(2026, 3, 5), date(2026, 3, 6), date(2026, 3, 20)]


@pytest.mark.parametrize(
    ("grain", "starts"),
    [
        (Grain.DAY, MARCH),
        (Grain.WEEK, [date(2026, 3, 2), date(2026, 3, 23)]),
        (Grain.MONTH, [date(2025, 12, 1), date(2026, 2, 1), date(2026, 3, 1)]),
    ],
)
def test_a_range_holds_the_wanted_partitions_alone(grain: Grain, starts: list[date]) -> None:
    keys = [start.isoformat() for start in starts]
    assert list(exactly(grain, starts).get_partition_keys_in_range(dg.PartitionKeyRange(keys[0], keys[-1]))) == keys


@pytest.mark.parametrize("grain", list(Grain))
def test_partitions_are_the_periods_of_the_calendar(grain: Grain) -> None:
    keys = BY_GRAIN[grain].get_partition_keys(current_time=datetime(2026, 3, 20, tzinfo=UTC))
    starts = [date.fromisoformat(key) for key in keys]
    assert [Period(grain, start).end for start in starts[:-1]] == starts[1:]
    assert starts[0] == period_of(grain, starts[0]).start


def test_partitions_without_a_gap_are_those_that_everybody_knows() -> None:
    assert exactly(Grain.DAY, MARCH[:2]) is BY_GRAIN[Grain.DAY]


def test_assets_of_one_run_have_each_their_own_partitions() -> None:
    worked: dict[str, list[str]] = {}

    def asset(name: str, *upstream: str) -> dg.AssetsDefinition:
        @dg.asset(name=name, partitions_def=DAYS, deps=list(upstream), backfill_policy=dg.BackfillPolicy.single_run())
        def made(context: dg.AssetExecutionContext) -> None:
            worked[name] = list(context.partition_keys)

        return made

    defs = dg.Definitions(assets=[asset("first"), asset("second", "first")], executor=dg.in_process_executor)
    wanted = {"first": MARCH, "second": [MARCH[0], date(2026, 3, 12), MARCH[-1]]}
    with dg.DagsterInstance.ephemeral() as instance:
        result = job_of(defs, Grain.DAY, wanted).execute_in_process(
            instance=instance,
            asset_selection=[dg.AssetKey(name) for name in wanted],
            tags=range_tags(MARCH[0], MARCH[-1]),
        )
        for name, days in wanted.items():
            keys = [day.isoformat() for day in days]
            assert worked[name] == keys
            assert instance.get_materialized_partitions(dg.AssetKey(name)) == set(keys)
    assert result.success


def _launched(tags: dict[str, str]) -> dg.DagsterRun:
    return dg.DagsterRun(job_name="any", run_id="one", tags=tags)


@pytest.fixture
def begins_in_march(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(partitions, "first_day", lambda: date(2026, 3, 5))


@pytest.mark.parametrize(
    ("grain", "first", "before"),
    [
        (Grain.DAY, date(2026, 3, 3), [date(2026, 3, 3), date(2026, 3, 4)]),
        (Grain.WEEK, date(2026, 2, 16), [date(2026, 2, 16), date(2026, 2, 23)]),
        (Grain.MONTH, date(2026, 1, 1), [date(2026, 1, 1), date(2026, 2, 1)]),
        (Grain.DAY, date(2026, 3, 5), []),
    ],
)
def test_a_launched_run_makes_what_lies_before_the_partitions_that_dagster_knows(
    begins_in_march: None, grain: Grain, first: date, before: list[date]
) -> None:
    run = _launched(request_tags(grain, first, MARCH[-1]))
    assert earlier(run, grain) == before
    assert run.tags[partitions.RANGE_START] == max(first, partitions.start_of(grain)).isoformat()
    assert partitions.partitions_of_run(run, [*before, MARCH[-1]]) == [*before, MARCH[-1]]


def test_what_ended_before_the_first_partition_is_made_with_that_one(begins_in_march: None) -> None:
    run = _launched(request_tags(Grain.DAY, date(2026, 3, 1), date(2026, 3, 2)))
    assert earlier(run, Grain.DAY) == [date(2026, 3, 1), date(2026, 3, 2)]


def test_a_job_of_ours_has_the_partitions_before_the_first_one(begins_in_march: None) -> None:
    wanted = [date(2025, 1, 5), date(2025, 1, 6)]
    keys = [day.isoformat() for day in wanted]
    found = exactly(Grain.DAY, wanted)
    assert list(found.get_partition_keys_in_range(dg.PartitionKeyRange(keys[0], keys[-1]))) == keys


def test_partitions_begin_at_the_first_message_or_where_it_was_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first_day = partitions.first_day.__wrapped__
    monkeypatch.setenv("MEMORY_PIPELINE_HOME", str(tmp_path))
    assert first_day() == date(2020, 1, 1)
    Lake(str(tmp_path / "lake")).append("messages", [message("I live in Lisbon.", day=date(2026, 3, 5))])
    assert first_day() == date(2020, 1, 1), "a child of this process knows the partitions of its parent"
    monkeypatch.delenv("MEMORY_PIPELINE_FIRST_PARTITION")
    assert first_day() == date(2026, 3, 5)
    monkeypatch.setenv("MEMORY_PIPELINE_FIRST_PARTITION", "another home=2024-01-01")
    assert first_day() == date(2026, 3, 5)
    monkeypatch.setenv("MEMORY_PIPELINE_START_DATE", "2026-01-01")
    assert first_day() == date(2026, 1, 1)
