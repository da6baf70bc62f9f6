"""4 · Summaries of each user: long sessions while they last, days, weeks, months."""

from datetime import date
from typing import TYPE_CHECKING

import dagster as dg

from memory_pipeline.domain.calendar import Grain, Period
from memory_pipeline.orchestration.assets.memories import memories
from memory_pipeline.orchestration.assets.transcripts import transcripts
from memory_pipeline.orchestration.partitions import BY_GRAIN, FROM_DAYS
from memory_pipeline.orchestration.resources import Pipeline
from memory_pipeline.orchestration.run_stage import OWNERS, RETRY, Made, run_stage
from memory_pipeline.orchestration.versions import version_of

if TYPE_CHECKING:
    from memory_pipeline.stages.context import StageContext


def _summaries(name: str, grain: Grain, description: str) -> dg.AssetsDefinition:
    sources = [transcripts, memories]

    @dg.asset(
        name=name,
        partitions_def=BY_GRAIN[grain],
        group_name="4_summaries",
        deps=sources
        if grain is Grain.DAY
        else [dg.AssetDep(source, partition_mapping=FROM_DAYS) for source in sources],
        kinds={"llm", "parquet", "lancedb"},
        owners=OWNERS,
        backfill_policy=dg.BackfillPolicy.single_run(),
        retry_policy=RETRY,
        code_version=version_of(name),
        description=description,
    )
    def summaries(context: dg.AssetExecutionContext, pipeline: Pipeline) -> dg.MaterializeResult[None]:
        return run_stage(context, pipeline, name, lambda ctx, days: _summarize(ctx, grain, days))

    return summaries


daily_summaries = _summaries(
    "daily_summaries",
    Grain.DAY,
    "What each user's day was about, from its messages and what became of the memories; none for a silent day. "
    "Long sessions have a rolling summary of their own.",
)
weekly_summaries = _summaries(
    "weekly_summaries",
    Grain.WEEK,
    "Each user's week, once it is over, from its messages and what became of the memories.",
)
monthly_summaries = _summaries(
    "monthly_summaries",
    Grain.MONTH,
    "Each user's month, once it is over, from its messages and what became of the memories.",
)


@dg.asset(
    partitions_def=BY_GRAIN[Grain.DAY],
    group_name="4_summaries",
    deps=[transcripts, memories],
    kinds={"llm", "parquet"},
    owners=OWNERS,
    backfill_policy=dg.BackfillPolicy.single_run(),
    retry_policy=RETRY,
    code_version=version_of("daily_summaries"),
    description="The rolling summaries of long sessions, as soon as enough was said in them; the days' own wait for "
    "the night, which takes these over.",
)
def session_summaries(context: dg.AssetExecutionContext, pipeline: Pipeline) -> dg.MaterializeResult[None]:
    return run_stage(context, pipeline, None, _refresh)


def _refresh(ctx: "StageContext", days: list[date]) -> Made:
    from memory_pipeline.stages.one_writer import alone
    from memory_pipeline.stages.summarize import refresh_sessions

    with alone(ctx.settings, "stage-daily_summaries"):  # it writes the same rows
        report = refresh_sessions(ctx, days)
    rows = {start: len(found) for start, found in report.made.items() if found}
    return Made(rows, {"replies that did not fit": report.failed.total()})


def _summarize(ctx: "StageContext", grain: Grain, starts: list[date]) -> Made:
    from memory_pipeline.stages.summarize import summarize

    report = summarize(ctx, [Period(grain, start) for start in starts])
    texts = [
        f"**{summary.user_id}, {summary.label}** — {summary.text}"
        for start in sorted(report.made)
        for summary in report.made[start]
    ]
    sessions = {start: sum(s.session_id is not None for s in found) for start, found in report.made.items()}
    return Made(
        {start: len(found) - sessions[start] for start, found in report.made.items()},
        {
            "sessions told": sum(sessions.values()),
            "latest": dg.MetadataValue.md("\n\n".join(texts[-3:]) or "no messages"),
            "replies that did not fit": report.failed.total(),
        },
        complete=[start for start in starts if not report.failed[start]],
    )
