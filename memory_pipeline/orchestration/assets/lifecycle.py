"""6 and 7 · What reads say of the memories, and what time does to them."""

from collections import Counter
from collections.abc import Iterator
from datetime import date
from typing import TYPE_CHECKING, Any

import dagster as dg

from memory_pipeline.orchestration.assets.memories import memories
from memory_pipeline.orchestration.charts import bars, lines
from memory_pipeline.orchestration.checks import before_publication, results, run_audited
from memory_pipeline.orchestration.metadata import chart, table
from memory_pipeline.orchestration.partitions import DAYS
from memory_pipeline.orchestration.resources import Pipeline
from memory_pipeline.orchestration.run_stage import OWNERS, Made, run_stage
from memory_pipeline.orchestration.versions import version_of

if TYPE_CHECKING:
    from memory_pipeline.domain.policy import Policy
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
    return run_stage(context, pipeline, "recall_feedback", collected)


def collected(ctx: "StageContext", days: list[date]) -> Made:
    """Fold the recall log's spools of some days into the lake, and tell how much of them was torn."""
    from memory_pipeline.stages.feedback import collect
    from memory_pipeline.storage.recall_log import RecallLog

    made = collect(ctx, days)
    lost = RecallLog(ctx.settings.path("recall")).unreadable()
    return Made(made, {"lines of spools that cannot be read": lost})


@dg.asset(
    partitions_def=DAYS,
    group_name="7_lifecycle",
    deps=[memories],
    kinds={"parquet", "lancedb"},
    owners=OWNERS,
    backfill_policy=dg.BackfillPolicy.single_run(),
    pool="memories",
    code_version=version_of("lifecycle"),
    check_specs=before_publication("lifecycle"),
    description="Active, stale, archived, closed: what the policy table says that time does, as versions with reasons.",
)
def lifecycle(
    context: dg.AssetExecutionContext, pipeline: Pipeline
) -> Iterator[dg.AssetCheckResult | dg.MaterializeResult[None]]:
    yield from run_audited(context, pipeline, "lifecycle", _age)


def _age(ctx: "StageContext", days: list[date]) -> Made:
    from memory_pipeline.stages.age import age

    report = age(ctx, days)
    changes = sorted(report.changes.items())
    rows = [{"day": day, "change": c, "memories": n} for day, found in changes for c, n in found.items()]
    metadata = {"transitions": table(rows[-50:]), **_curves(ctx.policy), **_structure(ctx, max(days))}
    return Made(report.rows(), metadata, checks=list(results(report.audits, asset_key=dg.AssetKey("lifecycle"))))


_CURVE_DAYS, _PLACES = 365, 73
_EXAMPLE = 0.9  # NM-36 tells of a memory of this importance


def _curves(policy: "Policy") -> dict[str, Any]:
    """What a year without mention or read leaves of an importance of 0.9, by curve and the types that follow it."""
    from memory_pipeline.domain.strength import strength

    types = {name: [t for t, rules in policy.lifecycle.items() if rules.curve == name] for name in policy.curves}
    days = [n * _CURVE_DAYS / (_PLACES - 1) for n in range(_PLACES)]
    drawn = {
        f"{name} ({', '.join(types[name])})": [strength(_EXAMPLE, d, curve) for d in days]
        for name, curve in policy.curves.items()
        if types[name]
    }
    return {"strength curves": chart(lines(drawn, ["0", "3 months", "6 months", "9 months", "a year"]))}


def _structure(ctx: "StageContext", on: date) -> dict[str, Any]:
    """The whole store's memories by age, as charts, and by status, as figures that the UI plots over the days."""
    from memory_pipeline.storage.ageing import AGES, age_structure

    by_status: dict[str, dict[str, int]] = {age: {} for age in AGES}
    by_type: dict[str, dict[str, int]] = {age: {} for age in AGES}
    totals: Counter[str] = Counter()
    for group in age_structure(ctx.lake, on):
        age = AGES[group.age]
        by_status[age][group.status] = by_status[age].get(group.status, 0) + group.memories
        by_type[age][group.type] = by_type[age].get(group.type, 0) + group.memories
        totals[group.status] += group.memories
    return {
        "memories by age and status": chart(bars(by_status)),
        "memories by age and type": chart(bars(by_type)),
        **{f"{status} memories": n for status, n in totals.items()},
    }
