"""Whom a memory's sentence is about, for verbs that no list has."""

from __future__ import annotations

import pytest

from memory_pipeline.inference.builtin.about import of_the_user, sentence


@pytest.mark.parametrize(
    "content",
    [
        "Lives in Hamburg.", "Crochets blankets for the neighbours.", "No longer smokes.", "Always defends numbers.",
        "Never eats before noon.", "Outgrew the old desk.", "Has two cats.", "Cannot swim.",
        "Would like to learn Thai.",
        "Absolutely adores opera.", "Was born in Oslo.", "Decided to keep the queue.", "Only runs mornings now.",
    ],
)  # fmt: skip
@pytest.mark.parametrize("subject", ["user", None])
def test_a_sentence_without_a_subject_is_about_the_user(content: str, subject: str | None) -> None:
    assert of_the_user(content, subject)
    assert sentence({"content": content, "subject": subject}).of_user


@pytest.mark.parametrize(
    ("content", "subject", "who", "text"),
    [
        ("Sister lives in Lisbon.", "sister", "their sister", "lives in Lisbon"),
        ("Sister Nora lives in Lisbon.", "sister", "their sister Nora", "lives in Lisbon"),
        ("Late husband died.", "late husband", "their late husband", "died"),
        ("Rui is lactose intolerant.", "Rui", "Rui", "is lactose intolerant"),
        ("Jonas does not eat mushrooms.", "Jonas", "Jonas", "does not eat mushrooms"),
        ("Rui's mother always bakes on Fridays.", "Rui's mother", "Rui's mother", "always bakes on Fridays"),
        ("Mother-in-law is moving in.", None, "their mother-in-law", "is moving in"),
        ("Boss quit in May.", "boss", "their boss", "quit in May"),
        ("The user's cat hates visitors.", "cat", "the user's cat", "hates visitors"),
    ],
)
def test_others_are_named(content: str, subject: str | None, who: str, text: str) -> None:
    found = sentence({"content": content, "subject": subject})
    assert (found.who, found.text, found.of_user) == (who, text, False)


@pytest.mark.parametrize(
    "content",
    ["Lesson: look at the pool before blaming GC.", "Estimate: 4 days including the lock change.",
     "The retry path leaks a connection.", "Kids are tall.", "12 pods times 20 connections is 240."],
)  # fmt: skip
def test_what_stands_by_itself(content: str) -> None:
    found = sentence({"content": content, "subject": None})
    assert not found.of_user and found.text[:4].lower() in content.lower()


def test_what_was_decided_or_noted_is_the_users() -> None:
    assert sentence({"content": "Decided: pgbouncer.", "subject": None}).text == "decided: pgbouncer"
    assert sentence({"content": "I think GC is to blame.", "subject": None}).text == 'noted: "I think GC is to blame"'
