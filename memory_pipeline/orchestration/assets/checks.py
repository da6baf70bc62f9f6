"""Asset checks: the audits beside the assets that they are about.

What is added to the ledger is audited before it is published: those checks are yielded by the assets themselves. The
others look at what is there.
"""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import dagster as dg

from memory_pipeline.errors import AuditFailed
from memory_pipeline.orchestration.assets.run_stage import Work, run_stage
from memory_pipeline.orchestration.metadata.values import table
from memory_pipeline.orchestration.resources import Pipeline
from memory_pipeline.stages.publication import audit, auditing

if TYPE_CHECKING:
    from memory_pipeline.stages.publication.audit import Audit


def before_publication(asset: str) -> list[dg.AssetCheckSpec]:
    """The audits that hold for what an asset writes, as blocking checks."""
    rules = auditing.rules_of(asset).items()
    return [dg.AssetCheckSpec(name, asset=asset, description=rule, blocking=True) for name, rule in rules]


def results(found: "Iterable[Audit]", **where: Any) -> Iterator[dg.AssetCheckResult]:
    """Audits as the results of checks.

    Args:
        where: the check that they are results of, where it is not the one that is running.
    """
    for one in found:
        metadata: dict[str, Any] = {"rows that break it": one.found, "rule": one.detail}
        if one.examples:
            metadata["examples"] = table(one.examples)
        if one.accepted:
            metadata["accepted"] = "did not pass, and was accepted by whoever started the run"
        name = {"check_name": one.name, **where} if where else {}
        yield dg.AssetCheckResult(passed=one.ok or one.accepted, metadata=metadata, description=one.detail, **name)


def run_audited(
    context: dg.AssetExecutionContext, pipeline: Pipeline, stage: str, work: Work
) -> Iterator[dg.AssetCheckResult | dg.MaterializeResult[None]]:
    """Run a stage whose work audits what it makes before it publishes it; see :func:`run_stage`.

    Raises:
        dagster.Failure: an audit has failed, and nothing was published.
    """
    try:
        made = run_stage(context, pipeline, stage, work)
    except AuditFailed as failed:
        yield from results(failed.audits, asset_key=context.asset_key)
        raise dg.Failure(str(failed), allow_retries=False) from failed
    yield made


def _of_partitions(asset: str, check: audit.PartitionAudit) -> dg.AssetChecksDefinition:
    name = check.__name__

    @dg.asset_check(asset=asset, name=name, description=check.__doc__)
    def run(context: dg.AssetCheckExecutionContext, pipeline: Pipeline) -> dg.AssetCheckResult:
        from memory_pipeline.orchestration.partitions import partitions_of_run

        ctx = pipeline.stage_context(context.run.run_id)
        (result,) = results([check(ctx, partitions_of_run(context.run, ctx.lake.days("messages")))])
        return result

    return run


def all_checks() -> Iterable[dg.AssetChecksDefinition]:
    """Every audit of what is there as an asset check."""
    for asset, checks in audit.OF_PARTITIONS.items():
        if asset != "memories":
            for check in checks:
                yield _of_partitions(asset, check)
