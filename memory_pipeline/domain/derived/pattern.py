"""Patterns: what one rests on, whether it still holds, and what becomes of its members when it does not (KN-24)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from memory_pipeline.domain.ledger.attachment import overruled
from memory_pipeline.domain.ledger.memory import RETIRED, Cause, Change, MemoryVersion, Status, evolve
from memory_pipeline.domain.policy import PatternPolicy
from memory_pipeline.domain.proposal import WORK_TYPES, MemoryType

State = Mapping[str, MemoryVersion]
CLUSTERED = WORK_TYPES | {MemoryType.EPISODIC_EVENT}
"""Types of which many make a pattern."""


def least(kind: MemoryType, policy: PatternPolicy) -> int:
    """How many memories of a type make a pattern: five episodes (LS-22), three findings (KN-23)."""
    return policy.min_episodes if kind is MemoryType.EPISODIC_EVENT else policy.min_findings


def absorbed(memory: MemoryVersion) -> bool:
    """Whether a pattern stands in a memory's place."""
    return memory.status is Status.SUPERSEDED and memory.cause is Cause.PATTERN


def dissolved(pattern: MemoryVersion) -> bool:
    """Whether the user has forgotten or undone a pattern: its members never go into another one."""
    return pattern.forgotten or (pattern.status in RETIRED and pattern.cause is Cause.MANUAL)


def holds(pattern: MemoryVersion, state: State, undone: Iterable[MemoryVersion], policy: PatternPolicy) -> bool:
    """Whether enough of what a new pattern rests on is there, is not retired otherwise and is not kept from it.

    Args:
        state: the user's memories by id, as they are when the pattern is made.
        undone: acts by which the user keeps decisions from being taken again.
    """
    members = [state[i] for i in pattern.derived_from if i in state]
    undone = list(undone)
    left = [
        m
        for m in members
        if not m.forgotten
        and (m.status not in RETIRED or absorbed(m))
        and not overruled(undone, m, (pattern.memory_id,), state)
    ]
    return bool(left) and len(left) >= least(left[0].type, policy)


def takes(ending: MemoryVersion, member: MemoryVersion, state: State, undone: Iterable[MemoryVersion]) -> bool:
    """Whether a pattern still takes a member's place.

    Args:
        ending: the version that superseded the member.
        member: as it is now.
    """
    pattern = state.get(ending.superseded_by or "")
    alive = pattern is not None and pattern.status not in RETIRED
    return alive and not overruled(undone, member, (ending.superseded_by or "",), state)


def released(pattern: MemoryVersion, state: State) -> list[MemoryVersion]:
    """What comes back when the user has dissolved a pattern: its members, active again.

    Args:
        pattern: after the act.
    """
    members = [state[i] for i in pattern.derived_from if i in state]
    return [
        replace(
            evolve(
                member,
                change=Change.REVIVE,
                cause=Cause.MANUAL,
                reason=f"the pattern that stood in its place is gone: {pattern.reason}",
                status=Status.ACTIVE,
                superseded_by=None,
                changed_at=max(pattern.changed_at, member.changed_at),
                day=max(pattern.day, member.day),
            ),
            run_id=pattern.run_id,
            recorded_at=pattern.recorded_at,
        )
        for member in members
        if absorbed(member)
    ]


def support(members: Sequence[MemoryVersion], policy: PatternPolicy) -> float:
    """How much a pattern weighs by what it rests on: five episodes give 0.85 (LS-22)."""
    return min(policy.most_support, policy.least_support + policy.support_per_member * len(members))
