"""A memory that comes to say what another one says."""

from __future__ import annotations

from datetime import timedelta

from memory_pipeline.domain.ledger.memory import Change, Status, evolve
from memory_pipeline.domain.ledger.twins import absorbed, twin_of
from memory_pipeline_tests.factories import NOON, memory, proposal, residence


def test_the_same_words_or_the_same_slot_make_a_twin() -> None:
    old = memory(proposal("Has a dog called Max.", attribute="pet", value="Max"))
    changed = evolve(memory(proposal("Has a dog.", NOON + timedelta(days=1))), change=Change.MERGE, content=old.content)
    assert twin_of(changed, [old, changed]) == old
    other = memory(proposal("Has a cat called Tom.", attribute="pet", value="Tom"))
    assert twin_of(changed, [other]) is None
    assert twin_of(changed, [evolve(old, change=Change.FORGET, status=Status.ARCHIVED)]) is None


def test_the_older_one_stays_unless_the_user_wrote_the_younger() -> None:
    old, young = memory(residence("Lisbon")), memory(residence("Lisbon", NOON + timedelta(days=3)))
    assert absorbed(young, old).memory_id == young.memory_id
    assert absorbed(young, old).superseded_by == old.memory_id
    written = evolve(young, change=Change.EDIT, own_words=True)
    ended = absorbed(written, old)
    assert (ended.memory_id, ended.status, ended.superseded_by) == (old.memory_id, Status.SUPERSEDED, young.memory_id)
