"""Days far apart in one run: what lies between them is not materialised."""

from datetime import date

import dagster as dg
import pytest

from memory_pipeline.domain.calendar import Grain
from memory_pipeline.orchestration.partitions import BY_GRAIN, DAYS, exactly, job_of, range_tags

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
