"""A memory's life without anybody touching it: active → stale → archived, open loops that run out, facts that expire.

Transitions happen on a day that follows from the memory and the policy alone, not from when the job runs: late runs,
back-fills and nightly runs make the same versions. What also depends on reads is in ``domain.ledger.fading``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date, datetime, timedelta

from memory_pipeline.domain.calendar import day_start, local_day
from memory_pipeline.domain.ledger.memory import Cause, Change, MemoryVersion, Status, evolve
from memory_pipeline.domain.policy import LifecyclePolicy
from memory_pipeline.domain.proposal import MemoryType

_Step = tuple[date, Change, Status, str]

AGEING = frozenset({Status.ACTIVE, Status.STALE})
"""States that time may change."""


def _steps(memory: MemoryVersion, rules: LifecyclePolicy) -> Iterator[_Step]:
    """Every transition that the policy foresees for the state as it is, with its day.

    A pinned memory has none, but for the day from which on something else was told to hold in its place.
    """
    if memory.status in AGEING and memory.superseded_by and memory.valid_until is not None:
        day = later(memory, memory.valid_until, 1)
        yield day, Change.SUPERSEDE, Status.SUPERSEDED, "what was told to take its place has begun"
        return
    if memory.pinned or memory.status not in AGEING:  # DL-27
        return
    quiet_since = memory.referenced_at
    if memory.valid_until is not None:
        yield later(memory, memory.valid_until, 1), Change.EXPIRE, Status.ARCHIVED, "no longer valid"
    if memory.status is Status.ACTIVE and memory.type is MemoryType.OPEN_LOOP:
        if memory.due_at is not None:
            due = max(memory.due_at, quiet_since)  # stated after its due date, it counts as due when stated
            yield later(memory, due, rules.grace + 1), Change.CLOSE, Status.CLOSED, "due date passed"
        elif rules.silence_after:
            day = later(memory, quiet_since, rules.silence_after)
            yield day, Change.CLOSE, Status.CLOSED, f"not mentioned for {rules.silence_after} days"
    if memory.status is Status.ACTIVE and rules.stale_after:
        day = later(memory, quiet_since, rules.stale_after)
        yield day, Change.STALE, Status.STALE, f"not referred to for {rules.stale_after} days"
    if memory.status is Status.STALE and rules.archive_after:
        day = _plus(memory.day, rules.archive_after)
        yield day, Change.ARCHIVE, Status.ARCHIVED, f"stale for {rules.archive_after} days"


def later(memory: MemoryVersion, at: datetime, days: int) -> date:
    """The local day so many days after a time; ``date.max`` (never) for a time at the end of the calendar."""
    try:
        return _plus(local_day(at, memory.timezone), days)
    except OverflowError:
        return date.max if at.year > 1 else date.min


def _plus(day: date, days: int) -> date:
    return day + timedelta(days=days) if (date.max - day).days > days else date.max


def _next(memory: MemoryVersion, policy: Mapping[MemoryType, LifecyclePolicy]) -> _Step | None:
    coming = (step for step in _steps(memory, policy[memory.type]) if step[0] < date.max)
    return min(coming, key=lambda s: s[0], default=None)


def review_on(memory: MemoryVersion, policy: Mapping[MemoryType, LifecyclePolicy]) -> date | None:
    """First local day on which the policy changes the memory; None when it never does."""
    step = _next(memory, policy)
    return None if step is None else max(step[0], memory.day)


def advance(
    memory: MemoryVersion, through: date, policy: Mapping[MemoryType, LifecyclePolicy]
) -> Iterator[MemoryVersion]:
    """The versions that time makes of a memory until the end of a local day, in order (DL-26)."""
    while (step := _next(memory, policy)) is not None:
        day, change, status, reason = step
        day = max(day, memory.day)
        if day > through:
            return
        memory = evolve(
            memory,
            change=change,
            cause=Cause.LIFECYCLE,
            reason=reason,
            status=status,
            changed_at=starts(day, memory),
            day=day,
        )
        yield memory


def starts(day: date, memory: MemoryVersion) -> datetime:
    """When a change of that local day takes effect: at its beginning, but never before the memory's last change."""
    return max(day_start(day, memory.timezone), memory.changed_at)
