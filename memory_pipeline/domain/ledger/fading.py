"""What nobody says or reads any more: archived when its strength has gone, and pruned where the policy wants that.

Unlike the transitions of ``lifecycle`` these depend on reads. So a replay does not make them anew: it takes over
what was decided (``domain.ledger.replay``), as long as the memory has not been confirmed since.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime

from memory_pipeline.domain.ledger.lifecycle import AGEING, advance, later, starts
from memory_pipeline.domain.ledger.memory import Cause, Change, MemoryVersion, Status, evolve
from memory_pipeline.domain.ledger.strength import fades_after, slowing
from memory_pipeline.domain.policy import LifecyclePolicy, Policy

BY_TIME = frozenset({Change.ARCHIVE, Change.EXPIRE, Change.FADE})
"""Changes by which time alone archives a memory."""


@dataclass(frozen=True, slots=True)
class Reads:
    """Reads of a memory so far.

    Attributes:
        last: the latest one, UTC; None = never read.
    """

    count: int = 0
    last: datetime | None = None


NEVER = Reads()


def may_fade(rules: LifecyclePolicy) -> bool:
    """Whether strength ends a type's retrieval: only where no days do, so that one rule decides."""
    return not rules.stale_after


def pass_time(memory: MemoryVersion, through: date, policy: Policy, reads: Reads = NEVER) -> Iterator[MemoryVersion]:
    """The versions that time makes of a memory until the end of a local day, in order."""
    for version in advance(memory, through, policy.lifecycle):
        faded = _faded(memory, policy, reads)
        if faded is not None and faded.day < version.day:
            break
        memory = version
        yield version
    faded = _faded(memory, policy, reads)
    if faded is not None and faded.day <= through:
        memory = faded
        yield faded
    pruned = _pruned(memory, policy, reads)
    if pruned is not None and pruned.day <= through:
        yield pruned


def still_faded(decided: MemoryVersion, current: MemoryVersion) -> bool:
    """Whether a re-made memory is no stronger than the one that was decided on, and so has the same end."""
    if current.pinned or current.forgotten or current.referenced_at > decided.referenced_at:
        return False
    if current.reinforcements > decided.reinforcements or current.importance > decided.importance:
        return False
    return current.change in BY_TIME if decided.change is Change.PRUNE else current.status in AGEING


def _faded(memory: MemoryVersion, policy: Policy, reads: Reads) -> MemoryVersion | None:
    """Faded → archived (LS-23, read as the decisions table does; NM-37)."""
    if memory.status not in AGEING or not may_fade(policy.lifecycle[memory.type]):
        return None
    return _end(memory, Change.FADE, policy, reads)


def _pruned(memory: MemoryVersion, policy: Policy, reads: Reads) -> MemoryVersion | None:
    """Archived and faded → out of the index, where the policy says so (LS-23)."""
    if not policy.prune.enabled or memory.status is not Status.ARCHIVED or memory.change not in BY_TIME:
        return None
    return None if memory.forgotten else _end(memory, Change.PRUNE, policy, reads)


def _end(memory: MemoryVersion, change: Change, policy: Policy, reads: Reads) -> MemoryVersion | None:
    slowed = slowing(memory.reinforcements, reads.count, policy.strength)
    curve = policy.curves[policy.lifecycle[memory.type].curve]
    fades = fades_after(memory.importance, policy.prune.below, curve, slowed)
    if memory.pinned or fades is None:
        return None
    idle = max(fades, policy.prune.after_days)
    last = max(memory.referenced_at, reads.last or memory.referenced_at)
    day = max(later(memory, last, idle), memory.day)
    if day == date.max:
        return None
    return evolve(
        memory,
        change=change,
        cause=Cause.FADING,
        reason=f"strength below {policy.prune.below:g} after {idle} days without access",
        status=Status.ARCHIVED,
        changed_at=starts(day, memory),
        day=day,
    )
