"""What was true, and what was known, at a moment."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest

from memory_pipeline.domain.ledger.memory import Change, MemoryVersion, Status
from memory_pipeline.retrieval.reader import MemoryReader
from memory_pipeline_tests.store import Store

JANUARY, FEBRUARY, MARCH = (datetime(2026, month, 5, 9, tzinfo=UTC) for month in (1, 2, 3))
DAY = timedelta(days=1)


def contents(reader: MemoryReader, home: Store, **given: object) -> list[str]:
    layers = given.pop("layers", ["semantic"])
    return sorted(i.content for i in reader.search("lives in", **home.owner, layers=layers, **given))  # type: ignore[arg-type]


@pytest.fixture
def moved(home: Store) -> tuple[MemoryVersion, MemoryVersion]:
    """Berlin from January on, Lisbon from February on, of which the pipeline heard only in March."""
    berlin = home.memory("Lives in Berlin.", at=JANUARY)
    lisbon = home.memory("Lives in Lisbon.", at=FEBRUARY, recorded_at=MARCH, lineage_id=berlin.lineage_id)
    home.change(
        berlin,
        Change.SUPERSEDE,
        FEBRUARY,
        recorded_at=MARCH,
        status=Status.SUPERSEDED,
        superseded_by=lisbon.memory_id,
        valid_until=FEBRUARY,
    )
    return berlin, lisbon


def test_as_of_goes_by_when_it_happened(home: Store, reader: MemoryReader, moved: object) -> None:
    assert contents(reader, home) == ["Lives in Lisbon."]
    assert contents(reader, home, as_of=JANUARY + DAY) == ["Lives in Berlin."]
    assert contents(reader, home, as_of=FEBRUARY) == ["Lives in Lisbon."]
    assert contents(reader, home, as_of=JANUARY - DAY) == []


def test_known_at_goes_by_when_it_was_recorded(home: Store, reader: MemoryReader, moved: object) -> None:
    assert contents(reader, home, known_at=MARCH - DAY) == ["Lives in Berlin."]
    assert contents(reader, home, known_at=MARCH) == ["Lives in Lisbon."]
    assert contents(reader, home, as_of=FEBRUARY + DAY, known_at=MARCH - DAY) == ["Lives in Berlin."]
    assert contents(reader, home, known_at=JANUARY - DAY) == []


def test_memories_lists_every_state_at_a_moment(home: Store, reader: MemoryReader, moved: object) -> None:
    def listed(as_of: object) -> list[tuple[str, str]]:
        return [(m["content"], m["status"]) for m in reader.memories(**home.owner, as_of=as_of)]  # type: ignore[arg-type]

    assert listed(None) == [("Lives in Berlin.", "superseded"), ("Lives in Lisbon.", "active")]
    assert listed(date(2026, 2, 4)) == [("Lives in Berlin.", "active")]
    assert listed(date(2026, 2, 5)) == listed(None)


def test_a_withdrawn_version_does_not_count(
    home: Store, reader: MemoryReader, moved: tuple[MemoryVersion, ...]
) -> None:
    _, lisbon = moved
    home.lake.append("memory_versions", [replace(lisbon, asserted=False, recorded_at=MARCH + DAY)])
    assert contents(reader, home, as_of=MARCH + 2 * DAY) == []
    assert contents(reader, home, as_of=MARCH, known_at=MARCH) == ["Lives in Lisbon."]


def test_past_wording_is_encoded_anew(home: Store, reader: MemoryReader) -> None:
    first = home.memory("Lives in a village.", at=JANUARY)
    home.change(first, Change.MERGE, FEBRUARY, content="Resides at a hamlet near Porto.")
    (then,) = reader.search("lives village", **home.owner, as_of=JANUARY + DAY, profile="similarity")
    assert then.content == "Lives in a village."
    assert then.score == pytest.approx(2 / (2**0.5 * 4**0.5))


def test_messages_and_summaries_of_later_are_left_out(home: Store, reader: MemoryReader) -> None:
    home.messages(
        [
            ("Lives in a tent.", {"at": JANUARY}),
            ("Lives in a house.", {"at": MARCH}),
            ("Lives in a van.", {"at": JANUARY, "recorded_at": MARCH}),
        ]
    )
    home.summary("Lives in boxes.", date(2026, 1, 6))
    home.summary("Lives in halls.", date(2026, 3, 6))
    layers = ["episodic", "narrative"]
    assert contents(reader, home, layers=layers, as_of=FEBRUARY) == [
        "Lives in a tent.",
        "Lives in a van.",
        "Lives in boxes.",
    ]
    assert contents(reader, home, layers=layers, known_at=FEBRUARY) == ["Lives in a tent.", "Lives in boxes."]


def test_a_day_includes_its_evening(home: Store, reader: MemoryReader) -> None:
    home.message("Lives in a tent.", at=datetime(2026, 1, 5, 23, 30, tzinfo=UTC))
    assert contents(reader, home, layers=["episodic"], as_of=date(2026, 1, 5)) == ["Lives in a tent."]
    assert contents(reader, home, layers=["episodic"], as_of=date(2026, 1, 4)) == []


def test_an_edit_reaches_back(home: Store, reader: MemoryReader) -> None:
    memory = home.memory("Lives in Rome.", at=JANUARY)
    edited = home.change(memory, Change.EDIT, MARCH, content="Lives in Roma, Texas.")
    home.change(edited, Change.PIN, MARCH + DAY, pinned=True)
    assert contents(reader, home, as_of=FEBRUARY) == ["Lives in Roma, Texas."]
