"""Memories made from memories: reflections and patterns as versions of their own, with the ids they rest on."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime

from memory_pipeline.domain.classification import strictest
from memory_pipeline.domain.ids import identifier
from memory_pipeline.domain.ledger.memory import Cause, Change, MemoryVersion, Status, evolve, seal
from memory_pipeline.domain.ledger.transition import finish
from memory_pipeline.domain.policy import Policy
from memory_pipeline.domain.proposal import Evidence, MemoryType, Surface
from memory_pipeline.domain.text import normalise

_EVIDENCE = 12


def derive(
    kind: MemoryType,
    content: str,
    members: Sequence[MemoryVersion],
    *,
    importance: float,
    confidence: float,
    at: datetime,
    day: date,
    policy: Policy,
    run_id: str,
    now: datetime,
    reason: str = "",
    instead_of: Sequence[MemoryVersion] = (),
) -> MemoryVersion:
    """Version 1 of a reflection or a pattern.

    Args:
        members: the memories it rests on; its classification is the highest of theirs.
        at, day: event time and local day of the derivation: the end of the period it looks at, never the run's clock.
        reason: what it answers; kept with the version.
        instead_of: patterns that it takes the place of; it continues the lineage of the first.
    """
    first = members[0]
    ids = [earlier.memory_id for earlier in instead_of]
    memory_id = identifier("mem", first.tenant_id, first.user_id, kind, normalise(content), *ids)
    evidence: list[Evidence] = list(dict.fromkeys(e for m in members for e in m.evidence))
    version = MemoryVersion(
        version_id="",
        memory_id=memory_id,
        lineage_id=instead_of[0].lineage_id if instead_of else memory_id,
        tenant_id=first.tenant_id,
        user_id=first.user_id,
        session_id=first.session_id,
        agent_id=first.agent_id if len({m.agent_id for m in members}) == 1 else None,
        domain=first.domain if len({m.domain for m in members}) == 1 else None,
        shared=all(m.shared for m in members),
        classification=strictest(m.classification for m in members),
        version=1,
        change=Change.ADD,
        cause=Cause.REFLECTION if kind is MemoryType.REFLECTION else Cause.PATTERN,
        reason=f"from {len(members)} memories" + (f": {reason}" if reason else ""),
        type=kind,
        status=Status.ACTIVE,
        content=content,
        subject="user",
        attribute=None,
        value=None,
        negated=False,
        entities=tuple(dict.fromkeys(e for m in members for e in m.entities))[:_EVIDENCE],
        confidence=confidence,
        salience=max(m.salience for m in members),
        importance=importance,
        surface=Surface.ADAPT if kind is MemoryType.REFLECTION else Surface.SPEAK,
        pinned=False,
        reinforcements=0,
        observed_at=at,
        referenced_at=at,
        valid_from=None,
        valid_until=None,
        due_at=None,
        changed_at=at,
        day=day,
        timezone=first.timezone,
        review_on=None,
        evidence=tuple(evidence[:_EVIDENCE]),
        derived_from=tuple(dict.fromkeys(m.memory_id for m in members)),
        superseded_by=None,
        proposal_id=None,
        previous_version_id=None,
        run_id=run_id,
        asserted=True,
        recorded_at=now,
    )
    return finish(seal(version), policy, run_id, now)


def absorb(member: MemoryVersion, pattern: MemoryVersion, policy: Policy, run_id: str, now: datetime) -> MemoryVersion:
    """The member after a pattern took its place: superseded and linked to it, not deleted (KN-24)."""
    return finish(
        evolve(
            member,
            change=Change.SUPERSEDE,
            cause=Cause.PATTERN,
            reason=f"part of the pattern: {pattern.content}",
            status=Status.SUPERSEDED,
            superseded_by=pattern.memory_id,
            changed_at=max(pattern.changed_at, member.changed_at),
            day=max(pattern.day, member.day),
        ),
        policy,
        run_id,
        now,
    )
