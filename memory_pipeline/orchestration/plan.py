"""What a run makes, and in which order: exactly the partitions that are missing or stale, oldest first.

Partitions that were never made are made together, all stages in one go. What is made anew goes stage by stage: only
when a stage is done is it known whether anything that rests on it has changed, so nothing is made in vain.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING

from memory_pipeline.domain.calendar import Grain, Period, period_of
from memory_pipeline.domain.summary import is_over
from memory_pipeline.errors import QueryError

if TYPE_CHECKING:
    from memory_pipeline.settings import Settings
    from memory_pipeline.stages.context import StageContext

# Stages that do not rest on each other, in the order of the flow; the last ones tell of all that the others state.
_LEVELS: tuple[tuple[str, ...], ...] = (
    ("message_vectors", "proposals", "recall_feedback"),
    ("memories",),
    ("lifecycle",),
    ("patterns",),
    ("reflections",),
    ("memory_vectors", "memory_links", "daily_summaries", "weekly_summaries", "monthly_summaries"),
)
_UPSTREAM = {
    "memories": "proposals",
    "lifecycle": "memories",
    "memory_vectors": "memories",
    "memory_links": "memories",
    "daily_summaries": "memories",
    "patterns": "memories",
    "reflections": "memories",
    "weekly_summaries": "memories",
    "monthly_summaries": "memories",
}
_GRAINS = tuple(Grain)
_GAP = {Grain.DAY: 7, Grain.WEEK: 21, Grain.MONTH: 93}  # silent days bridged rather than starting another run
_HOSTED_GAP = 62  # what is made together shares calls; a silent day costs 0.2 s of the orchestrator's time
_BATCH_GAP = 366  # a run waits for its batches, so a back-fill shall be few runs
_SPANS = 12  # a run costs a second: many scattered partitions take fresh ones between them along
ENOUGH = 3
"""Times that a run makes a partition: what reflections and patterns change may make one stale once more."""
_Days = Mapping[str, set[date]]


@dataclass(frozen=True, slots=True)
class Step:
    """One Dagster run: some stages over a span of partitions of one grain."""

    grain: Grain
    stages: tuple[str, ...]
    first: date
    last: date

    def partitions(self) -> Iterator[date]:
        """The partitions of the span, oldest first."""
        start = self.first
        while start <= self.last:
            yield start
            start = Period(self.grain, start).end


def plan(
    ctx: StageContext, first: date | None = None, last: date | None = None, only: Sequence[str] = ()
) -> list[Step]:
    """All runs that would make everything missing or stale between two days, and what may follow from it, in order.

    Raises:
        QueryError: ``only`` names a stage that does not exist.
    """
    wanted = _stale(ctx, first, last, only)
    for name in (name for level in _LEVELS for name in level if name in wanted):
        ahead = wanted.get(_UPSTREAM.get(name, ""), set())
        wanted[name] |= _partitions(ctx, name, ahead)
    return _steps(ctx, wanted)


def due(
    ctx: StageContext,
    first: date | None = None,
    last: date | None = None,
    only: Sequence[str] = (),
    done: Mapping[tuple[str, date], int] | None = None,
) -> list[Step]:
    """The runs to make next; when they are done, ask again. None are left when everything is fresh.

    Args:
        done: how often partitions were made since the first time of asking: what is stale still, because a reply did
            not fit, does not hold back the rest for ever.

    Raises:
        QueryError: ``only`` names a stage that does not exist.
    """
    from memory_pipeline.stages.freshness import BY_NAME, made

    wanted = _stale(ctx, first, last, only)
    for name in wanted if done else ():
        wanted[name] = {day for day in wanted[name] if (done or {}).get((name, day), 0) < ENOUGH}
    said = wanted.get("proposals", set())
    new = said - made(ctx, BY_NAME["proposals"]).keys()
    if new != said or not new:
        level = next((level for level in _LEVELS if any(wanted.get(name) for name in level)), ())
        return _steps(ctx, {name: wanted[name] for name in level if name in wanted})
    following = {"proposals"}
    for name in (name for level in _LEVELS for name in level if name in wanted):
        if _UPSTREAM.get(name) in following:
            following.add(name)
            wanted[name] |= _partitions(ctx, name, new) - made(ctx, BY_NAME[name]).keys()
    return _steps(ctx, wanted)


def _stale(ctx: StageContext, first: date | None, last: date | None, only: Sequence[str]) -> dict[str, set[date]]:
    from memory_pipeline.stages.freshness import BY_NAME, stale

    unknown = set(only) - set(BY_NAME)
    if unknown:
        raise QueryError(f"no stage called {', '.join(sorted(unknown))}; the stages are {', '.join(BY_NAME)}")
    return {name: set(stale(ctx, stage, first, last)) for name, stage in BY_NAME.items() if not only or name in only}


def _partitions(ctx: StageContext, name: str, days: Collection[date]) -> set[date]:
    """A stage's partitions that hold some days and can be made now."""
    from memory_pipeline.stages.freshness import BY_NAME

    stage = BY_NAME[name]
    found = {period_of(stage.grain, day) for day in days}
    return {p.start for p in found if not stage.waits or is_over(p, ctx.now)}


