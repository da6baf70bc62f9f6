"""What rested on erased messages, made anew from what is left by the stages that make it on any night."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date

from memory_pipeline.domain.calendar import Grain, Period
from memory_pipeline.domain.erasure import Erasure
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.freshness import BY_NAME, STAGES, Stage, inputs, made, record, restate, stale

_ORDER = ("message_vectors", "proposals", "memories", "lifecycle", "patterns", "reflections")
_AFTER = ("memory_vectors", "memory_links", "daily_summaries", "weekly_summaries", "monthly_summaries")


@dataclass(frozen=True, slots=True)
class _Done:
    rows: Mapping[date, int] = field(default_factory=dict)
    failed: Iterable[date] = ()


def stale_partitions(ctx: StageContext) -> dict[str, tuple[date, ...]]:
    """What is missing or out of date now, by stage."""
    return {stage.name: tuple(stale(ctx, stage)) for stage in STAGES}


def remake(ctx: StageContext, erasure: Erasure) -> Counter[str]:
    """Make what is derived anew, up to reflections. Returns partitions made, by stage.

    Raises:
        ModelError: a model cannot be reached; what was erased is gone, and the rest is made by the next try.
    """
    from memory_pipeline.stages.consolidate import replay_users

    done: Counter[str] = Counter()
    for name in _ORDER:
        starts = _due(ctx, erasure, name)
        if name == "memories":
            users = {scope: reached.again["memories"] for scope, (_, reached) in erasure.partly.items()}
            for scope, days in sorted(users.items()):
                replay_users(ctx, [scope], min(days))
                done[name] += len(days)
            last = max(ctx.lake.days("memory_versions"), default=date.min)
            starts = [day for day in starts if day > last]  # a replay ends there; nobody else's days have changed
        done[name] += _make(ctx, BY_NAME[name], starts)
    return +done


def finish(ctx: StageContext, erasure: Erasure) -> Counter[str]:
    """Make the index, links and summaries anew. Returns partitions made, by stage."""
    from memory_pipeline.stages.publish import index_memories

    done: Counter[str] = Counter()
    index_memories(ctx, {i for _, reached in erasure.partly.values() for i in reached.memories})
    for name in _AFTER:
        done[name] += _make(ctx, BY_NAME[name], _due(ctx, erasure, name))
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
    known = made(ctx, BY_NAME[name])
    before = erasure.stale.get(name, ())
    return sorted((again | set(stale(ctx, BY_NAME[name]))).intersection(known).difference(before))


def _make(ctx: StageContext, stage: Stage, starts: Sequence[date]) -> int:
    if not starts:
        return 0
    made_from = inputs(ctx, stage)
    found = _WORK[stage.name](ctx, starts)
    complete = [start for start in starts if start not in set(found.failed)]
    record(ctx, stage, made_from, complete, found.rows)
    return len(starts)


def _vectors(ctx: StageContext, days: Sequence[date]) -> _Done:
    from memory_pipeline.stages.index_messages import index_messages

    return _Done(index_messages(ctx, days))


def _proposals(ctx: StageContext, days: Sequence[date]) -> _Done:
    from memory_pipeline.stages.extract import extract

    report = extract(ctx, days, keep_former=False)  # it may have seen what is erased
    return _Done(report.proposals)


def _memories(ctx: StageContext, days: Sequence[date]) -> _Done:
    from memory_pipeline.stages.consolidate import consolidate

    report = consolidate(ctx, days)
    return _Done({day: found.total() for day, found in report.changes.items()}, report.failed)


def _lifecycle(ctx: StageContext, days: Sequence[date]) -> _Done:
    from memory_pipeline.stages.age import age

    return _Done(age(ctx, days).rows())


def _patterns(ctx: StageContext, starts: Sequence[date]) -> _Done:
    from memory_pipeline.stages.patterns import find_patterns

    return _weekly(find_patterns(ctx, [Period(Grain.WEEK, start) for start in starts]))


def _reflections(ctx: StageContext, starts: Sequence[date]) -> _Done:
    from memory_pipeline.stages.reflect import reflect

    return _weekly(reflect(ctx, [Period(Grain.WEEK, start) for start in starts]))


def _weekly(report: object) -> _Done:
    failed: Mapping[date, int] = getattr(report, "failed", {})
    return _Done(getattr(report, "made", {}), [start for start, n in failed.items() if n])


def _memory_vectors(ctx: StageContext, days: Sequence[date]) -> _Done:
    from memory_pipeline.stages.publish import index_days

    index_days(ctx, days)
    return _Done()


def _links(ctx: StageContext, days: Sequence[date]) -> _Done:
    from memory_pipeline.stages.link import link

    return _Done(link(ctx, days).links)


def _told(grain: Grain) -> Callable[[StageContext, Sequence[date]], _Done]:
    def work(ctx: StageContext, starts: Sequence[date]) -> _Done:
        from memory_pipeline.stages.summarize import summarize

        report = summarize(ctx, [Period(grain, start) for start in starts])
        rows = {start: sum(s.session_id is None for s in found) for start, found in report.made.items()}
        return _Done(rows, [start for start, n in report.failed.items() if n])

    return work


_WORK: Mapping[str, Callable[[StageContext, Sequence[date]], _Done]] = {
    "message_vectors": _vectors,
    "proposals": _proposals,
    "memories": _memories,
    "lifecycle": _lifecycle,
    "patterns": _patterns,
    "reflections": _reflections,
    "memory_vectors": _memory_vectors,
    "memory_links": _links,
    "daily_summaries": _told(Grain.DAY),
    "weekly_summaries": _told(Grain.WEEK),
    "monthly_summaries": _told(Grain.MONTH),
}
