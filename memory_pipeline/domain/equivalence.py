"""Whether two statements can be one fact: by slots, figures, names, negation and occasion, never by cosine."""

from __future__ import annotations

import re
from dataclasses import replace

from memory_pipeline.domain.contrast import opposed, replaces
from memory_pipeline.domain.memory import MemoryVersion, Status
from memory_pipeline.domain.proposal import MemoryType, Proposal
from memory_pipeline.domain.slots import ATTRIBUTES, Relation, Slot, attribute, relate
from memory_pipeline.domain.text import content_words, figures, names, negations, words

_EVENTS = frozenset({MemoryType.EPISODIC_EVENT, MemoryType.EPHEMERAL})
_SAME_EVENT_DAYS = 2
# An event told without its day may have been on any day of the month.
_MONTHLY = re.compile(
    r"\bin (?:January|February|March|April|May|June|July|August|September|October|November|December) \d{4}\b"
)


def slot_of(item: Proposal | MemoryVersion) -> Slot:
    """The slot of a proposal or a memory."""
    return Slot(item.subject, item.attribute, item.value, item.negated)


def relation_of(new: Proposal | MemoryVersion, old: MemoryVersion) -> Relation:
    """How a statement stands to a memory by their slots. "Ines" is the daughter of "Daughter Ines is 7 years old"."""
    found = relate(slot_of(new), slot_of(old))
    if found is Relation.UNRELATED and new.attribute == old.attribute and _one_person(new, old):
        return relate(replace(slot_of(new), subject=old.subject), slot_of(old))
    return found


def _one_person(a: Proposal | MemoryVersion, b: Proposal | MemoryVersion) -> bool:
    """Whether one of them tells of somebody by name, and the other of a relative of that name."""
    return any(
        name
        and relation
        and name[:1].isupper()
        and relation.islower()
        and content.startswith(f"{relation.capitalize()} {name} ")
        for name, relation, content in ((a.subject, b.subject, b.content), (b.subject, a.subject, a.content))
    )


def one_thing(proposal: Proposal | MemoryVersion, memory: MemoryVersion) -> bool:
    """Whether equal values mean equal facts: not where the rest of the texts tells things apart, by a figure ("50 mg",
    "75 mg"), a name, an opposite, or, for attributes whose values are names, by another word for whose it is."""
    new, old = proposal.content, memory.content
    if replaces(new) and not replaces(old) or opposed(new, old):
        return False
    if not (names(new) <= names(old) or names(old) <= names(new)):
        return False
    if figures(new) and figures(old) and not (figures(new) <= figures(old) or figures(old) <= figures(new)):
        return False
    left, right = content_words(new) - figures(new), content_words(old) - figures(old)
    return not attribute(proposal.attribute).named or left <= right or right <= left


def comparable(proposal: Proposal, memory: MemoryVersion) -> bool:
    """Whether the two could state the same: alike in kind, of one occasion, and not two values of one slot."""
    boundary = MemoryType.BOUNDARY
    if (proposal.type is boundary) != (memory.type is boundary) or not same_occasion(proposal, memory):
        return False
    return not _other_slot(slot_of(proposal), slot_of(memory))


def compatible(a: str, b: str) -> bool:
    """Whether two sentences may say the same: equal numbers and polarity, no opposites ("on", "off"), and no name of
    one is missing in the other while it has another one there."""
    left, right = names(a), names(b)
    if a.rstrip().endswith("?") != b.rstrip().endswith("?"):
        return False
    if figures(a) != figures(b) or negations(a) != negations(b) or replaces(a) != replaces(b) or opposed(a, b):
        return False
    return left <= right or right <= left


def more_specific(new: str, old: str) -> bool:
    """Whether ``new`` says everything that ``old`` says, and more, and does not say that it replaces it."""
    if replaces(new) != replaces(old) or negations(new) != negations(old):
        return False
    return content_words(new) > content_words(old) and compatible_numbers(new, old)


def in_order(text: str) -> list[str]:
    return [word for word in map(_plain, words(text)) if word]


def _plain(word: str) -> str:
    return next(iter(content_words(word)), "")


def compatible_numbers(new: str, old: str) -> bool:
    """Whether every number of ``old`` stands in ``new``."""
    return figures(old) <= figures(new)


def _other_slot(a: Slot, b: Slot) -> bool:
    """Two values of a slot that holds many, or facts of two subjects. An attribute may have been named in two ways,
    and of one that is not in the table nobody knows how many values it holds: that takes a judge."""
    if a.key is None or b.key is None:
        return False
    if a.key[0] != b.key[0]:
        return True
    known = a.key[1] == b.key[1] in ATTRIBUTES and not attribute(a.key[1]).worded
    return known and relate(a, b) is not Relation.SAME


def same_occasion(proposal: Proposal | MemoryVersion, memory: MemoryVersion) -> bool:
    """Events and passing states are the same only when they happened together; open loops only while open."""
    if proposal.type is MemoryType.OPEN_LOOP or memory.type is MemoryType.OPEN_LOOP:
        return proposal.type is memory.type and memory.status in (Status.ACTIVE, Status.STALE)
    if proposal.type not in _EVENTS:
        return memory.type not in _EVENTS
    if memory.type not in _EVENTS:
        return False
    then = proposal.valid_from or proposal.observed_at
    before = memory.valid_from or memory.observed_at
    if _MONTHLY.search(proposal.content) or _MONTHLY.search(memory.content):
        return (then.year, then.month) == (before.year, before.month)
    return abs((then - before).total_seconds()) <= _SAME_EVENT_DAYS * 86400
