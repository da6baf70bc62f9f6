"""What a question is answered from: memories first, what no longer holds marked, turns in their speaker's words."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from memory_pipeline.domain.ledger.memory import Change, Status
from memory_pipeline.domain.proposal import MemoryType, Surface
from memory_pipeline.language.questions import read
from memory_pipeline.retrieval.answers.answer import LAYERS, STATUSES
from memory_pipeline.retrieval.answers.answer_evidence import MOST, evidence, shown
from memory_pipeline.retrieval.reader import MemoryReader
from memory_pipeline_tests.store import NOW, Store

DAY = timedelta(days=1)


@pytest.fixture
def reader(home: Store) -> MemoryReader:
    return home.reader()


def items(reader: MemoryReader, home: Store, question: str, **reach: Any) -> list[Any]:
    engine = reader._engine
    reach = {"layers": LAYERS, "statuses": STATUSES, **reach}
    query = engine.checked(question, home.user_id, home.tenant_id, reach, k=MOST)
    found = evidence(engine, query, read(question))
    return [shown(item, n, query, "UTC") for n, item in enumerate(found, start=1)]


def contents(reader: MemoryReader, home: Store, question: str, **reach: Any) -> list[str]:
    return [item["content"] for item in items(reader, home, question, **reach)]


def test_what_fills_the_attribute_comes_whatever_its_words(home: Store, reader: MemoryReader) -> None:
    home.memory("Is a coeliac.", attribute="health", subject="user")
    assert contents(reader, home, "which illnesses do I have?") == ["Is a coeliac."]
    assert contents(reader, home, "which languages do I speak?") == []


def test_memories_that_hold_then_those_that_do_not_then_turns(home: Store, reader: MemoryReader) -> None:
    slot = {"attribute": "residence", "subject": "user"}
    home.message("I live in Lisbon, near the river.", at=NOW - 5 * DAY)
    old = home.memory("Lives in Berlin.", **slot, value="Berlin")
    home.memory("Lives in Lisbon.", **slot, value="Lisbon", at=NOW - 5 * DAY)
    home.change(old, Change.SUPERSEDE, status=Status.SUPERSEDED, valid_until=NOW - 5 * DAY)
    found = items(reader, home, "where do I live?")
    assert [(i["layer"], i["status"]) for i in found] == [
        ("semantic", "active"),
        ("semantic", "superseded"),
        ("episodic", "active"),
    ]
    assert found[1]["valid_until"] == "2026-03-05T12:00:00+00:00"


def test_what_is_to_end_holds_until_it_does(home: Store, reader: MemoryReader) -> None:
    old = home.memory("Works as a nurse.", attribute="occupation", subject="user")
    home.change(old, Change.SUPERSEDE, at=NOW - DAY, status=Status.SUPERSEDED, valid_until=NOW + 20 * DAY)
    assert [i["status"] for i in items(reader, home, "what is my job?")] == ["active"]


def test_what_was_forgotten_is_no_evidence(home: Store, reader: MemoryReader) -> None:
    gone = home.memory("Lives in Rome.", attribute="residence", subject="user")
    home.change(gone, Change.FORGET, status=Status.ARCHIVED)
    assert contents(reader, home, "where do I live?") == []
    assert contents(reader, home, "where do I live?", detail="high", statuses=tuple(Status)) == []


@pytest.mark.parametrize(
    "said",
    [
        "Where do I live in Lisbon?",
        "Suppose I live in Lisbon, what would I pay?",
        "Translate to French: I live in Lisbon with my dog.",
        "Please forget that I live in Lisbon.",
        "Don't mention that I live in Lisbon.",
    ],
)
def test_what_a_turn_does_not_state_is_no_evidence(home: Store, reader: MemoryReader, said: str) -> None:
    home.message(said)
    found = items(reader, home, "where do I live in Lisbon?")
    assert not [i for i in found if i["content"] or i["sentences"] or "Lisbon" in i["asked"]]


def test_what_a_turn_asks_stands_apart_from_what_it_states(home: Store, reader: MemoryReader) -> None:
    home.message("I live in Lisbon now. How do I park my Honda in Lisbon?")
    home.message("Why does my Honda stall in Lisbon?")
    found = items(reader, home, "what do I drive in Lisbon?")
    assert [(i["content"], i["asked"]) for i in found] == [
        ("I live in Lisbon now.", "How do I park my Honda in Lisbon?"),
        ("", "Why does my Honda stall in Lisbon?"),
    ]
    assert found[0]["sentences"] == ("I live in Lisbon now.",)
    assert found[1]["questions"] == ("Why does my Honda stall in Lisbon?",)


def test_of_a_turn_only_own_sentences_count(home: Store, reader: MemoryReader) -> None:
    home.message("I live in Lisbon with Ann. Where can I live cheaper in Lisbon?")
    assert contents(reader, home, "where do I live in Lisbon?") == ["I live in Lisbon with Ann."]


def test_the_assistants_turns_only_where_they_are_asked_for(home: Store, reader: MemoryReader) -> None:
    home.message("I would take the night train to Vienna.", role="assistant")
    assert contents(reader, home, "which night train to Vienna do I take?") == []
    assert contents(reader, home, "which night train to Vienna did you suggest?") == [
        "I would take the night train to Vienna."
    ]


def test_a_turn_that_says_no_more_than_its_memory_is_left_out(home: Store, reader: MemoryReader) -> None:
    plain = home.message("I live in Lisbon now.")
    more = home.message("I live in Lisbon with Ann, in an attic.")
    home.memory("Lives in Lisbon.", evidence=[plain.message_id, more.message_id])
    assert contents(reader, home, "where do I live, in Lisbon?") == [
        "Lives in Lisbon.",
        "I live in Lisbon with Ann, in an attic.",
    ]


def test_a_summary_of_the_user_is_made_of_facts_that_hold(home: Store, reader: MemoryReader) -> None:
    home.memories(
        [
            ("Wants to call Ann.", {"type": MemoryType.OPEN_LOOP}),
            ("Is divorced.", {"surface": Surface.AVOID}),
            ("Sister lives in Oslo.", {"subject": "sister"}),
            ("Walks a lot.", {}),
            ("Is called Rui.", {"attribute": "name", "subject": "user"}),
        ]
    )
    assert contents(reader, home, "what do you know about me?") == ["Is called Rui.", "Walks a lot."]


def test_there_are_no_more_than_fit(home: Store, reader: MemoryReader) -> None:
    slot = {"attribute": "hobby", "subject": "user"}
    home.memories([(f"Collects stamps of country {n}.", slot) for n in range(40)])
    home.messages([(f"My hobbies are what they are, {n} of them.", {}) for n in range(40)])
    found = items(reader, home, "what are my hobbies?")
    assert len(found) == MOST
    assert {i["layer"] for i in found} == {"semantic", "episodic"}


def test_only_the_layers_asked_for(home: Store, reader: MemoryReader) -> None:
    home.memory("Lives in Lisbon.")
    home.message("I live in Lisbon.", at=NOW - DAY)
    assert [i["layer"] for i in items(reader, home, "lives in Lisbon", layers=["episodic"])] == ["episodic"]
    assert [i["layer"] for i in items(reader, home, "lives in Lisbon", layers=["semantic"])] == ["semantic"]


def test_what_is_not_to_be_brought_up_is_evidence_for_who_asks_for_it(home: Store, reader: MemoryReader) -> None:
    home.memory("Does not want the lottery to be brought up.", type=MemoryType.BOUNDARY, surface=Surface.AVOID)
    assert contents(reader, home, "what do I want from the lottery?") == []
    assert len(contents(reader, home, "what must you not bring up of the lottery?")) == 1
