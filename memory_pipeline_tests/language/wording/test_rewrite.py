"""Clauses told in the third person: what they say, and what is refused because it cannot stand alone."""

from __future__ import annotations

import pytest

from memory_pipeline.language.english import parser
from memory_pipeline.language.grammar.clauses import clauses
from memory_pipeline.language.grammar.people import People
from memory_pipeline.language.wording.rewrite import phrase, predicate, sentence, third, verb_phrase


def retold(text: str, *before: str) -> str:
    """The main clause of a sentence as a memory words it; "" where it is refused."""
    people = People()
    for parsed in parser().parse([*before, text]):
        (one,) = parsed
        people.read(one)
    main = clauses(one)[0]
    subject = people.subject(one, main.subject)
    return sentence(subject, predicate(main, subject, people))


RETOLD = {
    "I live in Leeds with my mother.": "Lives in Leeds with their mother.",
    "I've been learning Welsh.": "Has been learning Welsh.",
    "I don't eat meat.": "Does not eat meat.",
    "I never eat meat.": "Never eats meat.",
    "I no longer eat meat.": "No longer eats meat.",
    "I stopped eating meat.": "No longer eats meat.",
    "I don't live in Rome anymore.": "No longer lives in Rome.",
    "I'm a nurse.": "Is a nurse.",
    "I'm not a nurse.": "Is not a nurse.",
    "I was a nurse.": "Was a nurse.",
    "I can't swim.": "Cannot swim.",
    "I need to call my sister.": "Needs to call their sister.",
    "I'll call my sister.": "Plans to call their sister.",
    "I'm going to call my sister.": "Plans to call their sister.",
    "I might move to Spain.": "May move to Spain.",
    "I must finish my thesis.": "Has to finish their thesis.",
    "I moved to Lisbon.": "Moved to Lisbon.",
    "I didn't go to Rome.": "Did not go to Rome.",
    "I was diagnosed with asthma.": "Was diagnosed with asthma.",
    "I have never been to Japan.": "Has never been to Japan.",
    "We carry our own bags.": "Carries their own bags.",
    "My brother lives in Rome.": "Brother lives in Rome.",
    "My parents live in Rome.": "Parents live in Rome.",
    "My car is a Tesla.": "Their car is a Tesla.",
    "I like your answers.": "Likes the assistant's answers.",
    "I also really love jazz.": "Loves jazz.",
}


@pytest.mark.parametrize(("text", "expected"), RETOLD.items(), ids=RETOLD)
def test_told_in_the_third_person(text: str, expected: str) -> None:
    assert retold(text) == expected


@pytest.mark.parametrize("text", ["I bought it.", "I put them there.", "I love this."])
def test_what_points_to_what_was_not_told_is_refused(text: str) -> None:
    assert retold(text) == ""


@pytest.mark.parametrize(
    ("before", "text", "expected"),
    [
        ("My sister lives in Rome.", "I visit her often.", "Visits their sister often."),
        ("My brother Max lives in Rome.", "I live with him.", "Lives with their brother Max."),
    ],
)
def test_a_pronoun_is_told_by_the_one_it_stands_for(before: str, text: str, expected: str) -> None:
    assert retold(text, before) == expected


def test_an_aside_that_points_elsewhere_is_left_out() -> None:
    assert retold("I live in Rome because of that.") == "Lives in Rome."


@pytest.mark.parametrize(
    ("text", "bare", "each", "expected"),
    [
        ("I own a red car.", False, False, "a red car"),
        ("I own a red car.", True, False, "red car"),
        ("I love my dog and our cats.", False, False, "their dog and their cats"),
        ("I love my dog and our cats.", True, True, "dog"),
        ("I own a car which I hate.", True, True, "car"),
    ],
)
def test_a_noun_phrase(text: str, bare: bool, each: bool, expected: str) -> None:
    (parsed,) = parser().parse([text])[0]
    main = clauses(parsed)[0]
    token = main.object()
    assert token is not None
    assert phrase(main, token, People(), bare=bare, each=each) == expected


def test_several_have_the_plural_form() -> None:
    (parsed,) = parser().parse(["My parents are teachers."])[0]
    assert verb_phrase(clauses(parsed)[0], plural=True) == "are"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("my mom and I're done", "their mom and they are done"),
        ("I was late", "they were late"),
        ("call me by your name", "call them by the assistant's name"),
        ("we've seen ours", "they have seen theirs"),
        ("mining is theirs", "mining is theirs"),
    ],
)
def test_plain_words_in_the_third_person(text: str, expected: str) -> None:
    assert third(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        ("lives in Rome.", "Lives in Rome."),
        (' says "hi', "Says hi."),
        ("likes tea (green", "Likes tea green."),
    ],
)
def test_a_sentence_is_closed(text: str, expected: str) -> None:
    from memory_pipeline.language.grammar.people import USER

    assert sentence(USER, text) == expected
