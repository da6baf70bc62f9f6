"""Why each sentence of a turn is quoted in prompts, or is not."""

from __future__ import annotations

from datetime import timedelta

import pytest

from memory_pipeline.domain.ledger.memory import Change, Status
from memory_pipeline.domain.proposal import Surface
from memory_pipeline.errors import NotFound
from memory_pipeline.retrieval.reader import MemoryReader
from memory_pipeline_tests.store import NOW, Store


def reasons(reader: MemoryReader, home: Store, message_id: str) -> list[tuple[str, bool, str]]:
    (turn,) = reader.explain_message(message_id, **home.owner)
    return [(s["text"], s["shown"], s["reason"]) for s in turn["sentences"]]


def test_each_sentence_has_its_reason(home: Store, reader: MemoryReader) -> None:
    turn = home.message("I live in Bonn. I own a cello. My cat is red. Where is Porto?")
    cited = {"evidence": [turn.message_id]}
    home.memories(
        [
            ("Lives in Bonn.", {**cited, "status": Status.SUPERSEDED, "superseded_by": "mem_x"}),
            ("Owns a cello.", cited),
        ]
    )
    assert reasons(reader, home, turn.message_id) == [
        ("I live in Bonn.", False, "retired: Lives in Bonn. (superseded)"),
        ("I own a cello.", False, "a memory tells it"),
        ("My cat is red.", True, "its speaker states it"),
        ("Where is Porto?", False, "not what its speaker states: question"),
    ]
    (explained,) = reader.explain_message(turn.message_id, **home.owner)
    assert (explained["role"], explained["session_id"]) == ("user", "s-1")
    assert (explained["content"], explained["created_at"]) == (turn.content, turn.created_at)
    (retired,) = explained["sentences"][0]["memories"]
    assert (retired["status"], retired["superseded_by"]) == ("superseded", "mem_x")
    assert explained["sentences"][-1]["why"]


def test_a_turn_behind_a_boundary_is_not_shown_at_all(home: Store, reader: MemoryReader) -> None:
    turn = home.message("I am ill. My cat is red.")
    home.memory("Is ill.", evidence=[turn.message_id], surface=Surface.AVOID)
    assert reasons(reader, home, turn.message_id) == [
        ("I am ill.", False, "not to be brought up"),
        ("My cat is red.", False, "not to be brought up"),
    ]


def test_the_assistants_words_are_none_of_the_users(home: Store, reader: MemoryReader) -> None:
    turn = home.message("Since you're vegan, try lentils. Rice is fine.", role="assistant")
    said = [reason for _, _, reason in reasons(reader, home, turn.message_id)]
    assert said == ["not what its speaker states: claim", "not what its speaker states: reply"]


def test_what_the_user_has_forgotten_is_shown_no_more(home: Store, reader: MemoryReader) -> None:
    turn = home.message("I own a cello.")
    made = home.memory("Owns a cello.", evidence=[turn.message_id])
    home.change(made, Change.FORGET, NOW - timedelta(days=1), status=Status.ARCHIVED)
    assert reasons(reader, home, turn.message_id) == [("I own a cello.", False, "forgotten, or put right, by the user")]


def test_turns_of_one_id_in_several_sessions_are_all_explained(home: Store, reader: MemoryReader) -> None:
    home.messages([("I own a cello.", {"message_id": "m-1", "session_id": s}) for s in ("s-1", "s-2")])
    assert {t["session_id"] for t in reader.explain_message("m-1", **home.owner)} == {"s-1", "s-2"}


def test_nobody_elses_turns_are_explained(home: Store, reader: MemoryReader) -> None:
    turn = home.message("I own a cello.")
    with pytest.raises(NotFound, match=turn.message_id):
        reader.explain_message(turn.message_id, user_id="somebody else")
