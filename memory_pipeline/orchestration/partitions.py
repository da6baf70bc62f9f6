"""Calendar partitions of events: days, ISO weeks and months."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from functools import cache

import dagster as dg

from memory_pipeline.domain.calendar import Grain, period_of
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


def partitions_of_run(run: dg.DagsterRun, known: Sequence[date]) -> list[date]:
    """The days a run is about, from its tags; the known ones when it names none."""
    key = run.tags.get("dagster/partition")
    if key:
        return [date.fromisoformat(key)]
    first, last = run.tags.get(RANGE_START), run.tags.get(RANGE_END)
    if first and last:
        return [day for day in known if first <= day.isoformat() <= last]
    return list(known)
