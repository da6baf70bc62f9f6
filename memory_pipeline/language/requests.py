"""What an everyday request is about, and which memories have to do with that. English words; see ``requests.toml``.

"What should I cook tonight?" shares no word with "Is allergic to nuts", and is not near it in meaning either: what
joins them is that food has to do with allergies. Kinds of request say so.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from memory_pipeline.domain.patterns import lazy
from memory_pipeline.domain.text import singular, words
from memory_pipeline.language.standing.tables import folded
from memory_pipeline.language.tables import read

GREETING = "greeting"
_FAVOURITE = "favorite_*"
_COMPOUND = lazy(r"[^\W_]+(?:-[^\W_]+)+")  # "to-do": words of a text are read without their hyphens


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of request.

    Attributes:
        asks: words of requests of this kind.
        worded: whether a request, folded, is worded as one of this kind.
        like: requests of this kind, for an encoder.
        attributes, types, tells: of the memories that it needs: attributes, types, words of their content.
        vital: whether what could hurt the user belongs to it.
        others: whose memories it needs besides the user's: ``vital`` what could hurt other people, ``all`` all, or "".
        recent: it is about the last weeks.
        whole: it is about the user as a whole.
    """

    name: str
    asks: frozenset[str]
    worded: re.Pattern[str] | None
    like: tuple[str, ...]
    attributes: frozenset[str]
    types: frozenset[str]
    tells: tuple[str, ...]
    vital: bool
    others: str
    recent: bool
    whole: bool

    @property
    def favourites(self) -> bool:
        """Whether it needs everything that is somebody's favourite."""
        return _FAVOURITE in self.attributes


@cache
def kinds() -> Mapping[str, Kind]:
    """All kinds of request, by name."""
    return {row["name"]: _kind(row) for row in read("requests")["kind"]}


def _kind(row: Mapping[str, Any]) -> Kind:
    return Kind(
        name=row["name"],
        asks=frozenset(row["asks"].split()),
        worded=lazy("|".join(row["wordings"])) if row.get("wordings") else None,
        like=tuple(row["like"]),
        attributes=frozenset(row.get("attributes", "").split()),
        types=frozenset(row.get("types", "").split()),
        tells=tuple(row.get("tells", "").split()),
        vital=row.get("vital", False),
        others=row.get("others", ""),
        recent=row.get("recent", False),
        whole=row.get("whole", False),
    )


def named_kinds(text: str) -> frozenset[str]:
    """The kinds that a request names by a word, or is worded as; a greeting only where it says nothing else."""
    said = words(text)
    if said and all(word in _words("greeting") for word in said):
        return frozenset({GREETING})
    written = (*said, *_COMPOUND.findall(folded(text)))
    meant = frozenset(form for word in written for form in _forms(word))
    said_as = folded(text)
    return frozenset(n for n, k in kinds().items() if k.asks & meant or (k.worded and k.worded.search(said_as)))


def empty_words() -> frozenset[str]:
    """Words of requests that say nothing of what these are about."""
    return _words("empty")


def reaction_words() -> frozenset[str]:
    """Words of sentences that react to what somebody said, and state nothing."""
    return _words("reaction")


def hazard_words() -> frozenset[str]:
    """Words of sentences that say what could hurt somebody."""
    return _words("hazard")


def asks(row: str, text: str) -> bool:
    """Whether a request asks for something in particular.

    Args:
        row: ``past`` what was and is over, ``assistant`` the assistant's own words, ``theme`` how things went, ``wish``
            that something be done, or advice.
    """
    return _pattern(row).search(folded(text)) is not None


def examples() -> tuple[Sequence[str], Sequence[str]]:
    """Requests and, for each, the name of its kind, for an encoder."""
    listed = [(like, kind.name) for kind in kinds().values() for like in kind.like]
    return [like for like, _ in listed], [name for _, name in listed]


def needed(names: Collection[str]) -> Sequence[Kind]:
    """The kinds of some names, in the order of the table."""
    return [kind for name, kind in kinds().items() if name in names]


@cache
def _words(name: str) -> frozenset[str]:
    return frozenset(read("requests")["words"][name].split())


@cache
def _pattern(name: str) -> re.Pattern[str]:
    return lazy("|".join(read("requests")["rows"][name]))


@lru_cache(maxsize=4096)
def _forms(word: str) -> tuple[str, ...]:
    """A word, and what it is without the ending of a plural."""
    return (word, singular(word), word.removesuffix("es"))
