"""A relative and the relative's name are one person; a month without a day holds every day of it."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memory_pipeline.domain.consolidation.equivalence import relation_of, same_occasion
from memory_pipeline.domain.consolidation.slots import Relation
from memory_pipeline.domain.proposal import MemoryType
from memory_pipeline_tests.factories import memory, proposal

AGED = {"attribute": "age", "type": MemoryType.PROFILE_FACT}
SEVEN = memory(proposal("Daughter Ines is 7 years old.", subject="daughter", value="7", **AGED))


@pytest.mark.parametrize(
    ("content", "subject", "value", "relation"),
    [
        ("Ines is 8 years old.", "Ines", "8", Relation.CHANGED),
        ("Ines is 7 years old.", "Ines", "7", Relation.SAME),
        ("Anna is 8 years old.", "Anna", "8", Relation.UNRELATED),
        ("Sister Ines is 8 years old.", "sister", "8", Relation.UNRELATED),
        ("Is 8 years old.", "user", "8", Relation.UNRELATED),
    ],
)
def test_relatives_by_name(content: str, subject: str, value: str, relation: Relation) -> None:
    assert relation_of(proposal(content, subject=subject, value=value, **AGED), SEVEN) is relation


@pytest.mark.parametrize(
    ("content", "start", "same"),
    [
        ("Visited the Prado in December 2025.", datetime(2025, 12, 1, tzinfo=UTC), True),
        ("Visited the Prado in January 2026.", datetime(2026, 1, 1, tzinfo=UTC), False),
        ("Visited the Prado on 1 December 2025.", datetime(2025, 12, 1, tzinfo=UTC), False),
    ],
)
def test_months_hold_their_days(content: str, start: datetime, same: bool) -> None:
    event = {"type": MemoryType.EPISODIC_EVENT, "attribute": "event", "value": "visit Prado"}
    known = memory(
        proposal("Visited the Prado on 18 December 2025.", valid_from=datetime(2025, 12, 18, tzinfo=UTC), **event)
    )
    assert same_occasion(proposal(content, valid_from=start, **event), known) is same
