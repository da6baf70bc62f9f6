"""A memory's life without anybody touching it: active → stale → archived, open loops that run out, facts that expire.

Transitions happen on a day that follows from the memory and the policy alone, not from when the job runs: late runs,
back-fills and nightly runs make the same versions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date, datetime, timedelta

from memory_pipeline.domain.calendar import day_start, local_day
from memory_pipeline.domain.memory import Cause, Change, MemoryVersion, Status, evolve
from memory_pipeline.domain.policy import LifecyclePolicy
from memory_pipeline.domain.proposal import MemoryType

_Step = tuple[date, Change, Status, str]


def _steps(memory: MemoryVersion, rules: LifecyclePolicy) -> Iterator[_Step]:
    """Every transition that the policy foresees for the state as it is, with its day."""
    zone = memory.timezone
    if memory.status in (Status.ACTIVE, Status.STALE) and memory.valid_until is not None:
        day = local_day(memory.valid_until, zone) + timedelta(days=1)
        yield day, Change.EXPIRE, Status.ARCHIVED, "no longer valid"
    if memory.pinned:
        return
    quiet_since = local_day(memory.referenced_at, zone)
    if memory.status is Status.ACTIVE and memory.type is MemoryType.OPEN_LOOP:
        if memory.due_at is not None:
            due = max(local_day(memory.due_at, zone), quiet_since)
            yield due + timedelta(days=rules.grace + 1), Change.CLOSE, Status.CLOSED, "due date passed"
        elif rules.silence_after:
            day = quiet_since + timedelta(days=rules.silence_after)
            yield day, Change.CLOSE, Status.CLOSED, f"not mentioned for {rules.silence_after} days"
    if memory.status is Status.ACTIVE and rules.stale_after:
        day = quiet_since + timedelta(days=rules.stale_after)
        yield day, Change.STALE, Status.STALE, f"not referred to for {rules.stale_after} days"
    if memory.status is Status.STALE and rules.archive_after:
        day = memory.day + timedelta(days=rules.archive_after)
        yield day, Change.ARCHIVE, Status.ARCHIVED, f"stale for {rules.archive_after} days"


def _next(memory: MemoryVersion, policy: Mapping[str, LifecyclePolicy]) -> _Step | None:
    return min(_steps(memory, policy[memory.type]), key=lambda s: s[0], default=None)


def review_on(memory: MemoryVersion, policy: Mapping[str, LifecyclePolicy]) -> date | None:
    """First local day on which the policy changes the memory; None when it never does."""
    step = _next(memory, policy)
    return None if step is None else max(step[0], memory.day)


def advance(memory: MemoryVersion, through: date, policy: Mapping[str, LifecyclePolicy]) -> Iterator[MemoryVersion]:
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
            changed_at=_at(day, memory),
            day=day,
        )
        yield memory


def _at(day: date, memory: MemoryVersion) -> datetime:
    return max(day_start(day, memory.timezone), memory.changed_at)
