"""Asset checks: the audits of the stores, beside the assets that they are about."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import dagster as dg

from memory_pipeline.orchestration.metadata import table
from memory_pipeline.orchestration.resources import Pipeline
from memory_pipeline.stages import audit

if TYPE_CHECKING:
    from memory_pipeline.stages.audit import Audit

# Without these nothing downstream can be trusted.
_BLOCKING = frozenset({"evidence_exists", "every_proposal_has_a_verdict", "retired_share"})


def _result(found: "Audit") -> dg.AssetCheckResult:
    metadata: dict[str, Any] = {"rows that break it": found.found, "rule": found.detail}
    if found.examples:
        metadata["examples"] = table(found.examples)
    return dg.AssetCheckResult(passed=found.ok, metadata=metadata, description=found.detail)


def _of_partitions(asset: str, check: audit.PartitionAudit) -> dg.AssetChecksDefinition:
    name = check.__name__

    @dg.asset_check(asset=asset, name=name, description=check.__doc__, blocking=name in _BLOCKING)
    def run(context: dg.AssetCheckExecutionContext, pipeline: Pipeline) -> dg.AssetCheckResult:
        from memory_pipeline.orchestration.partitions import partitions_of_run

        ctx = pipeline.stage_context(context.run.run_id)
        return _result(check(ctx, partitions_of_run(context.run, ctx.lake.days("messages"))))

    return run


def all_checks() -> Iterable[dg.AssetChecksDefinition]:
    """Every audit as an asset check."""
    for asset, checks in audit.OF_PARTITIONS.items():
        for check in checks:
            yield _of_partitions(asset, check)
