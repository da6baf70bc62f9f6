"""Two memories that a change has made equal: one of them takes the other in, so that no fact stands twice."""

from __future__ import annotations

from collections.abc import Iterable

from memory_pipeline.domain.consolidation.equivalence import one_thing, same_occasion, slot_of
from memory_pipeline.domain.consolidation.slots import Relation, relate
from memory_pipeline.domain.ledger.memory import Cause, Change, MemoryVersion, Status, evolve
from memory_pipeline.domain.text import normalise

# Only what gives a memory new words can make it equal to another one.
REWORDING = frozenset({Change.MERGE, Change.EDIT})


def twin_of(changed: MemoryVersion, others: Iterable[MemoryVersion]) -> MemoryVersion | None:
    """The active memory that says the same as one whose words have just changed; None when there is none."""
    found = [m for m in others if m.memory_id != changed.memory_id and _equal(changed, m)]
    return min(found, key=lambda m: (m.observed_at, m.memory_id), default=None)


def _equal(a: MemoryVersion, b: MemoryVersion) -> bool:
    if b.status is not Status.ACTIVE or not same_occasion(a, b):
        return False
    if normalise(a.content) == normalise(b.content):
        return True
    return relate(slot_of(a), slot_of(b)) is Relation.SAME and one_thing(a, b)


def absorbed(changed: MemoryVersion, twin: MemoryVersion) -> MemoryVersion:
    """The one that ends, superseded by the other: what the user wrote or pinned stays, else the older one."""
    kept, ended = sorted((changed, twin), key=lambda m: (not m.own_words, not m.pinned, m.observed_at, m.memory_id))
    return evolve(
        ended,
        change=Change.MERGE,
        cause=Cause.PROPOSAL,
        reason=f"says the same as another memory since that one changed: {kept.content}",
        status=Status.SUPERSEDED,
        superseded_by=kept.memory_id,
        changed_at=max(ended.changed_at, changed.changed_at),
        day=changed.day,
    )
