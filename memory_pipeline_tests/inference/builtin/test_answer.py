"""Answers from memory alone: cited, dated, honest about changes and about what is not known."""

from __future__ import annotations

from typing import Any

import pytest

from memory_pipeline.inference.builtin.answer import answer, second_person
from memory_pipeline.inference.replies import AnswerReply


def item(alias: str, content: str, **changes: Any) -> dict[str, Any]:
    given = {"id": alias, "layer": "semantic", "type": "profile_fact", "status": "active", "content": content}
    return {**given, "observed_at": "2026-03-07T10:00:00+01:00", "age": "3 days ago", **changes}


ITEMS = [
    item("i1", "Lives in Lisbon with their wife."),
    item("i2", "Lives in Berlin.", status="superseded", age="2 months ago"),
    item("i3", "Is called Sarah Garcia."),
    item("i4", "Is allergic to peanuts."),
    item("i5", "Ran a 10k on 9 March 2026.", type="episodic_event"),
    item("i6", "Has a boyfriend called Tom.", status="contradicted"),
    item("i7", "The landlord wants to raise our rent by 200 euros", layer="episodic", type="user"),
    item("i8", "Brother lives in Oslo."),
]


def asked(question: str, items: list[dict[str, Any]] | None = None) -> AnswerReply:
    return answer(
        {"question": question, "now": "2026-03-10T10:00:00+01:00", "items": ITEMS if items is None else items}
    )


KNOWN = [
    ("What is my name?", "You are called Sarah Garcia (you told me 3 days ago).", ["i3"]),
    ("What am I allergic to?", "You are allergic to peanuts (you told me 3 days ago).", ["i4"]),
    ("When did I run a 10k?", "You ran a 10k on 9 March 2026 (you told me 3 days ago).", ["i5"]),
    (
        "What does the landlord want?",
        'You said 3 days ago: "The landlord wants to raise our rent by 200 euros"',
        ["i7"],
    ),
]


@pytest.mark.parametrize(("question", "text", "citations"), KNOWN)
def test_known(question: str, text: str, citations: list[str]) -> None:
    assert asked(question) == AnswerReply(text=text, citations=citations, known=True)


def test_a_change_is_told_as_a_change() -> None:
    reply = asked("Where do I live?")
    assert reply.text.startswith("You live in Lisbon with your wife")
    assert "That has changed: 2 months ago you had told me that you live in Berlin." in reply.text
    assert reply.citations == ["i1", "i2"]


def test_what_no_longer_holds_is_not_told_as_true() -> None:
    reply = asked("Do I have a boyfriend?")
    assert reply.known
    assert reply.citations == ["i6"]
    assert "no longer holds" in reply.text


@pytest.mark.parametrize("question", ["What's my shoe size?", "Who won the cup?", "?", ""])
def test_not_known(question: str) -> None:
    reply = asked(question)
    assert (reply.known, reply.citations) == (False, [])
    assert "do not know" in reply.text


def test_nothing_remembered_is_not_known() -> None:
    assert not asked("Where do I live?", []).known


def test_second_person() -> None:
    assert second_person("Has two cats and loves them.") == "You have two cats and loves you."
    assert second_person("Brother lives in Oslo.") == "Brother lives in Oslo."
