"""Days, weeks and months that are over and from which nothing is to be made: told to Dagster as done, so that what it
shows as missing is what there is still to make."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING

import dagster as dg

# There is no public way to store many events at once; the range of Dagster's versions is pinned.
from dagster._core.events import DagsterEvent, DagsterEventBatchMetadata, DagsterEventType, StepMaterializationData
from dagster._core.instance.utils import RUNLESS_JOB_NAME, RUNLESS_RUN_ID

from memory_pipeline.domain.calendar import Grain, Period, period_of
from memory_pipeline.domain.derived.summary import is_over

if TYPE_CHECKING:
    from datetime import date, datetime

    from memory_pipeline.stages.context import StageContext

_LOG = "transcripts"  # what the stages are made from; made with the messages themselves
_SESSIONS, _OF_DAYS = "session_summaries", "daily_summaries"  # of a day that is over, the latter hold the former


def report_empty(dagster: dg.DagsterInstance, ctx: StageContext) -> int:
    """Report as materialised every partition since the first message that is over and from which nothing is made.
    Returns how many there were that Dagster did not know of.

    Where a stage is still to be made, it is not known what the ones that follow from it will make: that is left out.
    What comes in later for a day that was reported is made, and reported, as ever: the pipeline goes by its own notes.
    """
    from memory_pipeline.stages.plan.freshness import message_digests, provenance, stale
    from memory_pipeline.stages.plan.registry import BY_NAME

    days = message_digests(ctx).keys()
    if not days:
        return 0
    over = {grain: set(_over(grain, min(days), ctx.now)) for grain in Grain}
    due = {
        name: {day for start in stale(ctx, stage) for day in Period(stage.grain, start).days()}
        for name, stage in BY_NAME.items()
    }

    def settled(name: str | None, grain: Grain) -> set[date]:
        left = set(over[grain])
        while name is not None:
            left -= {period_of(grain, day).start for day in due[name]}
            name = BY_NAME[name].follows
        return left

    wanted: dict[str, Collection[date]] = {
        name: settled(name, stage.grain) - provenance(ctx, stage).keys() for name, stage in BY_NAME.items()
    }
    return _report(dagster, {**wanted, _LOG: over[Grain.DAY] - days, _SESSIONS: settled(_OF_DAYS, Grain.DAY)})


def _over(grain: Grain, first: date, now: datetime) -> Iterator[date]:
    period = period_of(grain, first)
    while is_over(period, now):
        yield period.start
        period = Period(grain, period.end)


def _report(dagster: dg.DagsterInstance, wanted: Mapping[str, Collection[date]]) -> int:
    new = [
        dg.AssetMaterialization(name, description="nothing to make", partition=day, metadata={"rows": 0})
        for name, found in wanted.items()
        if found
        for day in sorted({day.isoformat() for day in found} - dagster.get_materialized_partitions(dg.AssetKey(name)))
    ]
    for n, materialization in enumerate(new, start=1):
        event = DagsterEvent(
            event_type_value=DagsterEventType.ASSET_MATERIALIZATION.value,
            event_specific_data=StepMaterializationData(materialization),
            job_name=RUNLESS_JOB_NAME,
        )
        batch = DagsterEventBatchMetadata("empty partitions", n == len(new))
        dagster.report_dagster_event(event, RUNLESS_RUN_ID, batch_metadata=batch)
    return len(new)
