"""5 · What follows from many memories: patterns and reflections, week by week."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING

import dagster as dg

from memory_pipeline.domain.calendar import Grain, Period
from memory_pipeline.orchestration.assets.memories import memories
from memory_pipeline.orchestration.checks import before_publication, results, run_audited
from memory_pipeline.orchestration.partitions import FROM_DAYS, WEEKS
from memory_pipeline.orchestration.resources import Pipeline
from memory_pipeline.orchestration.run_stage import OWNERS, RETRY, Made
from memory_pipeline.orchestration.versions import version_of

if TYPE_CHECKING:
    from memory_pipeline.stages.context import StageContext

GROUP = "5_reflections"


@dg.asset(
    partitions_def=WEEKS,
    group_name=GROUP,
    deps=[dg.AssetDep(memories, partition_mapping=FROM_DAYS)],
    kinds={"llm", "parquet", "lancedb"},
    owners=OWNERS,
    backfill_policy=dg.BackfillPolicy.single_run(),
    retry_policy=RETRY,
    pool="memories",
    code_version=version_of("patterns"),
    check_specs=before_publication("patterns"),
    description="Alike findings and events in one statement; their memories are superseded by it and kept.",
)
def patterns(
    context: dg.AssetExecutionContext, pipeline: Pipeline
) -> Iterator[dg.AssetCheckResult | dg.MaterializeResult[None]]:
    yield from run_audited(context, pipeline, "patterns", _patterns)


@dg.asset(
    partitions_def=WEEKS,
    group_name=GROUP,
    deps=[dg.AssetDep(memories, partition_mapping=FROM_DAYS), patterns],
    kinds={"llm", "parquet", "lancedb"},
    owners=OWNERS,
    backfill_policy=dg.BackfillPolicy.single_run(),
    retry_policy=RETRY,
    pool="memories",
    code_version=version_of("reflections"),
    check_specs=before_publication("reflections"),
    description="Insights about a user that rest on several memories of several days, with their ids.",
)
def reflections(
    context: dg.AssetExecutionContext, pipeline: Pipeline
) -> Iterator[dg.AssetCheckResult | dg.MaterializeResult[None]]:
    yield from run_audited(context, pipeline, "reflections", _reflections)


def _patterns(ctx: "StageContext", starts: list[date]) -> Made:
    from memory_pipeline.stages.patterns import find_patterns

    report = find_patterns(ctx, [Period(Grain.WEEK, start) for start in starts])
    made = _told(ctx, starts, report.made, "pattern")
    checks = list(results(report.audits, asset_key=dg.AssetKey("patterns")))
    return replace(made, complete=[start for start in starts if not report.failed[start]], checks=checks)


def _reflections(ctx: "StageContext", starts: list[date]) -> Made:
    from memory_pipeline.stages.reflect import reflect

    report = reflect(ctx, [Period(Grain.WEEK, start) for start in starts])
    made = _told(ctx, starts, report.made, "reflection")
    checks = list(results(report.audits, asset_key=dg.AssetKey("reflections")))
    return replace(made, complete=[start for start in starts if not report.failed[start]], checks=checks)


def _told(ctx: "StageContext", starts: list[date], made: Counter[date], kind: str) -> Made:
    rows = ctx.lake.sql(
        "SELECT user_id, content FROM memory_versions WHERE type = $kind AND asserted AND version = 1 "
        "ORDER BY day DESC, importance DESC LIMIT 8",
        {"kind": kind},
    ).to_pylist()
    text = "\n".join(f"* **{row['user_id']}** — {row['content']}" for row in rows)
    return Made(made, {"latest": dg.MetadataValue.md(text or "none yet")})
