"""6 and 7 · What reads say of the memories, and what time does to them."""

from datetime import date
from typing import TYPE_CHECKING

import dagster as dg

from memory_pipeline.orchestration.assets.memories import memories
from memory_pipeline.orchestration.metadata import table
from memory_pipeline.orchestration.partitions import DAYS
from memory_pipeline.orchestration.resources import Pipeline
from memory_pipeline.orchestration.run_stage import OWNERS, Made, run_stage
from memory_pipeline.orchestration.versions import version_of

if TYPE_CHECKING:
    from memory_pipeline.stages.context import StageContext


@dg.asset(
    partitions_def=DAYS,
    group_name="6_recall",
    kinds={"parquet"},
    owners=OWNERS,
    backfill_policy=dg.BackfillPolicy.single_run(),
    code_version=version_of("recall_feedback"),
    description="Reads and the feedback on them: access counts, last access and usefulness of each item.",
)
def recall_feedback(context: dg.AssetExecutionContext, pipeline: Pipeline) -> dg.MaterializeResult[None]:
    return run_stage(context, pipeline, "recall_feedback", _feedback)


def _feedback(ctx: "StageContext", days: list[date]) -> Made:
    from memory_pipeline.stages.feedback import collect

    return Made(collect(ctx, days))


@dg.asset(
    partitions_def=DAYS,
    group_name="7_lifecycle",
    deps=[memories],
    kinds={"parquet", "lancedb"},
    owners=OWNERS,
    backfill_policy=dg.BackfillPolicy.single_run(),
    pool="memories",
    code_version=version_of("lifecycle"),
    description="Active, stale, archived, closed: what the policy table says that time does, as versions with reasons.",
)
def lifecycle(context: dg.AssetExecutionContext, pipeline: Pipeline) -> dg.MaterializeResult[None]:
    return run_stage(context, pipeline, "lifecycle", _age)


def _age(ctx: "StageContext", days: list[date]) -> Made:
    from memory_pipeline.stages.age import age

    report = age(ctx, days)
    rows = [{"day": d, "change": c, "memories": n} for d, found in sorted(report.items()) for c, n in found.items()]
    return Made({day: found.total() for day, found in report.items()}, {"transitions": table(rows[-50:])})
