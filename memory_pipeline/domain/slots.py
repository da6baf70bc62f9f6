"""Slots: (subject, attribute, value). They decide what cosine cannot: same fact, changed fact, or another fact.

The vocabulary is open: an attribute that is not listed holds many values. Listing one states whether a subject can
have one value of it at a time, and which attribute denies it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from memory_pipeline.domain.text import content_words, normalise, numbers, overlap


@dataclass(frozen=True, slots=True)
class Attribute:
    """How values of an attribute live together.

    Attributes:
        single: a new value replaces the old one.
        opposite: attribute whose same value contradicts this one.
    """

    single: bool = False
    opposite: str | None = None


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
    "partner": Attribute(single=True),
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
    "health": Attribute(),
    "pet": Attribute(),
    "family": Attribute(),
    "friend": Attribute(),
    "hobby": Attribute(),
    "skill": Attribute(),
    "language": Attribute(),
    "tool": Attribute(),
    "project": Attribute(),
    "goal": Attribute(),
    "learning": Attribute(),
    "education": Attribute(),
    "possession": Attribute(),
    "visited": Attribute(),
    "event": Attribute(),
    "plan": Attribute(),
    "mood": Attribute(),
}


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
        if not self.attribute:
            return None
        return (normalise(self.subject or "user"), normalise(self.attribute).replace(" ", "_"))


def same_value(a: str | None, b: str | None) -> bool:
    """Whether two values name the same thing: equal words, or one is the other with more detail; numbers must agree."""
    if not a or not b:
        return False
    if normalise(a) == normalise(b):
        return True
    if numbers(a) != numbers(b):
        return False
    left, right = content_words(a), content_words(b)
    return bool(left and right) and (left <= right or right <= left or overlap(left, right) >= 0.75)


def relate(new: Slot, old: Slot) -> Relation:
    """How ``new`` stands to ``old``: the same fact, a changed or denied one, another value beside it, or unrelated."""
    if new.key is None or old.key is None or new.key[0] != old.key[0]:
        return Relation.UNRELATED
    same = same_value(new.value, old.value)
    if new.key[1] != old.key[1]:
        opposes = attribute(new.key[1]).opposite == old.key[1]
        return Relation.DENIED if opposes and same and new.negated == old.negated else Relation.UNRELATED
    if same:
        return Relation.SAME if new.negated == old.negated else Relation.DENIED
    if new.value is None or old.value is None:
        return Relation.SIBLING
    if attribute(new.key[1]).single and not new.negated and not old.negated:
        return Relation.CHANGED
    return Relation.SIBLING
