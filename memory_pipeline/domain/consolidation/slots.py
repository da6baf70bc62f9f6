"""Slots: (subject, attribute, value). They decide what cosine cannot: same fact, changed fact, or another fact.

The vocabulary is open: an attribute that is not listed holds many values. Listing one states whether a subject can
have one value of it at a time, and which attribute denies it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from memory_pipeline.domain.consolidation.contrast import opposed
from memory_pipeline.domain.consolidation.specificity import same_date
from memory_pipeline.domain.patterns import lazy
from memory_pipeline.domain.text import content_words, figures, normalise, numbers, overlap

_QUALIFIED = lazy(
    r",|\s(?:of|in|at|for|with|from|on|near|who|that|which|by|about|called|named|since|to|after|before|during|while)\s"
    r"|\s\("
)
_MEASURE = lazy(
    r"^(?:an?\s+|the\s+)?(?:[\d.,]+\s*|\w+\s+)?(?:pair|couple|cup|glass|bottle|piece|slice|mg|g|kg|ml|l|km|kind|sort|"
    r"type|lot)s?\s+of\s+",
    re.IGNORECASE,
)
_DATED = lazy(
    r"\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day|\d:\d\d|"
    r"\b(?:19|20)\d\d\b",
    re.IGNORECASE,
)
_VERSION = lazy(r"(?<![\w.])\d+\.\d+(?:\.\d+)?(?![\w.])")
_ENJOYING = lazy(r"^(?:drinking|eating|having|playing|listening to|watching|reading|using|cooking|making)\s+")
_DOING = lazy(r"^\w{3,}ing\s+to\s+(?!be\b)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Attribute:
    """How values of an attribute live together.

    Attributes:
        single: a new value replaces the old one.
        opposite: attribute whose same value contradicts this one.
        named: its values are names, and the words around one tell whose it is: a daughter and a niece may both be
            called Anna.
        worded: its values are told rather than named, so that two of them may be one thing in other words.
        rivals: its values add up unless the words of two exclude one another: "short" and "detailed" answers.
        beside: an attribute that tells of the same matter: who has a partner is not single.
        figured: its values are counted or measured, so that the same with another figure is a new state of it.
    """

    single: bool = False
    opposite: str | None = None
    named: bool = False
    worded: bool = False
    rivals: bool = False
    figured: bool = False
    beside: str | None = None


ATTRIBUTES: dict[str, Attribute] = {
    # one at a time
    "name": Attribute(single=True),
    "preferred_name": Attribute(single=True),
    "preferred_answer_language": Attribute(single=True),
    "pronouns": Attribute(single=True),
    "age": Attribute(single=True),
    "birthday": Attribute(single=True),
    "residence": Attribute(single=True),
    "hometown": Attribute(single=True),
    "timezone": Attribute(single=True),
    "occupation": Attribute(single=True),
    "employer": Attribute(single=True),
    "team": Attribute(single=True),
    "relationship_status": Attribute(single=True),
    "partner": Attribute(single=True, named=True, beside="relationship_status"),
    "diet": Attribute(single=True),
    "smoking": Attribute(single=True),
    "drinking": Attribute(single=True),
    "weight": Attribute(single=True),
    "height": Attribute(single=True),
    "manager": Attribute(single=True, named=True),
    "boss": Attribute(single=True, named=True),
    "landlord": Attribute(single=True, named=True),
    # many at a time
    "likes": Attribute(opposite="dislikes"),
    "dislikes": Attribute(opposite="likes"),
    "answer_style": Attribute(worded=True, rivals=True),
    "preferred_tone": Attribute(worded=True, rivals=True),
    "nationality": Attribute(),
    "avoid_topic": Attribute(),
    "allergy": Attribute(),
    "health": Attribute(worded=True),
    "pet": Attribute(named=True),
    "family": Attribute(named=True, figured=True),
    "friend": Attribute(named=True),
    "hobby": Attribute(worded=True),
    "skill": Attribute(),
    "language": Attribute(),
    "tool": Attribute(),
    "project": Attribute(worded=True),
    "goal": Attribute(worded=True),
    "learning": Attribute(),
    "education": Attribute(),
    "possession": Attribute(worded=True, figured=True),
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
    return Attribute(single=name.startswith(("favorite_", "preferred_", "current_")), figured=True)


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
    one_date = same_date(a, b)
    if one_date is not None:
        return one_date
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
    known_as = attribute(there[1])
    same = same_value(new.value, old.value)
    if there[1] != known[1]:
        opposes = known_as.opposite == known[1] and same_taste(new.value, old.value)
        return Relation.DENIED if opposes and new.negated == old.negated else Relation.UNRELATED
    if same:
        if new.negated == old.negated:
            return Relation.SAME
        return Relation.DENIED if known_as.single or _denied_by(new, old) else Relation.SIBLING
    if new.value is None or old.value is None:
        return Relation.SIBLING
    if not new.negated and not old.negated and (known_as.single or _replaced_by(known_as, new.value, old.value)):
        return Relation.CHANGED
    return Relation.SIBLING


@lru_cache(maxsize=65536)
def same_taste(a: str | None, b: str | None) -> bool:
    """Whether two tastes are of one thing: who dislikes instant coffee may like coffee, so no detail may differ."""
    return bool(a and b) and _taste(a or "") == _taste(b or "") != frozenset()


def _taste(value: str) -> frozenset[str]:
    return content_words(_ENJOYING.sub("", normalise(value)))


def _denied_by(new: Slot, old: Slot) -> bool:
    """Whether one of two values that one statement affirms and one denies covers the other: without coffee there is no
    black coffee, while without instant coffee there is coffee."""
    denied, affirmed = (new.value, old.value) if new.negated else (old.value, new.value)
    return _taste(denied or "") <= _taste(affirmed or "")


def _replaced_by(known: Attribute, new: str, old: str) -> bool:
    """Whether of two values of a slot that holds many only one can hold: two answer lengths, two counts of a thing."""
    if known.rivals and opposed(new, old):
        return True
    if known.figured and _of_version(new) and _VERSION.search(old):
        return True
    counted = known.figured and figures(new) and figures(old) and figures(new) != figures(old)
    return bool(counted) and not _DATED.search(f"{new} {old}") and _measured(new) == _measured(old)


def _of_version(value: str) -> bool:
    """Whether a value is only a version, of what is known: "version 3.12"."""
    return bool(_VERSION.search(value)) and content_words(_VERSION.sub("", value)) <= {"version"}


def _measured(value: str) -> frozenset[str]:
    """The words of a value that tell what is counted: "times a week" of "four times a week"."""
    said = content_words(value) - figures(value) - numbers(value) - {"time"}
    return said - {word for word in said if word[:1].isdigit() or figures(word)}
