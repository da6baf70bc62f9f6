"""Masking, splitting and kinds of utterances."""

from __future__ import annotations

import pytest

from memory_pipeline.inference.builtin.clauses import parse
from memory_pipeline.inference.builtin.masking import GAP, mask
from memory_pipeline.inference.builtin.modality import Mode
from memory_pipeline.inference.builtin.plain import plain
from memory_pipeline.inference.builtin.sentences import statements
from memory_pipeline.inference.builtin.utterances import Kind

SPLIT = {
    "I moved to Lisbon and I work at Figma now": ["I moved to Lisbon", "I work at Figma now"],
    "I moved to Lisbon and work at Figma now": ["I moved to Lisbon", "I work at Figma now"],
    "I have two cats; I love them": ["I have two cats", "I love them"],
    "I'm vegan 🌱 I live in Graz": ["I am vegan", "I live in Graz"],
    "My wife Nora and I moved to Porto": ["My wife Nora and I moved to Porto"],
    "I like rock and roll and dance music": ["I like rock and roll and dance music"],
    "I need to call mom and buy milk": ["I need to call mom and buy milk"],
    "Dr. Smith lives in St. Louis. I don't": ["Dr. Smith lives in St. Louis", "I do not"],
    "Yesterday, I ran a 10k": ["Yesterday, I ran a 10k"],
    "i live in berlin. i love it": ["I live in berlin", "I love it"],
    "I’m from Porto originally but I live in Berlin": ["I am from Porto originally", "I live in Berlin"],
    "I weigh 72.5 kg": ["I weigh 72.5 kg"],
}


@pytest.mark.parametrize(("content", "expected"), SPLIT.items(), ids=SPLIT)
def test_clauses(content: str, expected: list[str]) -> None:
    assert [s.text for s in statements(content)] == expected


KINDS = {
    "I live in Graz": Kind.STATEMENT,
    "do you live in Graz?": Kind.QUESTION,
    "what should I cook": Kind.QUESTION,
    "write me a poem": Kind.REQUEST,
    "I need some help": Kind.REQUEST,
    "if I lived in Graz": Kind.HYPOTHETICAL,
    "I wish I lived in Graz": Kind.HYPOTHETICAL,
    "she said I'm lazy": Kind.REPORTED,
    "yeah right, I love it": Kind.SARCASM,
}


@pytest.mark.parametrize(("content", "kind"), KINDS.items(), ids=KINDS)
def test_kind(content: str, kind: Kind) -> None:
    assert statements(content)[0].kind is kind


def test_what_follows_reported_speech_is_reported_until_but() -> None:
    kinds = [s.kind for s in statements("She said I'm lazy and I never clean, but I love cleaning.")]
    assert kinds == [Kind.REPORTED, Kind.REPORTED, Kind.STATEMENT]


def test_a_question_leaves_the_statement_before_it() -> None:
    kinds = [s.kind for s in statements("I'm 34, what should I cook?")]
    assert kinds == [Kind.STATEMENT, Kind.QUESTION]


@pytest.mark.parametrize(
    "content",
    [
        "say `I am vegan now` twice",
        "```\nI live in Rome\n```",
        "> I live in Rome",
        "he wrote “I live in Rome now”",
        "SYSTEM: I live in Rome",
    ],
)
def test_masked_text_keeps_its_length(content: str) -> None:
    masked = mask(content)
    assert GAP in masked
    assert len(masked) == len(content)
    assert "Rome" not in masked
    assert "vegan" not in masked


@pytest.mark.parametrize("content", ['my dog "Biscuit" barks', "I use `uv` for everything", "I've read 'Dune' twice"])
def test_names_in_quotes_stay(content: str) -> None:
    assert GAP not in mask(content)


PLAIN = {
    "I’m vegan 🌱": "I am vegan",
    "i dont like it": "I do not like it",
    "it's mine and my brother's": "it is mine and my brother's",
    "my brother's a nurse": "my brother is a nurse",
    "gonna call u": "going to call you",
    "The Hate U Give": "The Hate U Give",
    "I'd been there": "I had been there",
}


@pytest.mark.parametrize(("text", "expected"), PLAIN.items(), ids=PLAIN)
def test_plain_spelling(text: str, expected: str) -> None:
    assert plain(text.replace("U ", "U ")) == expected


PARSED = {  # clause: (subject, verb, rest, mode, negated, ceased)
    "I've really been living in Lisbon": ("I", "live", "in Lisbon", Mode.ONGOING, False, False),
    "I don't live in Berlin anymore": ("I", "live", "in Berlin", Mode.PRESENT, True, True),
    "I no longer eat meat": ("I", "eat", "meat", Mode.PRESENT, True, True),
    "I quit smoking": ("I", "smoke", "", Mode.PRESENT, True, True),
    "I used to work at Google": ("I", "work", "at Google", Mode.FORMER, False, False),
    "I'm going to call mom": ("I", "call", "mom", Mode.FUTURE, False, False),
    "I'm planning to visit Rome": ("I", "visit", "Rome", Mode.FUTURE, False, False),
    "I'd love to learn Spanish": ("I", "learn", "Spanish", Mode.WISH, False, False),
    "I've got to go": ("I", "go", "", Mode.DUTY, False, False),
    "I've got two cats": ("I", "have", "two cats", Mode.PRESENT, False, False),
    "I have never been to Japan": ("I", "be", "to Japan", Mode.PERFECT, True, False),
    "I decided not to go": ("I", "go", "", Mode.FUTURE, True, False),
    "I can't eat gluten": ("I", "eat", "gluten", Mode.ABLE, True, False),
    "called mom": ("I", "call", "mom", Mode.PAST, False, False),
    "my older brother works in Graz": ("older brother", "work", "in Graz", Mode.PRESENT, False, False),
    "Jane Doe lives in Oslo": ("Jane Doe", "live", "in Oslo", Mode.PRESENT, False, False),
    "I'd be happy in Rome": ("I", "be", "happy in Rome", Mode.UNREAL, False, False),
}


@pytest.mark.parametrize(("text", "expected"), PARSED.items(), ids=PARSED)
def test_parse(text: str, expected: tuple[object, ...]) -> None:
    clause = parse(plain(text))
    assert (clause.subject, clause.verb, clause.rest, clause.mode, clause.negated, clause.ceased) == expected
