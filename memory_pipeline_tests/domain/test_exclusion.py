"""What cannot be so beside what is told later."""

from __future__ import annotations

from datetime import timedelta

import pytest

from memory_pipeline.domain.consolidation.endings.exclusion import excluded
from memory_pipeline.domain.proposal import MemoryType
from memory_pipeline_tests.factories import NOON, memory, proposal

LATER = NOON + timedelta(days=20)
CASES = [  # known, told, whether the first still holds
    ("Is vegan.", "Eats fish again.", False),
    ("Is vegetarian.", "Eats chicken again.", False),
    ("Is pescatarian.", "Eats fish again.", True),
    ("Is pescatarian.", "Eats chicken again.", False),
    ("Is vegan.", "Eats cheese.", False),
    ("Is vegetarian.", "Eats cheese.", True),
    ("Is vegan.", "No longer eats fish.", True),
    ("Eats meat.", "Is vegetarian.", False),
    ("Is out of work since the mill shut.", "Works at Siemens.", False),
    ("Is out of work since the mill shut.", "Wants to work at Siemens.", True),
    ("Is single.", "Is dating Bo.", False),
    ("Is divorced.", "Is dating Bo.", True),
    ("Is pregnant.", "Has a baby called Ida.", False),
    ("Is pregnant.", "Has a daughter called Ida.", True),
    ("Does not drink alcohol.", "Is drinking again, at weekends.", False),
    ("Does not drink coffee.", "Is drinking again, at weekends.", True),
    ("Rents a flat on 65th.", "Owns a house.", False),
    ("Rents a garage on 65th.", "Owns a house.", True),
]


@pytest.mark.parametrize(("known", "told", "holds"), CASES, ids=[f"{known} {told}" for known, told, _ in CASES])
def test_what_is_told_leaves_no_room_for_it(known: str, told: str, holds: bool) -> None:
    assert (not excluded(proposal(told, LATER), [memory(proposal(known, NOON))])) is holds


def test_a_denial_is_taken_back_by_doing_it_again() -> None:
    denied = memory(proposal("Cannot drive because of their eyes.", NOON, negated=True))
    assert excluded(proposal("Is allowed to drive again.", LATER), [denied]) == [denied]
    assert not excluded(proposal("Is allowed to swim again.", LATER), [denied])


def test_it_holds_of_one_subject_and_of_what_was_told_before_in_another_message() -> None:
    known = memory(proposal("Is vegan.", NOON))
    assert not excluded(proposal("Eats fish.", LATER, subject="sister"), [known])
    assert not excluded(proposal("Eats fish.", NOON - timedelta(days=1)), [known])
    assert not excluded(proposal("Eats fish.", NOON), [known])


def test_an_event_excludes_nothing() -> None:
    known = memory(proposal("Is vegan.", NOON))
    assert not excluded(proposal("Eats fish.", LATER, type=MemoryType.EPISODIC_EVENT), [known])
