"""The assets of the stages, one for each entry of the registry."""

from collections.abc import Iterator
from datetime import date
from typing import TYPE_CHECKING

import dagster as dg

from memory_pipeline.domain.calendar import Grain
from memory_pipeline.orchestration.assets.checks import before_publication, results, run_audited
from memory_pipeline.orchestration.assets.code_versions import version_of
from memory_pipeline.orchestration.assets.run_stage import OWNERS, RETRY, StageResult, run_stage
from memory_pipeline.orchestration.metadata import stage_metadata
from memory_pipeline.orchestration.metadata.examples import examples
from memory_pipeline.orchestration.partitions import BY_GRAIN, FROM_DAYS
from memory_pipeline.orchestration.resources import Pipeline
from memory_pipeline.stages.plan.registry import BY_NAME, STAGES, Stage

if TYPE_CHECKING:
    from memory_pipeline.stages.context import StageContext


def _asset(stage: Stage) -> dg.AssetsDefinition:
    @dg.asset(
        name=stage.name,
        partitions_def=BY_GRAIN[stage.grain],
        group_name=stage.group,
        deps=[_dependency(stage, name) for name in stage.after],
        kinds=set(stage.kinds),
        owners=OWNERS,
        backfill_policy=dg.BackfillPolicy.single_run(),
        retry_policy=RETRY if stage.prompts else None,
        pool=stage.pool,
        code_version=version_of(stage.name),
        check_specs=before_publication(stage.name) if stage.writes_ledger else None,
        description=stage.description,
    )
    def made(
        context: dg.AssetExecutionContext, pipeline: Pipeline
    ) -> Iterator[dg.AssetCheckResult | dg.MaterializeResult[None]]:
        if stage.writes_ledger:
            yield from run_audited(context, pipeline, stage.name, lambda ctx, starts: make(ctx, stage, starts))
        else:
            yield run_stage(context, pipeline, stage.name, lambda ctx, starts: make(ctx, stage, starts))

    return made


def _dependency(stage: Stage, name: str) -> dg.AssetDep:
    upstream = BY_NAME.get(name)
    days = (upstream is None or upstream.grain is Grain.DAY) and stage.grain is not Grain.DAY
    return dg.AssetDep(dg.AssetKey(name), partition_mapping=FROM_DAYS) if days else dg.AssetDep(dg.AssetKey(name))


def make(ctx: "StageContext", stage: Stage, starts: list[date]) -> StageResult:
    """A stage's work on some partitions, with what is shown of it."""
    calls, hits = ctx.replies.calls, ctx.replies.hits
    found = stage.work(ctx, starts)
    work = stage_metadata.Work(ctx, starts, found, ctx.replies.calls - calls, ctx.replies.hits - hits)
    shown = stage_metadata.metadata_of(stage, work)
    return StageResult(
        found.rows if shown.rows is None else shown.rows,
        dict(shown.metadata),
        complete=[start for start in starts if start not in found.failed],
        beside=shown.beside,
        figures=shown.figures,
        examples=examples(ctx, stage.name, stage.grain, starts),
        checks=list(results(found.audits, asset_key=dg.AssetKey(stage.name))),
    )


ASSETS = tuple(_asset(stage) for stage in STAGES)
