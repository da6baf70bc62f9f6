"""Keeping the stores small."""

import dagster as dg

from memory_pipeline.orchestration.resources import Pipeline


@dg.op(description="Compact the index's tables and drop their old versions.")
def maintain_stores(context: dg.OpExecutionContext, pipeline: Pipeline) -> None:
    from memory_pipeline.stages.maintain import maintain

    report = maintain(pipeline.stage_context(context.run_id))
    context.add_output_metadata({name: str(value) for name, value in report.items()})
