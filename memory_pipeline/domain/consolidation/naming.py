"""Whether two words name one thing: by stem, or as synonyms of the table."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from memory_pipeline.domain.inflection import stem
from memory_pipeline.domain.patterns import lazy
from memory_pipeline.domain.tables import table
from memory_pipeline.domain.text import singular

_KINDS = r"(?:pill|tablet|capsule|med|medication|medicine|drug|injection|jab)s?"
_MEDICINE = lazy(rf"\b{_KINDS}\b")


@lru_cache(maxsize=65536)
def same_thing(a: str, b: str) -> bool:
    """Whether two words, or stems of words, name one thing: equal, of one stem, or synonyms."""
    return a == b or stem(a) == stem(b) or not lines(a).isdisjoint(lines(b))


def named_in(wanted: Iterable[str], there: Iterable[str]) -> bool:
    """Whether each of some words names a thing that one of others names, or the kind of one: "the car", "a Corolla"."""
    known = tuple(there)
    return all(any(same_thing(word, other) or of_kind(other, word) for other in known) for word in wanted)


def medicine_named(text: str) -> str:
    """A text in which a medicine told by what it is for stands as its kind: "the thyroid pill" as "the thyroxine".

    Args:
        text: in lower case.
    """
    return _for_what().sub(lambda hit: _medicines()[hit["use"]], text) if _MEDICINE.search(text) else text


@lru_cache(maxsize=1)
def _medicines() -> dict[str, str]:
    """The kinds of medicine, by what they are for."""
    return {use: kind for kind, uses in table("objects")["medicine_for"].items() for use in uses.split("|")}


@lru_cache(maxsize=1)
def _for_what() -> re.Pattern[str]:
    uses = "|".join(re.escape(use) for use in sorted(_medicines(), key=len, reverse=True))
    return lazy(rf"\b(?P<use>{uses}) (?:{_KINDS})\b")


@lru_cache(maxsize=65536)
def of_kind(word: str, kind: str) -> bool:
    """Whether what a word names is of a kind: a Corolla is a car, a beagle a dog."""
    return stem(singular(kind)) in kinds_of_word(word)


def kinds_of_word(word: str) -> frozenset[str]:
    """The kinds, by their stems, of what a word names: of "Corolla" a car."""
    return _kinds().get(word, frozenset()) or _kinds().get(stem(singular(word)), frozenset())


@lru_cache(maxsize=1)
def _kinds() -> dict[str, frozenset[str]]:
    """The kinds of each word, and of its stem."""
    found: dict[str, set[str]] = {}
    for kind, listed in table("objects")["of_kind"].items():
        for form in (form for word in listed.split() for form in (word, stem(singular(word)))):
            found.setdefault(form, set()).add(stem(singular(kind)))
    return {word: frozenset(kinds) for word, kinds in found.items()}


@lru_cache(maxsize=65536)
def lines(word: str) -> frozenset[int]:
    """The lines of the table of synonyms that a word, or its stem, stands in."""
    return _lines().get(word, frozenset()) or _lines().get(stem(word), frozenset())


@lru_cache(maxsize=1)
def _lines() -> dict[str, frozenset[int]]:
    groups: dict[str, set[int]] = {}
    for n, line in enumerate(table("objects")["same"]):
        for word in line.split():
            for form in (singular(word), stem(singular(word))):
                groups.setdefault(form, set()).add(n)
    return {word: frozenset(found) for word, found in groups.items()}
