"""The table of questions, read once: patterns with the forms of verbs filled in, and groups of words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from memory_pipeline.domain.patterns import lazy
from memory_pipeline.language.tables import read
from memory_pipeline.language.vocabulary import relations, words

_WORD = lazy(r"[\w-]+")
_GROUP = lazy(r"^(?P<name>[a-z]+?)\d*$")


@dataclass(frozen=True, slots=True)
class Row:
    """A wording of questions, and what it asks for.

    Attributes:
        slots: attributes of which one fills what is asked for; ``*`` for any ending, ``{what}`` for the thing named.
        wants: kind of the answer, or "" where the asking word tells.
        of: "user" or "other", where only one of them can be asked so.
        types: types of memories that answer.
        all: every value answers, not only the latest.
        named: the answer is the name of somebody who belongs to the user.
        negated: what is denied answers as well.
        kind: the thing that is named must be of that kind.
        also: words that come with the attribute, and need not be repeated.
        people: a word for somebody, or an animal, that belongs to the user stands in it (see :func:`names_people`).
    """

    ask: re.Pattern[str]
    slots: tuple[str, ...]
    wants: str
    of: str
    types: frozenset[str]
    all: bool
    named: bool
    negated: bool
    kind: bool
    also: str
    people: bool


@cache
def rows() -> tuple[Row, ...]:
    """The rows in their order."""
    return tuple(_row(given) for given in read("questions")["rows"])


def _row(given: Mapping[str, Any]) -> Row:
    return Row(
        pattern(given["ask"]),
        tuple(given.get("slots", "").split()),
        given.get("wants", ""),
        given.get("of", ""),
        frozenset(given.get("types", "").split()),
        all=bool(given.get("all")),
        named=bool(given.get("named")),
        negated=bool(given.get("negated")),
        kind=bool(given.get("kind")),
        also=given.get("also", ""),
        people=all("{relation}" in part for part in given["ask"].split("|^")),
    )


@cache
def pattern(text: str) -> re.Pattern[str]:
    """A pattern of the table with the forms of its verbs and the words for people filled in."""
    filled = text
    for name, forms in {**read("questions")["forms"], "relation": _people()}.items():
        filled = filled.replace("{" + name + "}", f"(?:{forms})")
    return lazy(filled, re.I)


def names_people(text: str) -> bool:
    """Whether a word for people or animals that belong to somebody stands in a text.

    Patterns of which that is a part take long to compile: where it is not so, none needs to be.
    """
    small = text.lower()
    spoken = set(_WORD.findall(small))
    return any(word in spoken or (" " in word and word in small) for word in _people_words())


@cache
def _people() -> str:
    """The same words as an alternative."""
    return "|".join(sorted(map(re.escape, _people_words()), key=len, reverse=True))


@cache
def _people_words() -> frozenset[str]:
    """Words for people and animals that belong to somebody, in the singular and the plural."""
    known = {*relations(), *words("pet"), *read("questions")["wider"], "animals"}
    known -= set(read("questions")["nobody"]["words"].split())
    plural = {f"{word}s" for word in known if not word.endswith("s")}
    return frozenset(known | plural)


def group(found: re.Match[str], name: str) -> str:
    """What a named group of a row holds, whichever of its alternatives it stands in ("what", "what2")."""
    for key, value in found.groupdict().items():
        told = _GROUP.match(key)
        if value and told and told.group("name") == name:
            return str(value)
    return ""


@cache
def any_of(section: str, name: str) -> re.Pattern[str]:
    """A list of patterns of the table as one."""
    listed = read("questions")[section][name]
    return lazy("|".join([listed] if isinstance(listed, str) else listed), re.I)


@cache
def english() -> re.Pattern[str]:
    """How a question begins in English and in no other language."""
    return lazy(read("questions")["english"], re.I)


@cache
def elsewhere() -> tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]:
    """Questions in other languages, each with the wordings of what answers it."""
    listed = read("questions")["elsewhere"].values()
    return tuple((lazy("|".join(row["ask"]), re.I), lazy("|".join(row["say"]), re.I)) for row in listed)


@cache
def members(kind: str) -> frozenset[str]:
    """The known members of a kind of thing, lower case; none where the kind is open."""
    known = read("questions")
    if kind in known["members"]:
        return frozenset(known["members"][kind].split())
    of = known["classes"].get(kind, "")
    if of == "category":
        return frozenset(read("words")["category"].get(kind, "").split())
    return words(of) if of else frozenset()


@cache
def kind_of(word: str) -> frozenset[str]:
    """The kinds that a word is a known member of."""
    known = read("questions")
    return frozenset(kind for kind in (*known["members"], *known["classes"]) if word in members(kind))


@cache
def open_kinds() -> frozenset[str]:
    """Kinds with more members than any list has."""
    return frozenset(read("questions")["open"]["kinds"].split())


def spelled(text: str) -> str:
    """A text with words in the one spelling that attributes have."""
    return " ".join(read("questions")["spelled"].get(word, word) for word in text.split(" "))


@cache
def former() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Attributes of what was before, each with a wording that tells it."""
    return tuple(
        (name, lazy(p, re.I if "[A-Z]" not in p else 0))
        for name, listed in read("questions")["former"].items()
        for p in listed
    )


@cache
def worded() -> tuple[tuple[str, str, re.Pattern[str]], ...]:
    """Attributes that a wording tells, each with the class of words that its value must be of, or ""."""
    return tuple((row["attribute"], row["class"], lazy(row["say"], re.I)) for row in read("questions")["worded"])
