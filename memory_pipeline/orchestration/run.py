"""``memory-pipeline run``: plan what is missing or stale, and materialise it through Dagster, oldest first."""

from __future__ import annotations

import asyncio
import uuid
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any

import dagster as dg

from memory_pipeline.domain.calendar import Grain
from memory_pipeline.orchestration.alerts import told_of
from memory_pipeline.orchestration.failure import why
from memory_pipeline.orchestration.instance import instance
from memory_pipeline.orchestration.interrupts import watched
from memory_pipeline.orchestration.liveness import alive, give_up
from memory_pipeline.orchestration.look_ahead import LookAhead, look_ahead
from memory_pipeline.orchestration.metadata import OF_RUN
from memory_pipeline.orchestration.partitions import job_of, range_tags
from memory_pipeline.orchestration.plan import ENOUGH, Step, due, plan
from memory_pipeline.orchestration.resources import Pipeline
from memory_pipeline.orchestration.run_report import RunReport as RunReport
from memory_pipeline.orchestration.run_report import account
from memory_pipeline.orchestration.stage_metadata import LATER, UNFIT, WHY
from memory_pipeline.settings import Settings

if TYPE_CHECKING:
    from memory_pipeline.stages.context import StageContext


def run(
    settings: Settings,
    first: date | None = None,
    last: date | None = None,
    only: Sequence[str] = (),
    *,
    dry_run: bool = False,
    accept: Sequence[str] = (),
) -> RunReport:
    """Take the inbox, then materialise what is missing or stale.

    Args:
        accept: names of audits of what is staged that may fail; it is recorded that they did.

    Raises:
        MemoryPipelineError: a step failed; what was finished stays, and the next run goes on from there.
        AuditFailed: what would be published breaks a rule; readers see what they saw before.
    """
    from memory_pipeline.stages.messages.ingest import take_inbox
    from memory_pipeline.stages.operations.clock import take_back_early
    from memory_pipeline.stages.publication.auditing import accepting

    accepting(accept)

    report = RunReport()
    pipeline = Pipeline(home=settings.home, chat_batch=settings.chat_batch)
    began = datetime.now(UTC)
    start = f"run-{began:%Y%m%dT%H%M%S%f}"
    ctx = pipeline.stage_context(start)
    if dry_run:
        ahead = look_ahead(ctx, plan(ctx, first, last, only))
        report.planned = [_shown(step) for step in ahead.steps]
        report.forecast = ahead.to_dict()
        return report
    take_inbox(ctx)
    take_back_early(ctx)
    if settings.chat_batch and due(ctx, first, last, only):
        _require_batches(ctx)
    _make(settings, pipeline, report, start, first, last, only, Counter(), accept)
    account(pipeline.stage_context(f"{start}-end"), report, began)
    return report


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
        before: partitions that were stale already, by stage: they are left to the next :func:`run`.
        accept: see :func:`run`.

    Raises:
        MemoryPipelineError: a step failed; what was finished stays, and the next run goes on from there.
    """
    report = RunReport()
    pipeline = Pipeline(home=settings.home)
    waiting = Counter({(name, day): ENOUGH for name, days in before.items() for day in days})
    _make(settings, pipeline, report, start, None, None, (), waiting, accept)
    account(pipeline.stage_context(f"{start}-end"), report, began)
    return report


def _make(
    settings: Settings,
    pipeline: Pipeline,
    report: RunReport,
    start: str,
    first: date | None,
    last: date | None,
    only: Sequence[str],
    done: Counter[tuple[str, date]],
    accept: Sequence[str] = (),
) -> None:
    with (
        instance(settings) as dagster,
        watched(lambda: give_up(dagster)) as raise_if_stopped,
        told_of(dagster, settings, report),
    ):
        while steps := due(pipeline.stage_context(f"{start}-{len(report.planned)}"), first, last, only, done):
            for step in steps:
                report.planned.append(_shown(step))
                _materialise(dagster, step, report, pipeline.chat_batch, accept)
                raise_if_stopped()
                done.update((name, day) for name, days in step.partitions.items() for day in days)


def sweep(settings: Settings, through: date, accept: Sequence[str] = ()) -> RunReport:
    """Let time pass for everybody up to the end of a local day: one run of the ``lifecycle`` asset.

    Args:
        accept: see :func:`run`.

    Raises:
        AuditFailed: what would be published breaks a rule; readers see what they saw before.
        MemoryPipelineError: the step failed.
    """
    report = RunReport()
    step = Step(Grain.DAY, {"lifecycle": (through,)})
    report.planned.append(_shown(step))
    with instance(settings) as dagster, watched(lambda: give_up(dagster)) as raise_if_stopped:
        _materialise(dagster, step, report, batch=False, accept=accept)
        raise_if_stopped()
    return report


def preview(
    settings: Settings, first: date | None = None, last: date | None = None, only: Sequence[str] = ()
) -> LookAhead:
    """Take the inbox, and say what :func:`run` would make and cost then."""
    from memory_pipeline.stages.messages.ingest import take_inbox

    pipeline = Pipeline(home=settings.home, chat_batch=settings.chat_batch)
    ctx = pipeline.stage_context(f"preview-{datetime.now(UTC):%Y%m%dT%H%M%S%f}")
    take_inbox(ctx)
    return look_ahead(ctx, plan(ctx, first, last, only))


def _shown(step: Step) -> dict[str, Any]:
    return {
        "stages": list(step.stages),
        "grain": str(step.grain),
        "from": step.first.isoformat(),
        "to": step.last.isoformat(),
        "partitions": {name: len(days) for name, days in step.partitions.items()},
    }


def _require_batches(ctx: StageContext) -> None:
    """A server without a Batch API is told at once, not after a step has been tried three times."""
    from memory_pipeline.inference.batches.batch import BatchChat

    if isinstance(ctx.chat, BatchChat):
        asyncio.run(ctx.chat.require())


def _materialise(
    dagster: dg.DagsterInstance, step: Step, report: RunReport, batch: bool, accept: Sequence[str] = ()
) -> None:
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
