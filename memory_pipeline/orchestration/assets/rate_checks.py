"""The rates as asset checks that warn: the values of the run's days, and how they have moved."""

from collections.abc import Iterator

import dagster as dg

from memory_pipeline.domain.rates import Rate, total, trend
from memory_pipeline.orchestration.metadata.values import table
from memory_pipeline.orchestration.partitions import partitions_of_run
from memory_pipeline.orchestration.resources import Pipeline

_ASSETS = {Rate.UNFIT: "proposals", Rate.STALE: "lifecycle"}


def _check(rate: Rate) -> dg.AssetChecksDefinition:
    @dg.asset_check(asset=_ASSETS.get(rate, "memories"), name=f"{rate}_rate", description=f"The {rate.meaning}.")
    def run(context: dg.AssetCheckExecutionContext, pipeline: Pipeline) -> dg.AssetCheckResult:
        from memory_pipeline.storage.queries.rate_queries import rates, span_before

        ctx = pipeline.stage_context(context.run.run_id)
        by_call = rate is Rate.UNFIT  # counted on the day of the call, which is the run's
        known = ctx.lake.days("messages")
        days = [ctx.now.date()] if by_call else partitions_of_run(context.run, known)
        before = span_before(days, ctx.policy.rates.trailing_days)
        found = rates(ctx.lake, [*before, *days])[rate]
        judged = trend(rate, total(found, days), total(found, before), ctx.policy.rates)
        shown = [
            {"day": day, "counted": found[day].whole, "rate": round(found[day].share, 4)}
            for day in sorted(found)[-ctx.policy.rates.trailing_days :]
        ]
        return dg.AssetCheckResult(
            passed=judged.ok,
            severity=dg.AssetCheckSeverity.WARN,
            description=judged.told,
            metadata={
                "rate": judged.now.share,
                "rate before": judged.before.share,
                "counted": judged.now.whole,
                "warns above": judged.limit,
                "by day": table(shown),
            },
        )

    return run


def rate_checks() -> Iterator[dg.AssetChecksDefinition]:
    """A check for each rate."""
    for rate in Rate:
        yield _check(rate)
