"""``memory-pipeline run``: plan what is missing or stale, and materialise it through Dagster, oldest first."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Any

import dagster as dg

from memory_pipeline.domain.calendar import Grain, period_of
from memory_pipeline.errors import QueryError
from memory_pipeline.orchestration.failure import why
from memory_pipeline.orchestration.instance import instance
from memory_pipeline.orchestration.look_ahead import LookAhead, look_ahead
from memory_pipeline.orchestration.partitions import range_tags
from memory_pipeline.orchestration.resources import Pipeline
from memory_pipeline.settings import Settings

if TYPE_CHECKING:
    from memory_pipeline.stages.context import StageContext

# What is made together in one run; the second group looks at what the first has made.
_GROUPS: tuple[tuple[Grain, tuple[str, ...]], ...] = (
    (
        Grain.DAY,
        (
            "message_vectors",
            "proposals",
            "memories",
            "lifecycle",
            "memory_vectors",
            "memory_links",
            "daily_summaries",
            "recall_feedback",
        ),
    ),
    (Grain.WEEK, ("patterns", "reflections", "weekly_summaries")),
    (Grain.MONTH, ("monthly_summaries",)),
)
_UPSTREAM = {
    "memories": "proposals",
    "lifecycle": "memories",
    "memory_vectors": "memories",
    "memory_links": "memories",
    "daily_summaries": "memories",
    "patterns": "memories",
    "reflections": "memories",
    "weekly_summaries": "memories",
    "monthly_summaries": "memories",
}
_GAP = {Grain.DAY: 7, Grain.WEEK: 21, Grain.MONTH: 93}  # days bridged rather than starting another run
_HOSTED_GAP = 62  # what is made together shares calls; a silent day costs 0.2 s of the orchestrator's time
_BATCH_GAP = 366  # a run waits for its batches, so a back-fill shall be few runs
_ROUNDS = 3  # what reflections and patterns change may make later days stale once more


@dataclass(frozen=True, slots=True)
class Step:
    """One Dagster run: some stages over a span of partitions of one grain."""

    grain: Grain
    stages: tuple[str, ...]
    first: date
    last: date


@dataclass
class RunReport:
    """What a run made and what it cost (the JSON shape of ``run --json``).

    Attributes:
        forecast: what it would cost, of a dry run.
    """

    run_ids: list[str] = field(default_factory=list)
    stages: dict[str, dict[str, float]] = field(default_factory=dict)
    model_calls: int = 0
    model_calls_cached: int = 0
    tokens: int = 0
    usd: float = 0.0
    planned: list[dict[str, Any]] = field(default_factory=list)
    forecast: dict[str, Any] | None = None


def plan(
    ctx: StageContext, first: date | None = None, last: date | None = None, only: Sequence[str] = ()
) -> list[Step]:
    """The runs that would make everything missing or stale between two days, in order.

    Raises:
        QueryError: ``only`` names a stage that does not exist.
    """
    from memory_pipeline.stages.freshness import BY_NAME, stale

    unknown = set(only) - set(BY_NAME)
    if unknown:
        raise QueryError(f"no stage called {', '.join(sorted(unknown))}; the stages are {', '.join(BY_NAME)}")
    planned: dict[str, set[date]] = {}
    steps: list[Step] = []
    for grain, names in _GROUPS:
        for name in names:
            days = set(stale(ctx, BY_NAME[name], first, last))
            days |= {period_of(grain, d).start for d in planned.get(_UPSTREAM.get(name, ""), set())}
            planned[name] = days if not only or name in only else set()
        steps += _steps(grain, {name: planned[name] for name in names if planned[name]}, _gap(ctx.settings, grain))
    return steps


def _gap(settings: Settings, grain: Grain) -> int:
    """Silent days that a run bridges rather than ending, for a partition grain."""
    if settings.chat_batch:
        return _BATCH_GAP
    return _GAP[grain] if settings.chat == "builtin" else max(_GAP[grain], _HOSTED_GAP)


def _steps(grain: Grain, stages: Mapping[str, set[date]], gap: int) -> list[Step]:
    """One step a span without a longer gap (days); a step holds every stage that has a stale partition in it."""
    every = sorted(set().union(*stages.values())) if stages else []
    spans: list[list[date]] = []
    for day in every:
        if spans and (day - spans[-1][-1]) <= timedelta(days=gap):
            spans[-1].append(day)
        else:
            spans.append([day])
    return [
        Step(grain, tuple(name for name, days in stages.items() if days & set(span)), span[0], span[-1])
        for span in spans
    ]


def run(
    settings: Settings,
    first: date | None = None,
    last: date | None = None,
    only: Sequence[str] = (),
    *,
    dry_run: bool = False,
) -> RunReport:
    """Take the inbox, then materialise what is missing or stale.

    Raises:
        MemoryPipelineError: a step failed; what was finished stays, and the next run goes on from there.
    """
    from memory_pipeline.stages.ingest import take_inbox

    report = RunReport()
    pipeline = Pipeline(home=settings.home, chat_batch=settings.chat_batch)
    began = datetime.now(UTC)
    start = f"run-{began:%Y%m%dT%H%M%S%f}"
    ctx = pipeline.stage_context(start)
    if dry_run:
        ahead = look_ahead(ctx, plan(ctx, first, last, only))
        report.planned = [_shown(step) for step in ahead.steps]
        report.forecast = ahead.as_dict()
        return report
    take_inbox(ctx)
    with instance(settings) as dagster:
        for n in range(_ROUNDS):
            steps = plan(pipeline.stage_context(f"{start}-{n}"), first, last, only)
            if not steps:
                break
            if settings.chat_batch and not report.planned:
                _require_batches(ctx)
            for step in steps:
                report.planned.append(_shown(step))
                _materialise(dagster, step, report, settings.chat_batch)
    _add_costs(pipeline.stage_context(f"{start}-end"), report, began.date())
    return report


def preview(
    settings: Settings, first: date | None = None, last: date | None = None, only: Sequence[str] = ()
) -> LookAhead:
    """Take the inbox, and say what :func:`run` would make and cost then."""
    from memory_pipeline.stages.ingest import take_inbox

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
    }


def _require_batches(ctx: StageContext) -> None:
    """A server without a Batch API is told at once, not after a step has been tried three times."""
    from memory_pipeline.inference.batch import BatchChat

    if isinstance(ctx.chat, BatchChat):
        asyncio.run(ctx.chat.require())


def _materialise(dagster: dg.DagsterInstance, step: Step, report: RunReport, batch: bool) -> None:
    from memory_pipeline.definitions import defs

    names = [*(["transcripts"] if "proposals" in step.stages else []), *step.stages]
    keys = [dg.AssetKey(name) for name in names]
    result = defs.resolve_implicit_global_asset_job_def().execute_in_process(
        instance=dagster,
        asset_selection=keys,
        tags=range_tags(step.first, step.last),
        run_config={
            "loggers": {"console": {"config": {"log_level": "CRITICAL"}}},
            "resources": {"pipeline": {"config": {"chat_batch": batch}}},
        },
        raise_on_error=False,
    )
    report.run_ids.append(result.run_id)
    for stats in dagster.get_run_step_stats(result.run_id):
        seconds = (stats.end_time or 0.0) - (stats.start_time or 0.0)
        if stats.step_key in names:
            entry = report.stages.setdefault(stats.step_key, {"partitions": 0, "rows": 0, "seconds": 0.0})
            entry["seconds"] = round(entry["seconds"] + max(seconds, 0.0), 3)
    _add_rows(result, report)
    if not result.success:
        raise why(result)


def _add_rows(result: dg.ExecuteInProcessResult, report: RunReport) -> None:
    for event in result.get_asset_materialization_events():
        materialization = event.step_materialization_data.materialization
        rows = materialization.metadata.get("dagster/partition_row_count")
        count = rows.value if rows is not None else 0
        entry = report.stages.setdefault(
            materialization.asset_key.to_user_string(), {"partitions": 0, "rows": 0, "seconds": 0.0}
        )
        entry["partitions"] += 1
        entry["rows"] += count if isinstance(count, int) else 0


def _add_costs(ctx: StageContext, report: RunReport, since: date) -> None:
    from memory_pipeline.storage.costs import of_runs

    spent = of_runs(ctx.lake, report.run_ids, since)
    report.model_calls, report.model_calls_cached = spent["calls"], spent["cached"]
    report.tokens, report.usd = spent["tokens"], round(spent["usd"], 6)
