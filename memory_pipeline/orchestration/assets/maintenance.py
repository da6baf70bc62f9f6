"""9 · The stores themselves: kept small, with what they take before and after."""

from typing import TYPE_CHECKING, Any

import dagster as dg

from memory_pipeline.orchestration.assets.run_stage import OWNERS
from memory_pipeline.orchestration.metadata.values import table
from memory_pipeline.orchestration.resources import Pipeline

if TYPE_CHECKING:
    from memory_pipeline.stages.publication.audit_result import Audit


@dg.asset(
    group_name="9_operations",
    kinds={"parquet", "lancedb"},
    owners=OWNERS,
    code_version="1",
    description="Closed days in one file, the ledger's checkpoint, the index compacted and without old versions, "
    "temporary files gone, Dagster's event log pruned, and days from which nothing is made marked as done.",
)
def maintenance(context: dg.AssetExecutionContext, pipeline: Pipeline) -> dg.MaterializeResult[None]:
    from memory_pipeline.orchestration.dagster_home.maintenance import maintain_all
    from memory_pipeline.orchestration.runs.empty_partitions import report_empty

    ctx = pipeline.stage_context(context.run.run_id)
    done = maintain_all(ctx, context.instance)
    before, after = done.stores.before, done.stores.after
    steps = [{"step": step, "what": k, "n": n} for step, found in done.stores.done.items() for k, n in found.items()]
    parts = sorted({*before.datasets, *before.tables, *after.datasets, *after.tables})
    weights = [
        {
            "part": part,
            "bytes before": _bytes(before, part),
            "bytes after": _bytes(after, part),
        }
        for part in parts
    ]
    metadata: dict[str, Any] = {
        "bytes before": before.total.bytes,
        "bytes after": after.total.bytes,
        "live bytes": after.live_bytes,
        "files before": before.total.files,
        "files after": after.total.files,
        "event log: logs of runs removed": done.history.logs,
        "event log: events removed": done.history.events,
        "event log: bytes freed": done.history.freed,
        "partitions with nothing to make": report_empty(context.instance, ctx),
        "by part": table(weights),
        "steps": table(steps),
    }
    return dg.MaterializeResult(metadata=metadata)


@dg.asset_check(asset=maintenance, description="Lake and index take no more bytes than they may.")
def store_size(context: dg.AssetCheckExecutionContext, pipeline: Pipeline) -> dg.AssetCheckResult:
    from memory_pipeline.stages.publication import store_audit

    return _result(store_audit.store_size(pipeline.stage_context(context.run.run_id)))


@dg.asset_check(asset=maintenance, description="Lake and index have no more files than they may.")
def file_count(context: dg.AssetCheckExecutionContext, pipeline: Pipeline) -> dg.AssetCheckResult:
    from memory_pipeline.stages.publication import store_audit

    return _result(store_audit.file_count(pipeline.stage_context(context.run.run_id)))


def _result(found: "Audit") -> dg.AssetCheckResult:
    """A warning: the stores work on, and whoever looks after them has to decide what to keep."""
    return dg.AssetCheckResult(
        passed=found.ok,
        severity=dg.AssetCheckSeverity.WARN,
        description=found.detail,
        metadata={"heaviest parts": table(found.examples)},
    )


def _bytes(size: Any, part: str) -> int:
    weight = size.datasets.get(part) or size.tables.get(part)
    return weight.bytes if weight else 0
