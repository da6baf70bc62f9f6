"""Slots: (subject, attribute, value). They decide what cosine cannot: same fact, changed fact, or another fact.

The vocabulary is open: an attribute that is not listed holds many values. Listing one states whether a subject can
have one value of it at a time, and which attribute denies it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from memory_pipeline.domain.text import content_words, figures, normalise, overlap

_QUALIFIED = re.compile(
    r",|\s(?:of|in|at|for|with|from|on|near|who|that|which|by|about|called|named|since|to|after|before|during|while)\s"
    r"|\s\("
)
_MEASURE = re.compile(
    r"^(?:an?\s+|the\s+)?(?:[\d.,]+\s*|\w+\s+)?(?:pair|couple|cup|glass|bottle|piece|slice|mg|g|kg|ml|l|km|kind|sort|"
    r"type|lot)s?\s+of\s+",
    re.IGNORECASE,
)
_DOING = re.compile(r"^\w{3,}ing\s+to\s+(?!be\b)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Attribute:
    """How values of an attribute live together.

    Attributes:
        single: a new value replaces the old one.
        opposite: attribute whose same value contradicts this one.
        named: its values are names, and the words around one tell whose it is: a daughter and a niece may both be
            called Anna.
        worded: its values are told rather than named, so that two of them may be one thing in other words.
    """

    single: bool = False
    opposite: str | None = None
    named: bool = False
    worded: bool = False


ATTRIBUTES: dict[str, Attribute] = {
    # one at a time
    "name": Attribute(single=True),
    "preferred_name": Attribute(single=True),
    "pronouns": Attribute(single=True),
    "age": Attribute(single=True),
    "birthday": Attribute(single=True),
    "residence": Attribute(single=True),
    "hometown": Attribute(single=True),
    "nationality": Attribute(single=True),
    "timezone": Attribute(single=True),
    "occupation": Attribute(single=True),
    "employer": Attribute(single=True),
    "team": Attribute(single=True),
    "relationship_status": Attribute(single=True),
    "partner": Attribute(single=True, named=True),
    "diet": Attribute(single=True),
    "smoking": Attribute(single=True),
    "drinking": Attribute(single=True),
    "weight": Attribute(single=True),
    "height": Attribute(single=True),
    "answer_style": Attribute(single=True),
    # many at a time
    "likes": Attribute(opposite="dislikes"),
    "dislikes": Attribute(opposite="likes"),
    "avoid_topic": Attribute(),
    "allergy": Attribute(),
    "health": Attribute(worded=True),
    "pet": Attribute(named=True),
    "family": Attribute(named=True),
    "friend": Attribute(named=True),
    "hobby": Attribute(worded=True),
    "skill": Attribute(),
    "language": Attribute(),
    "tool": Attribute(),
    "project": Attribute(worded=True),
    "goal": Attribute(worded=True),
    "learning": Attribute(),
    "education": Attribute(),
    "possession": Attribute(worded=True),
    "visited": Attribute(),
    "event": Attribute(worded=True),
    "plan": Attribute(worded=True),
    "mood": Attribute(worded=True),
    "outcome": Attribute(worded=True),
}


@lru_cache(maxsize=4096)
def attribute(name: str | None) -> Attribute:
    """What is known of an attribute; ``favorite_*``, ``preferred_*`` and ``current_*`` hold one value at a time."""
    if not name:
        return Attribute()
    name = normalise(name).replace(" ", "_")
    known = ATTRIBUTES.get(name)
    if known is not None:
        return known
    return Attribute(single=name.startswith(("favorite_", "preferred_", "current_")))


class Relation(StrEnum):
    """How a new slot stands to an old one."""

    UNRELATED = "unrelated"
    SAME = "same"
    CHANGED = "changed"
    DENIED = "denied"
    SIBLING = "sibling"


@dataclass(frozen=True, slots=True)
class Slot:
    subject: str | None
    attribute: str | None
    value: str | None
    negated: bool = False

    @property
    def key(self) -> tuple[str, str] | None:
        """Normalised (subject, attribute), None where the attribute is missing."""
        return _key(self.subject, self.attribute)


@lru_cache(maxsize=4096)
def _key(subject: str | None, attribute: str | None) -> tuple[str, str] | None:
    return (normalise(subject or "user"), normalise(attribute).replace(" ", "_")) if attribute else None


@lru_cache(maxsize=65536)
def same_value(a: str | None, b: str | None) -> bool:
    """Whether two values name the same thing: equal words, or one is the other with more detail.

    Numbers must agree unless one value has none ("Postgres", "Postgres 16"). Detail keeps the head of the phrase:
    "guitar" is no less specific "guitar lessons", while "lawyer" is a less specific "tenancy lawyer".
    """
    if not a or not b:
        return False
    if normalise(a) == normalise(b):
        return True
    if figures(a) != figures(b) and figures(a) and figures(b):
        return False
    left, right = _worded(a), _worded(b)
    if figures(a) and figures(a) == figures(b) and not (left and right):
        return True
    if not left or not right or (_head(a) != _head(b) and not _ends_with_part(a, b)):
        return False
    return left <= right or right <= left or overlap(left, right) >= 0.75


@lru_cache(maxsize=65536)
def _worded(value: str) -> frozenset[str]:
    return content_words(_DOING.sub("", value)) - figures(value)


@lru_cache(maxsize=65536)
def _head(value: str) -> str:
    """The word that says what a value is: the last one before what qualifies it, without names, figures and measures.

    "head of sales in Oslo" → "head", "grey cat Misty" → "cat", "a pair of cats" → "cat", "listening to jazz" → "jazz".
    """
    value = _MEASURE.sub("", _DOING.sub("", value.strip()))
    told = [w for w in _QUALIFIED.split(value, maxsplit=1)[0].split() if content_words(w) and not figures(w)]
    plain = [w for w in told if not w[:1].isupper()] or told
    return next(iter(content_words(plain[-1])), "") if plain else ""


def _ends_with_part(a: str, b: str) -> bool:
    """One value is a whole part of the other's list of parts: "Portugal" in "Lisbon, Portugal"."""
    parts = [{normalise(p) for p in value.split(",")} for value in (a, b)]
    return bool(parts[0] & parts[1])


def relate(new: Slot, old: Slot) -> Relation:
    """How ``new`` stands to ``old``: the same fact, a changed or denied one, another value beside it, or unrelated."""
    there, known = new.key, old.key
    if there is None or known is None or there[0] != known[0]:
        return Relation.UNRELATED
    same = same_value(new.value, old.value)
    if there[1] != known[1]:
        opposes = attribute(there[1]).opposite == known[1]
        return Relation.DENIED if opposes and same and new.negated == old.negated else Relation.UNRELATED
    if same:
        return Relation.SAME if new.negated == old.negated else Relation.DENIED
    if new.value is None or old.value is None:
        return Relation.SIBLING
    if attribute(there[1]).single and not new.negated and not old.negated:
        return Relation.CHANGED
    return Relation.SIBLING
