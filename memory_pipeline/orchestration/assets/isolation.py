"""9 · Whether users read their own rows only: canaries, and the daily probe."""

from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import dagster as dg

from memory_pipeline.orchestration.assets.run_stage import OWNERS
from memory_pipeline.orchestration.metadata.values import table
from memory_pipeline.orchestration.resources import Pipeline

if TYPE_CHECKING:
    from memory_pipeline.evaluation.isolation.probe import Probe

CHECK = "no_foreign_row_is_read"
_SHOWN = 50


@dg.asset(
    group_name="9_operations",
    kinds={"lancedb"},
    owners=OWNERS,
    code_version="1",
    check_specs=[
        dg.AssetCheckSpec(
            CHECK,
            asset="isolation",
            blocking=True,
            description="Users who read with somebody else's words, another tenant's where there is one, get nothing "
            "that is not theirs; no tenant reads another's canary.",
        )
    ],
    description="A probe of the reads: canary memories in every tenant, and reads with the nearest neighbours of "
    "others' memories.",
)
def isolation(context: dg.AssetExecutionContext, pipeline: Pipeline) -> dg.MaterializeResult:  # type: ignore[type-arg]
    from memory_pipeline.evaluation.isolation.probe import plant, probe, recent_users
    from memory_pipeline.retrieval.reader import MemoryReader

    ctx = pipeline.stage_context(context.run.run_id)
    users = recent_users(ctx)
    planted = plant(ctx, {scope.tenant_id for scope in users})
    reader = MemoryReader(ctx.settings, encoder=ctx.encoder, recorded=False)
    found = probe(ctx, reader, users, datetime.now(UTC).date(), planted)
    return dg.MaterializeResult(metadata=_figures(found), check_results=[_result(found)])


def _figures(found: "Probe") -> dict[str, dg.MetadataValue]:
    figures = {
        "tenants": found.tenants,
        "users": found.users,
        "canaries planted": found.planted,
        "reads": found.reads,
        "foreign rows": len(found.foreign),
    }
    return {name: dg.MetadataValue.int(figure) for name, figure in figures.items()}


def _result(found: "Probe") -> dg.AssetCheckResult:
    shown = {"foreign rows": table([asdict(row) for row in found.foreign[:_SHOWN]])} if found.foreign else {}
    return dg.AssetCheckResult(
        check_name=CHECK,
        passed=not found.foreign,
        description=f"{len(found.foreign)} foreign rows in {found.reads} reads of {found.users} users",
        metadata=shown,
    )
