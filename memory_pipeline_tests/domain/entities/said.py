"""Statements of one user, and the entities that they make, by hand."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, timedelta
from typing import Any

from hypothesis import strategies as st

from memory_pipeline.domain.entities import Entity, Roster, Statement, entities
from memory_pipeline.domain.scope import Scope
from memory_pipeline_tests.factories import NOON

SCOPE = Scope("t", "u")
DAY = date(2026, 3, 10)


def says(content: str, *slot: str | None, names: Iterable[str] = (), n: int = 0, **given: Any) -> Statement:
    """A statement; ``slot`` is subject, attribute, value; the ``n``-th said."""
    subject, attribute, value = (*slot, None, None, None)[:3]
    fields: dict[str, Any] = {
        "memory_id": f"mem_{n}_{content}",
        "content": content,
        "subject": subject,
        "attribute": attribute,
        "value": value,
        "negated": False,
        "entities": tuple(names),
        "living": True,
        "times": 1,
        "observed_at": NOON + timedelta(days=n),
        "referenced_at": NOON + timedelta(days=n),
    }
    return Statement(**(fields | given))


def about(*names: str) -> list[Statement]:
    """Memories that name things without telling what they are."""
    return [says(f"Thought about {name} a lot.", names=[name], n=n) for n, name in enumerate(names)]


def made(stated: Iterable[Statement], scope: Scope = SCOPE) -> list[Entity]:
    return entities(scope, stated, DAY)


def roster(stated: Iterable[Statement]) -> Roster:
    return Roster(made(stated))


def found(stated: Iterable[Statement], text: str) -> list[str]:
    """Names of the entities that a text names."""
    known = roster(stated)
    ids = known.find(text)
    return sorted(e.name for e in known.entities if e.entity_id in ids)


# What the tests' users know.
BROTHER_MAX = says("Brother is called Max.", "brother", "name", "Max", names=["Max"])
DOG_MAX = says("Has a dog called Max.", "user", "pet", "Max", names=["Max"], n=1)
FRIEND_MAX = says("Has a friend called Max.", "user", "friend", "Max", names=["Max"], n=2)
SISTER_NORA = says("Has a sister called Nora.", "user", "family", "Nora", names=["Nora"], n=3)
MAX_WEBER = says("Has a friend called Max Weber.", "user", "friend", "Max Weber", names=["Max Weber"], n=4)
MAX_PLANCK = says("Has a colleague called Max Planck.", "user", "friend", "Max Planck", names=["Max Planck"], n=5)
NEW_YORK = says("Lives in New York.", "user", "residence", "New York", names=["New York"], n=6)
NEW_YORK_CITY = says("Lives in New York City.", "user", "residence", "New York City", names=["New York City"], n=7)
EMPLOYER = says("Works at Pedalwerk.", "user", "employer", "Pedalwerk", names=["Pedalwerk"], n=8)
NAME = says("Is called Alice.", "user", "name", "Alice", names=["Alice"], n=9)
CALL_ME = says("Wants to be called Ali.", "user", "preferred_name", "Ali", names=["Ali"], n=10)


_NAMES = (
    "Max",
    "Max Weber",
    "Max Planck",
    "Dr. Weber",
    "Nora",
    "NYC",
    "New York City",
    "New York",
    "田中さん",
    "田中",
    "Müller",
)
_SLOTS = (
    ("user", "family"),
    ("user", "pet"),
    ("user", "friend"),
    ("user", "residence"),
    ("user", "employer"),
    ("user", "name"),
    ("brother", "name"),
    ("sister", "residence"),
    ("user", "likes"),
    ("user", "resting_heart_rate"),
    (None, None),
)
_WORDS = ("Has a brother called {}.", "Has a dog called {}.", "Likes {}.", "Calls the oven {}.", "{} is their cousin.")


@st.composite
def stated_names(draw: st.DrawFn) -> list[Statement]:
    """Memories of one user that name people and places in many ways, and some that name nothing."""
    made_ = []
    for n in range(draw(st.integers(0, 9))):
        name, words, slot = draw(st.sampled_from(_NAMES)), draw(st.sampled_from(_WORDS)), draw(st.sampled_from(_SLOTS))
        value = name if slot[1] else None
        names = (name,) if draw(st.booleans()) else ()
        living = draw(st.booleans())
        made_.append(says(words.format(name), *slot, value, names=names, n=n, living=living))
    return made_
