"""Tables of the index that are damaged or gone, made again from the lake; kept vectors are not encoded anew."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from memory_pipeline.domain.calendar import Grain
from memory_pipeline.domain.derived.summary import Summary, SummaryGrain
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.publication.one_writer import alone

INDEX = "index"
"""What is taken while tables of the index are made again."""
_ROWS = {"memories": "memory_versions", "messages": "messages", "summaries": "summaries"}


def damages(ctx: StageContext, *, whole: bool = False) -> dict[str, str]:
    """What is wrong with each table that is damaged, or of which nothing is left; see :func:`index_damage.damage`."""
    from memory_pipeline.storage.vectors.index import TABLES

    found = {}
    for name in TABLES:
        if wrong := ctx.index.damage(name, whole=whole):
            found[name] = f"{ctx.index.place(name)}: {wrong}"
        elif _gone(ctx, name):
            found[name] = f"{ctx.index.place(name)}: the table is gone"
    return found


def repair(ctx: StageContext, *, whole: bool = False) -> Mapping[str, str]:
    """Make every such table again. Returns what was wrong with it, by name.

    Summaries that the next run makes anew are left to it: what the user took back stands in them.

    Args:
        whole: look at the values, too.

    Raises:
        StorageError: what is left of a table cannot be removed.
    """
    if ctx.settings.remote:
        return {}
    with alone(ctx.settings, INDEX):
        found = damages(ctx, whole=whole)
        for name, wrong in found.items():
            ctx.progress(f"making the index of {name} again ({wrong})", 0, None)
            ctx.index.discard(name)
        for name in found:
            _FILLING[name](ctx)
    return found


def _gone(ctx: StageContext, name: str) -> bool:
    """Whether a stage has had rows for a table of which there is nothing now."""
    from memory_pipeline.stages.plan import freshness
    from memory_pipeline.stages.plan.registry import STAGES

    if ctx.settings.remote or ctx.index.dataset(name) is not None or not ctx.lake.days(_ROWS[name]):
        return False
    return any(stage.table == name and freshness.provenance(ctx, stage) for stage in STAGES)


def _messages(ctx: StageContext) -> None:
    from memory_pipeline.stages.messages.index_messages import index_messages

    index_messages(ctx, ctx.lake.days("messages"))


def _memories(ctx: StageContext) -> None:
    from memory_pipeline.stages.publication.publish import index_days

    index_days(ctx, ctx.lake.days("memory_versions"))


def _summaries(ctx: StageContext) -> None:
    from memory_pipeline.stages.plan import freshness
    from memory_pipeline.stages.plan.registry import STAGES
    from memory_pipeline.stages.summaries.summary_store import index_summaries

    stale = {stage.grain: freshness.why(ctx, stage) for stage in STAGES if stage.table == "summaries"}
    fresh = [
        summary
        for summary in ctx.lake.read("summaries", Summary)
        if summary.grain is not SummaryGrain.SESSION
        and set(stale[Grain(summary.grain)].get(summary.start, ())) <= {freshness.Changed.LOST}
    ]
    index_summaries(ctx, fresh)


_FILLING: Mapping[str, Callable[[StageContext], None]] = {
    "memories": _memories,
    "messages": _messages,
    "summaries": _summaries,
}
