"""Whom a clause speaks of, and whom a pronoun stands for."""

from __future__ import annotations

import pytest

from memory_pipeline.language.english import parser
from memory_pipeline.language.grammar.clauses import clauses
from memory_pipeline.language.grammar.people import Kind, People, Subject


def told(*texts: str) -> tuple[People, list[tuple[str, str]]]:
    """The people after some sentences, and those whose name was told."""
    people, named = People(), []
    for sentences in parser().parse(texts):
        for sentence in sentences:
            named += [(p.relation, p.name) for p in people.read(sentence)]
    return people, named


def subject(text: str, *before: str) -> Subject:
    """Whom the main clause of a sentence is about, after others."""
    people, _ = told(*before)
    (sentence,) = parser().parse([text])[0]
    people.read(sentence)
    return people.subject(sentence, clauses(sentence)[0].subject)


SUBJECTS = {  # sentence: (kind, key, label)
    "I live in Rome.": (Kind.USER, "user", ""),
    "We live in Rome.": (Kind.USER, "user", ""),
    "My brother lives in Rome.": (Kind.PERSON, "brother", "Brother"),
    "My older brother lives in Rome.": (Kind.PERSON, "brother", "Brother"),
    "My brother Max lives in Rome.": (Kind.PERSON, "brother max", "Brother Max"),
    "My mum lives in Rome.": (Kind.PERSON, "mother", "Mother"),
    "Our daughter speaks French.": (Kind.PERSON, "daughter", "Daughter"),
    "My boss lives in Rome.": (Kind.PERSON, "boss", "Boss"),
    "My dog barks.": (Kind.PET, "dog", "Dog"),
    "My car is blue.": (Kind.POSSESSION, "car", "Their car"),
    "My sister's wedding is in May.": (Kind.POSSESSION, "sister's wedding", "Sister's wedding"),
    "Jane Doe lives in Rome.": (Kind.NAMED, "Jane Doe", "Jane Doe"),
    "It is raining.": (Kind.OTHER, "", ""),
    "The weather is bad.": (Kind.OTHER, "", ""),
    "You live in Rome.": (Kind.OTHER, "", ""),
}


@pytest.mark.parametrize(("text", "expected"), SUBJECTS.items(), ids=SUBJECTS)
def test_whom_a_clause_is_about(text: str, expected: tuple[Kind, str, str]) -> None:
    found = subject(text)
    assert (found.kind, found.key, found.label) == expected


@pytest.mark.parametrize(("text", "plural"), [("My parents live in Rome.", True), ("My mother lives in Rome.", False)])
def test_several_are_plural(text: str, plural: bool) -> None:
    assert subject(text).plural is plural


def test_who_did_it_together_with_the_user() -> None:
    found = subject("Ana and I moved to Porto.")
    assert (found.kind, found.together) == (Kind.USER, "Ana")


NAMES = {
    "My wife Nora works.": [("wife", "Nora")],
    "My wife, Nora, works.": [("wife", "Nora")],
    "I have a brother called Tom.": [("brother", "Tom")],
    "I live with my mom Ann Lee.": [("mother", "Ann Lee")],
    "We adopted a dog named Rex.": [("dog", "Rex")],
    "My wife works.": [],
    "Your brother Tom works.": [],
    "He has a brother called Tom.": [],
}


@pytest.mark.parametrize(("text", "expected"), NAMES.items(), ids=NAMES)
def test_names_are_noted_where_they_are_told(text: str, expected: list[tuple[str, str]]) -> None:
    assert told(text)[1] == expected


def test_a_name_is_told_once() -> None:
    assert told("My wife Nora works.", "My wife Nora likes tea.", "Nora likes cake.")[1] == [("wife", "Nora")]


@pytest.mark.parametrize(
    ("text", "before", "key"),
    [
        ("He likes tea.", ["My brother Max lives in Rome."], "brother max"),
        ("My brother likes tea.", ["My brother Max lives in Rome."], "brother max"),
        ("Max likes tea.", ["My brother Max lives in Rome."], "brother max"),
        ("She likes tea.", ["My sister lives in Rome.", "My brother lives in Graz."], "sister"),
        ("He likes tea.", ["My sister lives in Rome."], ""),
        ("They like tea.", ["My brother lives in Graz.", "My parents live in Rome."], "parents"),
        ("It barks.", ["I have a dog called Rex."], "dog rex"),
        ("He likes tea.", [], ""),
        ("Max likes tea.", [], "Max"),
    ],
)
def test_somebody_keeps_one_label(text: str, before: list[str], key: str) -> None:
    assert subject(text, *before).key == key


def test_two_brothers_stay_two() -> None:
    people, named = told("My brother Max lives in Rome.", "My brother Tom lives in Graz.")
    assert named == [("brother", "Max"), ("brother", "Tom")]
    assert [p.key for p in people.known] == ["brother max", "brother tom"]


def test_things_are_kept_for_it_and_them() -> None:
    people = People()
    assert people.thing("it") is None
    people.note_thing("a kayak", plural=False)
    people.note_thing("two bikes", plural=True)
    assert (people.thing("it"), people.thing("them")) == ("a kayak", "two bikes")
    people.note_thing("a thing that takes far too many words to stand in", plural=False)
    assert people.thing("it") == "a kayak"
