"""1 · The message log, and its turns in the index."""

from datetime import date
from typing import TYPE_CHECKING

import dagster as dg

from memory_pipeline.orchestration.partitions import DAYS
from memory_pipeline.orchestration.resources import Pipeline
from memory_pipeline.orchestration.run_stage import OWNERS, Made, run_stage
from memory_pipeline.orchestration.versions import version_of

if TYPE_CHECKING:
    from memory_pipeline.stages.context import StageContext

GROUP = "1_transcripts"


@dg.asset(
    partitions_def=DAYS,
    group_name=GROUP,
    kinds={"parquet", "duckdb"},
    owners=OWNERS,
    backfill_policy=dg.BackfillPolicy.single_run(),
    code_version="1",
    description="Every message verbatim, by the local day of its user. Takes in whatever is new in the inbox; bad "
    "lines go to the quarantine with file, line and reason.",
)
def transcripts(context: dg.AssetExecutionContext, pipeline: Pipeline) -> dg.MaterializeResult[None]:
    return run_stage(context, pipeline, None, _take_in)


def _take_in(ctx: "StageContext", days: list[date]) -> Made:
    from memory_pipeline.stages.ingest import take_inbox

    report = take_inbox(ctx)
    counts = ctx.lake.sql(
        "SELECT day, count(*) AS messages, count(DISTINCT (tenant_id, user_id)) AS users FROM messages GROUP BY day",
        days={"messages": days},
    )
    rows = dict(zip(counts["day"].to_pylist(), counts["messages"].to_pylist(), strict=True))
    taken = {"taken from the inbox": report.taken, "already known": report.known, "quarantined": report.quarantined}
    return Made(rows, taken)


@dg.asset(
    partitions_def=DAYS,
    group_name=GROUP,
    deps=[transcripts],
    kinds={"lancedb"},
    owners=OWNERS,
    backfill_policy=dg.BackfillPolicy.single_run(),
    code_version=version_of("message_vectors"),
    description="The user's and the assistant's turns with their vectors, for recall of verbatim passages.",
)
def message_vectors(context: dg.AssetExecutionContext, pipeline: Pipeline) -> dg.MaterializeResult[None]:
    return run_stage(context, pipeline, "message_vectors", _index)


def _index(ctx: "StageContext", days: list[date]) -> Made:
    from memory_pipeline.stages.index_messages import index_messages

    written = index_messages(ctx, days)
    statistics = ctx.index.statistics().get("messages", {})
    return Made(written, {"turns in the index": statistics.get("rows", 0), "encoder": ctx.encoder.model})
