"""Jobs, schedules and the inbox sensor."""

import json
from collections.abc import Iterable
from datetime import UTC, date, timedelta
from typing import Any

import dagster as dg

from memory_pipeline.domain.calendar import Grain, period_of
from memory_pipeline.domain.ids import fingerprint
from memory_pipeline.orchestration.partitions import request_tags, start_of
from memory_pipeline.orchestration.resources import Pipeline
from memory_pipeline.stages.plan.registry import BY_NAME, RHYTHMS, Cadence, of_cadence

INGESTED = ("transcripts", *of_cadence(Cadence.ARRIVAL))
NIGHTLY = (*INGESTED, *of_cadence(Cadence.NIGHTLY))

ingest_and_extract = dg.define_asset_job(
    "ingest_and_extract",
    selection=dg.AssetSelection.assets(*INGESTED, "session_summaries"),
    description="New files of the inbox → messages, proposals, memories, vectors, summaries of long sessions.",
)
nightly_consolidation = dg.define_asset_job(
    "nightly_consolidation",
    selection=dg.AssetSelection.assets(*NIGHTLY),
    description="Everything of the days that changed, with links, daily summaries and the recall log.",
)
of_periods = {
    cadence: dg.define_asset_job(
        rhythm.job, selection=dg.AssetSelection.assets(*of_cadence(cadence)), description=rhythm.description
    )
    for cadence, rhythm in RHYTHMS.items()
}
lifecycle_sweep = dg.define_asset_job(
    "lifecycle_sweep",
    selection=dg.AssetSelection.assets(*of_cadence(Cadence.SWEEP)),
    description="What time does to the memories.",
)
weekly_evaluation = dg.define_asset_job(
    "weekly_evaluation",
    selection=dg.AssetSelection.assets("evaluation"),
    description="The fixtures under the policy in force.",
)
store_maintenance = dg.define_asset_job(
    "store_maintenance",
    selection=dg.AssetSelection.assets("maintenance"),
    description="What keeps the stores and Dagster's event log small.",
)
isolation_probe = dg.define_asset_job(
    "isolation_probe",
    selection=dg.AssetSelection.assets("isolation"),
    description="Whether anybody reads what is not theirs.",
)


JOBS: list[Any] = [
    ingest_and_extract,
    nightly_consolidation,
    *of_periods.values(),
    lifecycle_sweep,
    weekly_evaluation,
    isolation_probe,
    store_maintenance,
]
_ON = dg.DefaultScheduleStatus.RUNNING


def _day(context: dg.ScheduleEvaluationContext) -> date:
    return context.scheduled_execution_time.astimezone(UTC).date()


def _stale(context: dg.ScheduleEvaluationContext, names: Iterable[str], last: date) -> list[date]:
    """Partitions up to a day that were never made, or from other input: late messages, an outage, a spent budget."""
    from memory_pipeline.stages.plan.freshness import stale

    ctx = Pipeline().stage_context(f"schedule-{_day(context)}")
    return sorted({d for name in names if name in BY_NAME for d in stale(ctx, BY_NAME[name], last=last)})


@dg.schedule(job=nightly_consolidation, cron_schedule="30 1 * * *", execution_timezone="UTC", default_status=_ON)
def nightly_consolidation_schedule(context: dg.ScheduleEvaluationContext) -> dg.RunRequest:
    """Yesterday and, where late messages, an outage or a spent budget left earlier days stale, everything since."""
    today = _day(context)
    first = min([*_stale(context, NIGHTLY, today), today - timedelta(days=1)])
    return dg.RunRequest(run_key=f"nightly-{today}", tags=request_tags(Grain.DAY, first, today))


@dg.schedule(job=lifecycle_sweep, cron_schedule="0 3 * * *", execution_timezone="UTC", default_status=_ON)
def lifecycle_sweep_schedule(context: dg.ScheduleEvaluationContext) -> dg.RunRequest:
    """Yesterday's transitions, and those of nights that were missed."""
    day = _day(context) - timedelta(days=1)
    if day < start_of(Grain.DAY):
        return dg.RunRequest(run_key=f"lifecycle-{day}", tags=request_tags(Grain.DAY, day, day))
    return dg.RunRequest(run_key=f"lifecycle-{day}", partition_key=day.isoformat())


