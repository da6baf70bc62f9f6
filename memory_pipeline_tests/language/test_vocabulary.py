"""Classes of words: relations, trades, medicines and categories, whichever form a word has."""

from __future__ import annotations

import pytest

from memory_pipeline.language.tables import read
from memory_pipeline.language.vocabulary import category, medicine, occupation, relations, words


@pytest.mark.parametrize(
    ("word", "known"), [("mum", "mother"), ("dad", "father"), ("sister", "sister"), ("mom", "mother")]
)
def test_relations_have_one_word_each(word: str, known: str) -> None:
    assert relations()[word] == known


def test_no_relation_is_a_word_of_another() -> None:
    assert {relations()[known] for known in relations().values()} == set(relations().values())
    assert "car" not in relations()


@pytest.mark.parametrize("noun", ["nurse", "nurses", "teacher", "welder", "beekeeper", "engineer"])
def test_trades(noun: str) -> None:
    assert occupation(noun)


@pytest.mark.parametrize("noun", ["car", "tea", "person", "computer", "weather", "number", "sister"])
def test_no_trades(noun: str) -> None:
    assert not occupation(noun)


@pytest.mark.parametrize("word", ["lisinopril", "Atorvastatin", "metformin", "ibuprofen"])
def test_medicines_by_name_or_ending(word: str) -> None:
    assert medicine(word)


@pytest.mark.parametrize("word", ["april", "tea", "statin's", "mile"])
def test_no_medicines(word: str) -> None:
    assert not medicine(word)


@pytest.mark.parametrize(
    ("thing", "kind"),
    [("tea", "drink"), ("oat milk", "drink"), ("vim", "editor"), ("a very long way of saying tea", None), ("", None)],
)
def test_what_kind_of_thing(thing: str, kind: str | None) -> None:
    assert category(thing) == kind


@pytest.mark.parametrize("name", sorted(read("words")))
def test_classes_hold_words_in_small_letters(name: str) -> None:
    if isinstance(read("words")[name], dict):
        return
    assert words(name)
    assert all(word == word.lower() for word in words(name))
