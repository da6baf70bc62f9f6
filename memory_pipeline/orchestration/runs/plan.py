"""What a run makes, and in which order: exactly the partitions that are missing or stale, oldest first.

Partitions that were never made are made together, all stages in one go. What is made anew goes stage by stage: only
when a stage is done is it known whether anything that rests on it has changed, so nothing is made in vain. However far
apart the partitions of a stage are, one run makes them, and leaves those between them alone.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

from memory_pipeline.domain.calendar import Grain, period_of
from memory_pipeline.domain.derived.summary import is_over
from memory_pipeline.errors import QueryError
from memory_pipeline.stages.plan.registry import BY_LEVEL, BY_NAME, Stage

if TYPE_CHECKING:
    from memory_pipeline.stages.context import StageContext

_GRAINS = tuple(Grain)
ENOUGH = 3
"""Times that a run makes a partition: what reflections and patterns change may make one stale once more."""


@dataclass(frozen=True, slots=True)
class Step:
    """One Dagster run: partitions of one grain, made by some stages.

    Attributes:
        partitions: of each stage, in the order of the flow, oldest first; all stages have the same first and last one.
    """

    grain: Grain
    partitions: Mapping[str, tuple[date, ...]]

    @property
    def stages(self) -> tuple[str, ...]:
        return tuple(self.partitions)

    @property
    def first(self) -> date:
        return min(days[0] for days in self.partitions.values())

    @property
    def last(self) -> date:
        return max(days[-1] for days in self.partitions.values())

    def to_dict(self) -> dict[str, Any]:
        """The JSON shape of ``run --json`` under ``planned``."""
        return {
            "stages": list(self.stages),
            "grain": str(self.grain),
            "from": self.first.isoformat(),
            "to": self.last.isoformat(),
            "partitions": {name: len(days) for name, days in self.partitions.items()},
        }


def plan(
    ctx: StageContext, first: date | None = None, last: date | None = None, only: Sequence[str] = ()
) -> list[Step]:
    """All runs that would make everything missing or stale between two days, and what may follow from it, in order.

    Raises:
        QueryError: ``only`` names a stage that does not exist.
    """
    wanted = _stale(ctx, first, last, only)
    for stage in (stage for stage in BY_LEVEL if stage.name in wanted):
        ahead = wanted.get(stage.follows or "", set())
        wanted[stage.name] |= _partitions(ctx, stage, ahead)
    return _steps(wanted)


def due(
    ctx: StageContext,
    first: date | None = None,
    last: date | None = None,
    only: Sequence[str] = (),
    done: Mapping[tuple[str, date], int] | None = None,
    left_open: Mapping[tuple[str, date], str] | None = None,
) -> list[Step]:
    """The runs to make next; when they are done, ask again. None are left when everything is fresh.

    Args:
        done: how often partitions were made since the first time of asking: what becomes stale again and again does
            not hold back the rest for ever.
        left_open: partitions for which a reply did not fit, with the digest of what they were to be made from. As long
            as that is the same, a model that is asked at temperature 0 would say the same: the next run asks again,
            when somebody may have put the server or the prompt right.

    Raises:
        QueryError: ``only`` names a stage that does not exist.
    """
    from memory_pipeline.stages.plan.freshness import provenance

    wanted = _stale(ctx, first, last, only)
    for name in wanted if done else ():
        wanted[name] = {day for day in wanted[name] if (done or {}).get((name, day), 0) < ENOUGH}
    _leave_open(ctx, wanted, left_open or {})
    said = wanted.get("proposals", set())
    new = said - provenance(ctx, BY_NAME["proposals"]).keys()
    if new != said or not new:
        level = min((BY_NAME[name].level for name, days in wanted.items() if days), default=0)
        return _steps({name: days for name, days in wanted.items() if BY_NAME[name].level == level})
    following = {"proposals"}
    for stage in (stage for stage in BY_LEVEL if stage.name in wanted):
        if stage.follows in following:
            following.add(stage.name)
            wanted[stage.name] |= _partitions(ctx, stage, new) - provenance(ctx, stage).keys()
    return _steps(wanted)


def _leave_open(ctx: StageContext, wanted: Mapping[str, set[date]], left_open: Mapping[tuple[str, date], str]) -> None:
    from memory_pipeline.stages.plan.freshness import inputs

    for name in {name for name, _ in left_open}:
        there = inputs(ctx, BY_NAME[name]) if wanted.get(name) else {}
        same = {day for (stage, day), made_from in left_open.items() if stage == name and there.get(day) == made_from}
        wanted.get(name, set()).difference_update(same)


def _stale(ctx: StageContext, first: date | None, last: date | None, only: Sequence[str]) -> dict[str, set[date]]:
    from memory_pipeline.stages.plan.freshness import stale

    unknown = set(only) - set(BY_NAME)
    if unknown:
        raise QueryError(f"no stage called {', '.join(sorted(unknown))}; the stages are {', '.join(BY_NAME)}")
    # What a machine whose clock was ahead has left is no partition yet: it is made when its day has come.
    last = min(last or date.max, (ctx.now + timedelta(days=1)).date())
    return {name: set(stale(ctx, stage, first, last)) for name, stage in BY_NAME.items() if not only or name in only}


def _partitions(ctx: StageContext, stage: Stage, days: Collection[date]) -> set[date]:
    """A stage's partitions that hold some days and can be made now."""
    found = {period_of(stage.grain, day) for day in days}
    return {p.start for p in found if not stage.waits or is_over(p, ctx.now)}


def _steps(wanted: Mapping[str, Collection[date]]) -> list[Step]:
    """Steps in the order of grains and stages; stages share one where their first and last partitions are the same."""
    found: dict[tuple[Grain, date, date], dict[str, tuple[date, ...]]] = {}
    for stage in (stage for stage in BY_LEVEL if wanted.get(stage.name)):
        days = tuple(sorted(wanted[stage.name]))
        found.setdefault((stage.grain, days[0], days[-1]), {})[stage.name] = days
    return [Step(key[0], found[key]) for key in sorted(found, key=lambda key: _GRAINS.index(key[0]))]
