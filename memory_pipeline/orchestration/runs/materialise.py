"""Materialise steps of the plan through Dagster, oldest first."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, date, datetime
from typing import Any

import dagster as dg

from memory_pipeline.domain.calendar import Grain
from memory_pipeline.orchestration.alerts.failure import why
from memory_pipeline.orchestration.alerts.run_alerts import told_of
from memory_pipeline.orchestration.dagster_home.instance import instance
from memory_pipeline.orchestration.metadata.stage_metadata import LATER, UNFIT, WHY
from memory_pipeline.orchestration.metadata.values import OF_RUN, OPEN
from memory_pipeline.orchestration.partitions import job_of, range_tags
from memory_pipeline.orchestration.processes.interrupts import watched
from memory_pipeline.orchestration.processes.liveness import give_up
from memory_pipeline.orchestration.processes.marks import alive
from memory_pipeline.orchestration.processes.stage_contexts import stage_context
from memory_pipeline.orchestration.runs.empty_partitions import report_empty
from memory_pipeline.orchestration.runs.plan import ENOUGH, Step, due
from memory_pipeline.orchestration.runs.run_report import RunReport, account
from memory_pipeline.settings import Settings


def make_again(
    settings: Settings,
    start: str,
    began: datetime,
    before: Mapping[str, Collection[date]],
    accept: Sequence[str] = (),
) -> RunReport:
    """Materialise what has become stale since some time, and what follows from it; nothing is taken in.

    Args:
        start: run id of what has made it stale.
        began: when that was.
        before: partitions that were stale already, by stage: they are left to the next run.
        accept: names of audits of what is staged that may fail; it is recorded that they did.

    Raises:
        MemoryPipelineError: a step failed; what was finished stays, and the next run goes on from there.
    """
    report = RunReport()
    waiting = Counter({(name, day): ENOUGH for name, days in before.items() for day in days})
    make(settings, report, start, done=waiting, accept=accept)
    account(stage_context(f"{start}-end", settings.home), report, began)
    return report


def make_lost(settings: Settings) -> RunReport:
    """Materialise partitions of which rows are gone that a stage had made, and what follows from them; what is stale
    for another reason is left to the next run.

    Raises:
        MemoryPipelineError: a step failed; what was finished stays.
    """
    from memory_pipeline.stages.plan import freshness
    from memory_pipeline.stages.plan.registry import STAGES

    report, began = RunReport(), datetime.now(UTC)
    start = f"repair-{began:%Y%m%dT%H%M%S%f}"
    ctx = stage_context(start, settings.home)
    others = {
        (stage.name, day): ENOUGH
        for stage in STAGES
        for day, reasons in freshness.why(ctx, stage).items()
        if freshness.Changed.LOST not in reasons
    }
    make(settings, report, start, done=Counter(others))
    account(stage_context(f"{start}-end", settings.home), report, began)
    return report


def make(
    settings: Settings,
    report: RunReport,
    start: str,
    first: date | None = None,
    last: date | None = None,
    only: Sequence[str] = (),
    *,
    steps: Sequence[Step] = (),
    done: Counter[tuple[str, date]] | None = None,
    accept: Sequence[str] = (),
    mark_empty: bool = False,
) -> None:
    """Make what is due, and what is due then, until nothing is; the report is told of each run.

    Args:
        start: begins the ids under which the plan is asked.
        steps: what is due now, where that is known.
        done: how often partitions count as made already.
        mark_empty: tell Dagster of the partitions from which nothing is made.
    """
    done, batch = done if done is not None else Counter(), settings.chat_batch
    left_open: dict[tuple[str, date], str] = {}
    with (
        instance(settings) as dagster,
        watched(lambda: give_up(dagster)) as raise_if_stopped,
        told_of(dagster, settings, report),
    ):
        if mark_empty:  # before the rest: an asset's latest materialisation should be one that made something
            report_empty(dagster, stage_context(f"{start}-empty", settings.home, batch))
        while steps := steps or due(
            stage_context(f"{start}-{len(report.planned)}", settings.home, batch), first, last, only, done, left_open
        ):
            for step in steps:
                report.planned.append(step.to_dict())
                left_open |= _materialise(dagster, step, report, batch, accept)
                raise_if_stopped()
                done.update((name, day) for name, days in step.partitions.items() for day in days)
            steps = ()
        if mark_empty:
            report_empty(dagster, stage_context(f"{start}-made", settings.home, batch))


def sweep(settings: Settings, through: date, accept: Sequence[str] = ()) -> RunReport:
    """Let time pass for everybody up to the end of a local day: one run of the ``lifecycle`` asset.

    Args:
        accept: names of audits of what is staged that may fail; it is recorded that they did.

    Raises:
        AuditFailed: what would be published breaks a rule; readers see what they saw before.
        MemoryPipelineError: the step failed.
    """
    report = RunReport()
    step = Step(Grain.DAY, {"lifecycle": (through,)})
    report.planned.append(step.to_dict())
    with instance(settings) as dagster, watched(lambda: give_up(dagster)) as raise_if_stopped:
        _materialise(dagster, step, report, batch=False, accept=accept)
        raise_if_stopped()
    return report


def _materialise(
    dagster: dg.DagsterInstance, step: Step, report: RunReport, batch: bool, accept: Sequence[str] = ()
) -> dict[tuple[str, date], str]:
    """Run a step; the partitions that stay stale because a reply did not fit, by stage and day, with the digest of what
    they were to be made from."""
    from memory_pipeline.definitions import defs

    wanted = dict(step.partitions)
    if "message_vectors" in wanted:
        # The message log is written before; its asset tells which of its days that changed.
        wanted = {"transcripts": wanted["message_vectors"], **wanted}
    run_id = str(uuid.uuid4())
    with alive(Settings.load(), run_id):
        result = job_of(defs, step.grain, wanted).execute_in_process(
            instance=dagster,
            asset_selection=[dg.AssetKey(name) for name in wanted],
            tags={**range_tags(step.first, step.last), "dagster/max_retries": "0"},  # the daemon has no part in it
            run_config={
                "loggers": {"console": {"config": {"log_level": "CRITICAL"}}},
                "resources": {"pipeline": {"config": {"chat_batch": batch, "accept": list(accept)}}},
            },
            raise_on_error=False,
            run_id=run_id,
        )
    report.run_ids.append(result.run_id)
    for stats in dagster.get_run_step_stats(result.run_id):
        seconds = (stats.end_time or 0.0) - (stats.start_time or 0.0)
        if stats.step_key in wanted:
            entry = report.stages.setdefault(stats.step_key, {"partitions": 0, "rows": 0, "seconds": 0.0})
            entry["seconds"] = round(entry["seconds"] + max(seconds, 0.0), 3)
    _add_rows(result, report, step.last.isoformat())
    if not result.success:
        raise why(result)
    made = (e.step_materialization_data.materialization for e in result.get_asset_materialization_events())
    return {
        (m.asset_key.to_user_string(), date.fromisoformat(m.partition)): str(m.metadata[OPEN].value)
        for m in made
        if m.partition and OPEN in m.metadata
    }


def _of_run(materialization: dg.AssetMaterialization, name: str) -> dg.MetadataValue[Any] | None:
    return materialization.metadata.get(name) or materialization.metadata.get(OF_RUN + name)


def _add_rows(result: dg.ExecuteInProcessResult, report: RunReport, last: str) -> None:
    for event in result.get_asset_materialization_events():
        materialization = event.step_materialization_data.materialization
        rows = materialization.metadata.get("dagster/partition_row_count")
        count = rows.value if rows is not None else 0
        if materialization.partition and (unfit := materialization.metadata.get(UNFIT)) is not None:
            report.unfit[materialization.partition] = int(str(unfit.value))
        if (reason := _of_run(materialization, WHY)) is not None:
            report.why = str(reason.value)
        if materialization.partition == last and (later := _of_run(materialization, LATER)) is not None:
            report.later_days += int(str(later.value))
        entry = report.stages.setdefault(
            materialization.asset_key.to_user_string(), {"partitions": 0, "rows": 0, "seconds": 0.0}
        )
        entry["partitions"] += 1
        entry["rows"] += count if isinstance(count, int) else 0
