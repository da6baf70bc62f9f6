"""A plan that is dropped by a name."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from memory_pipeline.domain.consolidation.plans.named_plans import dropped_by_name
from memory_pipeline.domain.proposal import MemoryType, Operation
from memory_pipeline_tests.factories import NOON, memory, proposal

LATER = NOON + timedelta(days=20)
PLAN: dict[str, Any] = {"type": MemoryType.OPEN_LOOP}
MARRY = ("Is planning to get married in Cyprus in June 2027.", PLAN)
AUDITION = ("Prepares for the audition in Basel.", {"attribute": "prepare", "value": "for the audition in Basel"})
LIVES = ("Lives in Basel.", {"attribute": "residence", "value": "Basel"})
HOTEL = ("Needs to book the hotel in Cyprus.", PLAN)
TOLD = [
    ("Cancelled Cyprus.", (MARRY,), True),
    ("No longer plans to do Basel.", (AUDITION, LIVES), True),
    ("No longer plans to do the Cyprus trip.", (MARRY,), True),
    ("Cancelled the Cyprus hotel.", (MARRY,), False),
    ("Cancelled Basel.", (LIVES,), False),
    ("Cancelled Cyprus.", (MARRY, HOTEL), False),
    ("Cancelled the wedding.", (MARRY,), False),
]


@pytest.mark.parametrize(("told", "known", "over"), TOLD)
def test_a_name_alone_drops_the_one_plan_that_has_it(
    told: str, known: tuple[tuple[str, dict[str, Any]], ...], over: bool
) -> None:
    said = proposal(told, LATER, negated=True, operation=Operation.CLOSE_OPEN_LOOP)
    memories = [memory(proposal(content, NOON, **slot)) for content, slot in known]
    assert dropped_by_name(said, memories) == (memories[:1] if over else [])


def test_what_somebody_else_plans_there_is_theirs() -> None:
    said = proposal("Cancelled Cyprus.", LATER, negated=True, operation=Operation.CLOSE_OPEN_LOOP)
    assert not dropped_by_name(
        said, [memory(proposal("Sister plans to go to Cyprus.", NOON, subject="sister", **PLAN))]
    )
