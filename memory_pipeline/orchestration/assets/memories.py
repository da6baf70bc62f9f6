"""3 · Memories: the gate, consolidation, links and vectors."""

from collections import Counter
from collections.abc import Iterator
from datetime import date
from typing import TYPE_CHECKING

import dagster as dg

from memory_pipeline.domain.rates import Rate
from memory_pipeline.domain.reasons import meaning
from memory_pipeline.orchestration.assets.proposals import proposals
from memory_pipeline.orchestration.checks import before_publication, results, run_audited
from memory_pipeline.orchestration.metadata import table
from memory_pipeline.orchestration.partitions import DAYS
from memory_pipeline.orchestration.resources import Pipeline
from memory_pipeline.orchestration.run_stage import LATER, OWNERS, RETRY, Made, run_stage
from memory_pipeline.orchestration.versions import version_of

if TYPE_CHECKING:
    from memory_pipeline.stages.context import StageContext

GROUP = "3_memories"


@dg.asset(
    partitions_def=DAYS,
    group_name=GROUP,
    deps=[proposals],
    kinds={"parquet", "llm"},
    owners=OWNERS,
    backfill_policy=dg.BackfillPolicy.single_run(),
    retry_policy=RETRY,
    pool="memories",
    code_version=version_of("memories"),
    check_specs=before_publication("memories"),
    description="The append-only ledger of memory versions. Each user's days are replayed in order through the gate "
    "and consolidation; every proposal gets a verdict. Nothing is published unless every check has passed.",
)
def memories(
    context: dg.AssetExecutionContext, pipeline: Pipeline
) -> Iterator[dg.AssetCheckResult | dg.MaterializeResult[None]]:
    yield from run_audited(context, pipeline, "memories", _consolidate)


def _consolidate(ctx: "StageContext", days: list[date]) -> Made:
    from memory_pipeline.stages.consolidate import consolidate

    report = consolidate(ctx, days)
    reasons = Counter[tuple[str, str]]()
    for day in days:
        reasons.update(report.verdicts.get(day, {}))
    changes = Counter[str]()
    for found in report.changes.values():
        changes.update(found)
    verdicts = [
        {"verdict": o, "reason": r, "proposals": n, "share": f"{n / reasons.total():.1%}", "meaning": meaning(r)}
        for (o, r), n in reasons.most_common()
    ]
    figures = _figures(ctx, days)
    rows = {d: report.changes[d].total() + report.withdrawn[d] for d in {*report.changes, *report.withdrawn}}
    return Made(
        {day: found.total() for day, found in report.changes.items()},
        {
            "verdicts": table(verdicts),
            "changes": table([{"change": c, "versions": n} for c, n in changes.most_common()]),
            "versions withdrawn": report.withdrawn.total(),
            LATER: len(report.replayed),
            "days with a judge's reply that did not fit": len(report.failed),
        },
        complete=[d for d in days if d not in report.failed],
        beside=rows,
        figures=figures,
        checks=list(results(report.audits, asset_key=dg.AssetKey("memories"))),
    )


def _figures(ctx: "StageContext", days: list[date]) -> dict[date, dict[str, float]]:
    """The rates of each day, and its windows from which the gate let nothing pass."""
    from memory_pipeline.storage.rates import rates, window_outcomes

    figures: dict[date, dict[str, float]] = {}
    for day, found in window_outcomes(ctx.lake, days).items():
        figures[day] = {"windows of which all was rejected": found.all_rejected}
    for rate, by_day in rates(ctx.lake, days).items():
        if rate is not Rate.UNFIT:
            for day, counted in by_day.items():
                figures.setdefault(day, {})[f"{rate} rate"] = counted.share
    return figures


@dg.asset(
    partitions_def=DAYS,
    group_name=GROUP,
    deps=[memories],
    kinds={"lancedb"},
    owners=OWNERS,
    backfill_policy=dg.BackfillPolicy.single_run(),
    code_version=version_of("memory_vectors"),
    description="Current memories with their vectors: one row a memory, as the ledger has it.",
)
def memory_vectors(context: dg.AssetExecutionContext, pipeline: Pipeline) -> dg.MaterializeResult[None]:
    return run_stage(context, pipeline, "memory_vectors", _index)


def _index(ctx: "StageContext", days: list[date]) -> Made:
    from memory_pipeline.stages.publish import index_days

    changed = index_days(ctx, days)
    statistics = ctx.index.statistics().get("memories", {})
    metadata = {"rows written or removed": changed, "memories in the index": statistics.get("rows", 0)}
    counts = ctx.lake.sql(
        "SELECT day, count(*) AS versions FROM memory_versions WHERE asserted GROUP BY day",
        days={"memory_versions": days},
    )
    return Made(dict(zip(counts["day"].to_pylist(), counts["versions"].to_pylist(), strict=True)), metadata)


@dg.asset(
    partitions_def=DAYS,
    group_name=GROUP,
    deps=[memory_vectors],
    kinds={"parquet", "lancedb"},
    owners=OWNERS,
    backfill_policy=dg.BackfillPolicy.single_run(),
    pool="memory_links",
    code_version=version_of("memory_links"),
    description="Typed links between memories (supersedes, contradicts, caused by, elaborates, related), and the "
    "entities that they are about, with their aliases.",
)
def memory_links(context: dg.AssetExecutionContext, pipeline: Pipeline) -> dg.MaterializeResult[None]:
    return run_stage(context, pipeline, "memory_links", _link)


def _link(ctx: "StageContext", days: list[date]) -> Made:
    from memory_pipeline.stages.link import link

    report = link(ctx, days)
    kinds = ctx.lake.sql(
        "SELECT relation, count(*) AS links FROM links GROUP BY relation ORDER BY links DESC", days={"links": days}
    )
    entities = [{"kind": kind, "entities": n} for kind, n in sorted(report.entities.items())]
    return Made(
        report.links,
        {
            "links by relation": table(kinds.to_pylist()),
            "entities of the users by kind": table(entities),
            "other days written": len(report.others),
        },
    )