def _steps(ctx: StageContext, wanted: _Days) -> list[Step]:
    """Steps in the order of grains, levels and time; stages with the same span share a step."""
    found: dict[tuple[Grain, date, date], list[str]] = {}
    order: dict[tuple[Grain, date, date], tuple[int, int]] = {}
    for n, level in enumerate(_LEVELS):
        for name in (name for name in level if wanted.get(name)):
            for grain, first, last in _spans(ctx, name, wanted[name]):
                found.setdefault((grain, first, last), []).append(name)
                order.setdefault((grain, first, last), (_GRAINS.index(grain), n))
    return [
        Step(grain, tuple(found[grain, first, last]), first, last)
        for grain, first, last in sorted(found, key=lambda key: (*order[key], key[1]))
    ]


def _spans(ctx: StageContext, name: str, days: AbstractSet[date]) -> list[tuple[Grain, date, date]]:
    """A stage's stale partitions as spans: without fresh ones between them, unless they are scattered too widely."""
    from memory_pipeline.stages.freshness import BY_NAME, inputs, made

    stage = BY_NAME[name]
    ordered, gap = sorted(days), _gap(ctx.settings, stage.grain)
    spans = _joined(stage.grain, ordered, gap, set())
    if any(day not in days for span in spans for day in _between(stage.grain, *span)):
        fresh = (inputs(ctx, stage).keys() | made(ctx, stage).keys()) - days
        exact = _joined(stage.grain, ordered, gap, fresh)
        spans = exact if len(exact) <= max(_SPANS, len(spans)) else spans
    return [(stage.grain, *span) for span in spans]


def _joined(grain: Grain, days: Sequence[date], gap: int, fresh: AbstractSet[date]) -> list[tuple[date, date]]:
    """Spans of partitions with no longer gap (days) and none that is fresh inside."""
    spans: list[tuple[date, date]] = []
    for day in days:
        near = spans and day - spans[-1][1] <= timedelta(days=gap)
        if near and fresh.isdisjoint(_between(grain, spans[-1][1], day)):
            spans[-1] = (spans[-1][0], day)
        else:
            spans.append((day, day))
    return spans


def _between(grain: Grain, first: date, last: date) -> list[date]:
    """Partitions after one and before another."""
    found = []
    start = Period(grain, first).end
    while start < last:
        found.append(start)
        start = Period(grain, start).end
    return found


def _gap(settings: Settings, grain: Grain) -> int:
    """Silent days that a run bridges rather than ending, for a partition grain."""
    if settings.chat_batch:
        return _BATCH_GAP
    return _GAP[grain] if settings.chat == "builtin" else max(_GAP[grain], _HOSTED_GAP)
