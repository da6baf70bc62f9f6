"""2 · What the extractor thinks worth keeping."""

from datetime import date
from typing import TYPE_CHECKING

import dagster as dg

from memory_pipeline.orchestration.assets.transcripts import transcripts
from memory_pipeline.orchestration.metadata import table
from memory_pipeline.orchestration.partitions import DAYS
from memory_pipeline.orchestration.resources import Pipeline
from memory_pipeline.orchestration.run_stage import OWNERS, RETRY, UNFIT, WHY, Made, run_stage
from memory_pipeline.orchestration.versions import version_of

if TYPE_CHECKING:
    from memory_pipeline.stages.context import StageContext


@dg.asset(
    partitions_def=DAYS,
    group_name="2_proposals",
    deps=[transcripts],
    kinds={"llm", "parquet"},
    owners=OWNERS,
    backfill_policy=dg.BackfillPolicy.single_run(),
    retry_policy=RETRY,
    code_version=version_of("proposals"),
    description="Candidate memories of each closed window of messages: typed, dated, with the quoted words they "
    "rest on. A function of the transcripts alone.",
)
def proposals(context: dg.AssetExecutionContext, pipeline: Pipeline) -> dg.MaterializeResult[None]:
    return run_stage(context, pipeline, "proposals", _extract)


def _extract(ctx: "StageContext", days: list[date]) -> Made:
    from memory_pipeline.stages.extract import extract
    from memory_pipeline.stages.languages import shares, spoken

    calls, hits = ctx.replies.calls, ctx.replies.hits
    report = extract(ctx, days)
    sample = ctx.lake.sql(
        "SELECT day, user_id, type, operation, content FROM proposals ORDER BY salience DESC, day LIMIT 12",
        days={"proposals": days},
    )
    return Made(
        report.proposals,
        {
            "windows": report.windows.total(),
            "windows with nothing to keep": report.empty.total(),
            "windows whose reply did not fit": report.failed.total(),
            **({WHY: report.why} if report.why else {}),
            "model": ctx.chat.model,
            "model calls": ctx.replies.calls - calls,
            "replies from the cache": ctx.replies.hits - hits,
            "languages": shares(spoken(ctx.lake, days)),
            "most salient": table(sample.to_pylist()),
        },
        complete=[d for d in days if not report.failed[d]],
        figures={
            day: {
                "windows of the day": report.windows[day],
                "of which nothing to keep": report.empty[day],
                UNFIT: report.failed[day],
            }
            for day in days
            if report.windows[day]
        },
    )
