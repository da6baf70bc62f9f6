"""Calendar partitions of events: days, ISO weeks and months."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, time
from functools import cache

import dagster as dg

from memory_pipeline.domain.calendar import Grain, Period, period_of
from memory_pipeline.settings import Settings


@cache
def _start() -> date:
    return Settings.load().start_date


# Two days beyond yesterday in UTC: users east of Greenwich are already in tomorrow.
DAYS = dg.DailyPartitionsDefinition(start_date=_start().isoformat(), end_offset=2)
WEEKS = dg.WeeklyPartitionsDefinition(
    start_date=period_of(Grain.WEEK, _start()).start.isoformat(), day_offset=1, end_offset=1
)
MONTHS = dg.MonthlyPartitionsDefinition(start_date=period_of(Grain.MONTH, _start()).start.isoformat(), end_offset=1)
BY_GRAIN: dict[Grain, dg.TimeWindowPartitionsDefinition] = {Grain.DAY: DAYS, Grain.WEEK: WEEKS, Grain.MONTH: MONTHS}

# The first and the last week or month may reach beyond the days that exist.
FROM_DAYS = dg.TimeWindowPartitionMapping(allow_nonexistent_upstream_partitions=True)

RANGE_START = "dagster/asset_partition_range_start"
RANGE_END = "dagster/asset_partition_range_end"


def dates(keys: Sequence[str]) -> list[date]:
    """Partition keys as dates."""
    return [date.fromisoformat(key) for key in keys]


def range_tags(first: date, last: date) -> dict[str, str]:
    """Tags of a run over all partitions between two keys, both included."""
    return {RANGE_START: first.isoformat(), RANGE_END: last.isoformat()}


def job_of(defs: dg.Definitions, grain: Grain, wanted: Mapping[str, Sequence[date]]) -> dg.JobDefinition:
    """The job of all assets, in which some have no other partitions than the wanted ones between their first and last.

    A run names a range, and Dagster materialises all that is in it. What is fresh there is not made again, nor said to
    be: for this run it does not exist.

    Args:
        wanted: partitions by asset, oldest first; a run over several assets needs the same first and last of each.
    """
    narrowed = {dg.AssetKey(name): exactly(grain, starts) for name, starts in wanted.items()}

    def only(spec: dg.AssetSpec) -> dg.AssetSpec:
        return spec.replace_attributes(partitions_def=narrowed.get(spec.key, spec.partitions_def))

    return dg.Definitions(
        assets=[a.map_asset_specs(only) for a in defs.assets or () if isinstance(a, dg.AssetsDefinition)],
        asset_checks=defs.asset_checks,
        resources=defs.resources,
        executor=defs.executor,
    ).resolve_implicit_global_asset_job_def()


def exactly(grain: Grain, starts: Sequence[date]) -> dg.TimeWindowPartitionsDefinition:
    """Partitions of a grain, without those between the first and the last of some that are not among them."""
    known, there, others = BY_GRAIN[grain], set(starts), []
    at = starts[0]
    while at < starts[-1]:
        if at not in there:
            others.append(datetime.combine(at, time(), UTC))
        at = Period(grain, at).end
    if not others:
        return known
    return dg.TimeWindowPartitionsDefinition(
        start=known.start,
        fmt=known.fmt,
        timezone=known.timezone,
        end_offset=known.end_offset,
        cron_schedule=known.cron_schedule,
        exclusions=others,
    )


def partitions_of_run(run: dg.DagsterRun, known: Sequence[date]) -> list[date]:
    """The days a run is about, from its tags; the known ones when it names none."""
    key = run.tags.get("dagster/partition")
    if key:
        return [date.fromisoformat(key)]
    first, last = run.tags.get(RANGE_START), run.tags.get(RANGE_END)
    if first and last:
        return [day for day in known if first <= day.isoformat() <= last]
    return list(known)
