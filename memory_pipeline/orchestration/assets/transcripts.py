"""1 · The message log."""

from datetime import date
from typing import TYPE_CHECKING

import dagster as dg

from memory_pipeline.orchestration.assets.run_stage import OWNERS, StageResult, run_stage
from memory_pipeline.orchestration.partitions import DAYS
from memory_pipeline.orchestration.resources import Pipeline

if TYPE_CHECKING:
    from memory_pipeline.stages.context import StageContext


@dg.asset(
    partitions_def=DAYS,
    group_name="1_transcripts",
    kinds={"parquet", "duckdb"},
    owners=OWNERS,
    backfill_policy=dg.BackfillPolicy.single_run(),
    code_version="1",
    description="Every message verbatim, by the local day of its user. Takes in whatever is new in the inbox; bad "
    "lines go to the quarantine with file, line and reason.",
)
def transcripts(context: dg.AssetExecutionContext, pipeline: Pipeline) -> dg.MaterializeResult[None]:
    return run_stage(context, pipeline, None, _take_in)


def _take_in(ctx: "StageContext", days: list[date]) -> StageResult:
    from memory_pipeline.stages.messages.ingest import take_inbox
    from memory_pipeline.stages.plan.freshness import message_digests

    report = take_inbox(ctx)
    counts = ctx.lake.sql(
        "SELECT day, count(*) AS messages, count(DISTINCT (tenant_id, user_id)) AS users, "
        "count(DISTINCT (tenant_id, user_id, session_id)) AS conversations, count(*) FILTER (role = 'user') AS said "
        "FROM messages GROUP BY day",
        days={"messages": days},
    ).to_pylist()
    rows = {row["day"]: row["messages"] for row in counts}
    figures = {
        row["day"]: {
            "users": row["users"],
            "conversations": row["conversations"],
            "of which said by users": row["said"],
        }
        for row in counts
    }
    taken = {"taken from the inbox": report.taken, "already known": report.known, "quarantined": report.quarantined}
    return StageResult(rows, taken, figures=figures, inputs=message_digests(ctx))
