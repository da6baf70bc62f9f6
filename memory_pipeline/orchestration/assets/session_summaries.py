"""4 · Rolling summaries of long sessions while they last."""

from datetime import date
from typing import TYPE_CHECKING

import dagster as dg

from memory_pipeline.domain.calendar import Grain
from memory_pipeline.orchestration.assets.code_versions import version_of
from memory_pipeline.orchestration.assets.run_stage import OWNERS, RETRY, StageResult, run_stage
from memory_pipeline.orchestration.partitions import BY_GRAIN
from memory_pipeline.orchestration.resources import Pipeline

if TYPE_CHECKING:
    from memory_pipeline.stages.context import StageContext


@dg.asset(
    partitions_def=BY_GRAIN[Grain.DAY],
    group_name="4_summaries",
    deps=["transcripts", "memories"],
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


def _refresh(ctx: "StageContext", days: list[date]) -> StageResult:
    from memory_pipeline.stages.publication.one_writer import alone
    from memory_pipeline.stages.summaries.summarize import refresh_sessions

    with alone(ctx.settings, "stage-daily_summaries"):  # it writes the same rows
        report = refresh_sessions(ctx, days)
    rows = {start: len(found) for start, found in report.made.items() if found}
    return StageResult(rows, {"replies that did not fit": report.failed.total()})
