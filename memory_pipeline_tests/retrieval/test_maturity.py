from __future__ import annotations

from datetime import date, timedelta

import pytest

from memory_pipeline.domain.ledger.memory import Change, Status
from memory_pipeline.domain.proposal import MemoryType
from memory_pipeline.retrieval.lists.maturity import growth
from memory_pipeline.retrieval.reader import MemoryReader
from memory_pipeline_tests.store import NOW, Store  # NOW: noon of 10 March 2026

DAY = timedelta(days=1)


def test_months_ages_types_and_states_are_counted_as_they_were(home: Store, reader: MemoryReader) -> None:
    home.messages([("Hello there.", {"at": NOW - n * 10 * DAY}) for n in range(8)])  # from 30 December on
    home.messages([("Another one.", {"at": NOW - 69 * DAY})])  # 31 December
    old = home.memory("Has a headache.", type=MemoryType.EPHEMERAL, at=NOW - 70 * DAY)
    home.memory("Lives in Lisbon.", type=MemoryType.PROFILE_FACT, at=NOW - 40 * DAY)
    home.memory("Has a dog.", type=MemoryType.PROFILE_FACT, at=NOW - DAY)
    home.change(old, Change.STALE, NOW - 20 * DAY, status=Status.STALE)
    gone = home.memory("Owns a boat.", at=NOW - 30 * DAY)
    home.change(gone, Change.FORGET, NOW - DAY, status=Status.ARCHIVED)
    home.of("bob").memory("Lives in Porto.")

    found = reader.maturity(**home.owner)
    assert (found["first"], found["messages"], found["memories"]) == (date(2025, 12, 30), 9, 2)
    assert found["per_100_messages"] == pytest.approx(22.2)
    months = [(m["month"], m["messages"], m["all_messages"], m["memories"]) for m in found["months"]]
    assert months == [("2025-12", 2, 2, 1), ("2026-01", 3, 5, 2), ("2026-02", 3, 8, 2), ("2026-03", 1, 9, 2)]
    assert found["by_status"] == {"active": 2, "stale": 1}
    assert found["by_type"] == {"profile_fact": 2}
    assert found["by_age"] == {"under a week": 1, "under 3 months": 1}
    assert [(m["moment"], m["memories"]) for m in found["milestones"]] == [("day 1", 1), ("week 1", 1), ("month 1", 1)]
    assert found["growth"] is not None and found["growth"] < 1


def test_who_has_said_nothing_has_nothing_to_mature(home: Store, reader: MemoryReader) -> None:
    found = reader.maturity(user_id="nobody")
    assert found["first"] is None
    assert (found["messages"], found["memories"], found["months"], found["milestones"]) == (0, 0, [], [])
    assert found["per_100_messages"] is None and found["growth"] is None


def test_one_message_makes_one_month(home: Store, reader: MemoryReader) -> None:
    home.message("Hello there.", at=NOW)
    found = reader.maturity(**home.owner)
    assert [m["month"] for m in found["months"]] == ["2026-03"]
    assert [m["moment"] for m in found["milestones"]] == ["day 1"]


@pytest.mark.parametrize(
    ("counts", "exponent"),
    [
        ([(100, 10), (400, 20), (1600, 40)], 0.5),
        ([(100, 10), (200, 20), (300, 30)], 1.0),
        ([(100, 10), (200, 40), (400, 160)], 2.0),
        ([(0, 0), (100, 10), (200, 20)], None),
        ([(100, 10), (100, 20), (100, 30)], None),
        ([], None),
    ],
)
def test_growth_is_the_exponent_of_memories_over_messages(
    counts: list[tuple[int, int]], exponent: float | None
) -> None:
    assert growth(counts) == exponent
