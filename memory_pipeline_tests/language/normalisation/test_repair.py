"""Chat spelling written out: words, left-out subjects, lead-ins, comma splices, rows and items of lists."""

from __future__ import annotations

import pytest

from memory_pipeline.language.normalisation.repair import sentences, spelled

SPELLED = {
    "I’m vegan 🌱": "I'm vegan",
    "i dont like it": "I don't like it",
    "gonna call u": "going to call you",
    "my gf wants a dog": "my girlfriend wants a dog",
    "I'm gluten free": "I'm gluten-free",
    "it's mine and my brother's": "it's mine and my brother's",
    "  two\n\nlines ": "two lines",
    "he left, idk why": "he left, I don't know why",
    "The US is big": "The US is big",  # an acronym is no chat word
    "I love jazz :)": "I love jazz",
    "“quoted” words": '"quoted" words',
    "passed N3, tea n cake": "passed N3, tea and cake",
    "up tae Leith wi the weans": "up to Leith with the kids",
    "Rory's got measles": "Rory has measles",
    "id fix it": "I'd fix it",
}


@pytest.mark.parametrize(("text", "expected"), SPELLED.items(), ids=SPELLED)
def test_plain_spelling(text: str, expected: str) -> None:
    assert spelled(text) == expected


SENTENCES = {
    "The boxes are unpacked, Turku is home now.": ["The boxes are unpacked", "I live in Turku now."],
    "The callback is off, so no monologue needed.": ["The callback is off", "I no longer have to do monologue."],
    "The trip's off, Rory has measles": ["The trip is off", "Rory has measles"],
    # a left-out subject
    "Moved house last week": ["I moved house last week"],
    "Living in Rome": ["I am living in Rome"],
    "Allergic to nuts": ["I am allergic to nuts"],
    "don't like olives": ["I don't like olives"],
    "need to call mom": ["I need to call mom"],
    "Sold the car": ["I sold the car"],
    "Related work": ["Related work"],
    "Rome is big": ["Rome is big"],
    # what only leads in
    "oh and btw im vegan": ["I am vegan"],
    "lol I hate mondays": ["I hate mondays"],
    "Actually, I live in Graz": ["I live in Graz"],
    # splices
    "I moved to Lisbon, I work at Figma": ["I moved to Lisbon", "I work at Figma"],
    "I like cats; she likes dogs": ["I like cats", "she likes dogs"],
    "I live in Graz and I work at Acme": ["I live in Graz", "I work at Acme"],
    "If I move, I need a job": ["If I move, I need a job"],
    "My wife Nora and I moved to Porto": ["My wife Nora and I moved to Porto"],
    # rows
    "Allergies: bees, penicillin": ["I am allergic to bees and penicillin"],
    "Location: Berlin": ["I live in Berlin"],
    "Name: Ali": ["My name is Ali"],
    "salary 3,450 net, rent 1,180": ["My salary is 3,450 net.", "My rent is 1,180."],
    # names in small letters
    "my gf kayla is nice": ["my girlfriend Kayla is nice"],
    "my sister is nice": ["my sister is nice"],
    # nothing to read
    "": [],
    "🎉🎉 ???": [],
}


@pytest.mark.parametrize(("text", "expected"), SENTENCES.items(), ids=SENTENCES)
def test_statements_written_out(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        ("two kids", "I have two kids"),
        ("vegan", "I am vegan"),
        ("a nurse", "I am a nurse"),
        ("night shifts", "night shifts"),
        ("I smoke", "I smoke"),
        ("my wife is Danish", "my wife is Danish"),
    ],
)
def test_items_of_a_list_about_the_writer(item: str, expected: str) -> None:
    assert sentences(item, listed=True) == [expected]


def test_an_item_stays_as_it_is_outside_of_a_list() -> None:
    assert sentences("two kids") == ["two kids"]


def test_what_one_does_without_is_a_statement_of_its_own() -> None:
    assert sentences("I'm lactose intolerant so no cheese")[0] == "I can't have cheese."
