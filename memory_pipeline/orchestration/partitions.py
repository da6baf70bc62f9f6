"""Calendar partitions of events: days, and the periods that they make up."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from functools import cache

import dagster as dg

from memory_pipeline.domain.calendar import Grain, Period, period_of
from memory_pipeline.errors import MemoryPipelineError
from memory_pipeline.settings import Settings

# A run's process loads the code anew, maybe after the first messages came in: it has to know the partitions by which
# the process that asked for it has named their range.
_FIRST = "MEMORY_PIPELINE_FIRST_PARTITION"


@cache
def first_day() -> date:
    """The first partition: START_DATE where it is set, else the day of the first message that the home has when this is
    loaded, so that what was never there is not shown as missing. What comes in from before it is made all the same: see
    :func:`request_tags` and :func:`job_of`.
    """
    from memory_pipeline.storage.parquet.lake import Lake

    settings = Settings.load()
    if "start_date" in settings.model_fields_set:
        return settings.start_date
    home, _, parents = os.environ.get(_FIRST, "").rpartition("=")
    if home == settings.home:
        return date.fromisoformat(parents)
    try:
        days = Lake(settings.path("lake")).days("messages")
    except (OSError, MemoryPipelineError):  # a store that cannot be reached now is no reason to load nothing
        days = []
    found = max(min(days, default=settings.start_date), settings.start_date)
    os.environ[_FIRST] = f"{settings.home}={found}"
    return found


def start_of(grain: Grain) -> date:
    """The first partition of a grain."""
    return period_of(grain, first_day()).start


def _partitions_of(grain: Grain) -> dg.TimeWindowPartitionsDefinition:
    # Two days beyond yesterday in UTC: users east of Greenwich are already in tomorrow.
    beyond = 2 if grain is Grain.DAY else 1
    return dg.TimeWindowPartitionsDefinition(
        start=start_of(grain).isoformat(), fmt="%Y-%m-%d", cron_schedule=grain.cron, end_offset=beyond
    )


BY_GRAIN = {grain: _partitions_of(grain) for grain in Grain}
DAYS = BY_GRAIN[Grain.DAY]

# The first and the last period may reach beyond the days that exist.
FROM_DAYS = dg.TimeWindowPartitionMapping(allow_nonexistent_upstream_partitions=True)

RANGE_START = "dagster/asset_partition_range_start"
RANGE_END = "dagster/asset_partition_range_end"
EARLIER = "memory_pipeline/earlier"
"""Tag of a run: first and last of the partitions before those that Dagster knows, that it makes as well."""


def dates(keys: Sequence[str]) -> list[date]:
    """Partition keys as dates."""
    return [date.fromisoformat(key) for key in keys]


def range_tags(first: date, last: date) -> dict[str, str]:
    """Tags of a run over all partitions between two keys, both included."""
    return {RANGE_START: first.isoformat(), RANGE_END: last.isoformat()}


def request_tags(grain: Grain, first: date, last: date) -> dict[str, str]:
    """The same for a run that Dagster's own processes launch, which know no partition before :func:`start_of`: of what
    lies before it, the run makes what there is (:func:`earlier`)."""
    start = start_of(grain)
    if first >= start:
        return range_tags(first, last)
    return {
        **range_tags(start, max(start, last)),
        EARLIER: f"{first}/{min(last, Period(grain, start - timedelta(days=1)).start)}",
    }


def earlier(run: dg.DagsterRun, grain: Grain) -> list[date]:
    """The partitions of a run before those that Dagster knew when it was launched, oldest first."""
    first, _, last = run.tags.get(EARLIER, "").partition("/")
    if not first:
        return []
    found, period = [], period_of(grain, date.fromisoformat(first))
    while period.start <= date.fromisoformat(last):
        found.append(period.start)
        period = Period(grain, period.end)
    return found


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
    """Partitions of a grain, without those between the first and the last of some that are not among them, and with
    those before the first that everybody knows."""
    known, there, others = BY_GRAIN[grain], set(starts), []
    at = starts[0]
    while at < starts[-1]:
        if at not in there:
            others.append(datetime.combine(at, time(), UTC))
        at = Period(grain, at).end
    began = datetime.combine(min(starts[0], start_of(grain)), time(), UTC)
    if not others and began.date() == start_of(grain):
        return known
    return dg.TimeWindowPartitionsDefinition(
        start=began,
        fmt=known.fmt,
        timezone=known.timezone,
        end_offset=known.end_offset,
        cron_schedule=known.cron_schedule,
        exclusions=others or None,
    )


def partitions_of_run(run: dg.DagsterRun, known: Sequence[date]) -> list[date]:
    """The days a run is about, from its tags; the known ones when it names none."""
    key = run.tags.get("dagster/partition")
    if key:
        return [date.fromisoformat(key)]
    before = run.tags.get(EARLIER, "").partition("/")[0]
    first, last = before or run.tags.get(RANGE_START), run.tags.get(RANGE_END)
    if first and last:
        return [day for day in known if first <= day.isoformat() <= last]
    return list(known)
