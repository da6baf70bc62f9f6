"""What rested on erased messages, made anew from what is left by the stages that make it on any night."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date
from functools import partial

from memory_pipeline.domain.erasure import Erasure
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.plan.freshness import provenance, restate, stale
from memory_pipeline.stages.plan.making import make
from memory_pipeline.stages.plan.registry import BY_LEVEL, BY_NAME, STAGES, Stage
from memory_pipeline.stages.plan.work import Work, extract

_LAST = max(stage.level for stage in STAGES)
_RECALLS = "recall_feedback"  # its rows are taken out of the recall log by hand


def stale_partitions(ctx: StageContext) -> dict[str, tuple[date, ...]]:
    """What is missing or out of date now, by stage."""
    return {stage.name: tuple(stale(ctx, stage)) for stage in STAGES}


def remake(ctx: StageContext, erasure: Erasure) -> Counter[str]:
    """Make what is derived anew, up to reflections. Returns partitions made, by stage.

    Raises:
        ModelError: a model cannot be reached; what was erased is gone, and the rest is made by the next try.
    """
    from memory_pipeline.stages.consolidation.consolidate import replay_users

    done: Counter[str] = Counter()
    for stage in BY_LEVEL:
        name = stage.name
        if stage.level == _LAST or name == _RECALLS:
            continue
        starts = _due(ctx, erasure, name)
        if name == "memories":
            users = {scope: reached.again["memories"] for scope, (_, reached) in erasure.partly.items()}
            for scope, days in sorted(users.items()):
                replay_users(ctx, [scope], min(days))
                done[name] += len(days)
            last = max(ctx.lake.days("memory_versions"), default=date.min)
            starts = [day for day in starts if day > last]  # a replay ends there; nobody else's days have changed
        done[name] += _make(ctx, stage, starts)
    return +done


def finish(ctx: StageContext, erasure: Erasure) -> Counter[str]:
    """Make the index, links and summaries anew. Returns partitions made, by stage."""
    from memory_pipeline.stages.publication.publish import index_memories

    done: Counter[str] = Counter()
    index_memories(ctx, {i for _, reached in erasure.partly.values() for i in reached.memories})
    for stage in (stage for stage in BY_LEVEL if stage.level == _LAST):
        done[stage.name] += _make(ctx, stage, _due(ctx, erasure, stage.name))
    return +done


def keep_fresh(ctx: StageContext, erasure: Erasure) -> None:
    """What was up to date stays so: erased rows went out of inputs and outputs alike."""
    for stage in STAGES:
        moved = set(stale(ctx, stage)).difference(erasure.stale.get(stage.name, ()))
        if moved:
            restate(ctx, stage, moved)


def _due(ctx: StageContext, erasure: Erasure, name: str) -> list[date]:
    """Partitions that were up to date, and that the erasure has made stale or taken rows from."""
    again = {day for _, reached in erasure.partly.values() for day in reached.again.get(name, ())}
    known = provenance(ctx, BY_NAME[name])
    before = erasure.stale.get(name, ())
    return sorted((again | set(stale(ctx, BY_NAME[name]))).intersection(known).difference(before))


def _make(ctx: StageContext, stage: Stage, starts: Sequence[date]) -> int:
    if starts:
        make(ctx, stage, starts, _WORK.get(stage.name))
    return len(starts)


# What was proposed before may have seen what is erased.
_WORK: Mapping[str, Work] = {"proposals": partial(extract, keep_former=False)}