def _schedule_of(cadence: Cadence) -> dg.ScheduleDefinition:
    rhythm = RHYTHMS[cadence]

    @dg.schedule(
        name=f"{rhythm.job}_schedule",
        job=of_periods[cadence],
        cron_schedule=rhythm.cron,
        execution_timezone="UTC",
        default_status=_ON,
        description=f"The {rhythm.grain} that has just ended, and earlier ones that are stale; mostly there is none.",
    )
    def due(context: dg.ScheduleEvaluationContext) -> dg.RunRequest | dg.SkipReason:
        today = _day(context)
        ended = period_of(rhythm.grain, period_of(rhythm.grain, today).start - timedelta(days=1)).start
        stale = _stale(context, of_cadence(cadence), ended)
        if period_of(rhythm.grain, today).start == today:
            stale.append(ended)
        if not stale:
            return dg.SkipReason("every period that has ended is up to date")
        run_key = f"{rhythm.grain}-{today}"
        if min(stale) == ended >= start_of(rhythm.grain):
            return dg.RunRequest(run_key=run_key, partition_key=ended.isoformat())
        return dg.RunRequest(run_key=run_key, tags=request_tags(rhythm.grain, min(stale), ended))

    return due


period_schedules = {cadence: _schedule_of(cadence) for cadence in RHYTHMS}


@dg.schedule(job=store_maintenance, cron_schedule="0 5 * * *", execution_timezone="UTC", default_status=_ON)
def store_maintenance_schedule(context: dg.ScheduleEvaluationContext) -> dg.RunRequest:
    """Every night after the rest."""
    return dg.RunRequest(run_key=f"maintenance-{_day(context)}")


@dg.schedule(job=weekly_evaluation, cron_schedule="0 6 * * 1", execution_timezone="UTC", default_status=_ON)
def weekly_evaluation_schedule(context: dg.ScheduleEvaluationContext) -> dg.RunRequest:
    """On Mondays: it takes half a minute and no money."""
    return dg.RunRequest(run_key=f"evaluation-{_day(context)}")


@dg.schedule(job=isolation_probe, cron_schedule="30 5 * * *", execution_timezone="UTC", default_status=_ON)
def isolation_probe_schedule(context: dg.ScheduleEvaluationContext) -> dg.RunRequest:
    """Every day, after maintenance: a few seconds and no money."""
    return dg.RunRequest(run_key=f"isolation-{_day(context)}")


SCHEDULES = [
    nightly_consolidation_schedule,
    lifecycle_sweep_schedule,
    *period_schedules.values(),
    store_maintenance_schedule,
    weekly_evaluation_schedule,
    isolation_probe_schedule,
]


@dg.sensor(
    job=ingest_and_extract,
    minimum_interval_seconds=1,  # the daemon looks every five seconds anyway
    default_status=dg.DefaultSensorStatus.RUNNING,
    description="New files in the inbox → a run over the days they hold, keyed by their content.",
)
def inbox_sensor(context: dg.SensorEvaluationContext, pipeline: Pipeline) -> dg.SensorResult | dg.SkipReason:
    from memory_pipeline.stages.messages.ingest import days_of, pending_inbox
    from memory_pipeline.storage.parquet.lake import Lake

    settings = pipeline.settings()
    seen: dict[str, str] = json.loads(context.cursor or "{}")
    files = pending_inbox(settings, Lake(settings.path("lake")), seen)
    spans = [span for file in files if (span := days_of(file.path)) is not None]
    cursor = json.dumps(seen)
    if not files:
        return dg.SensorResult(skip_reason="nothing new in the inbox", cursor=cursor)
    today = date.today()
    first = min([start for start, _ in spans], default=today)
    last = max([end for _, end in spans], default=today)
    first = max(first, settings.start_date)
    last = min(last, today + timedelta(days=1))
    request = dg.RunRequest(
        run_key=fingerprint(file.sha256 for file in files), tags=request_tags(Grain.DAY, min(first, last), last)
    )
    return dg.SensorResult(run_requests=[request], cursor=cursor)
