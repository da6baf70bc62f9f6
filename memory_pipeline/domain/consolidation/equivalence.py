"""Whether two statements can be one fact: by slots, figures, names, negation and occasion, never by cosine."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache

from memory_pipeline.domain.consolidation.comparison import Features, equal_facts
from memory_pipeline.domain.consolidation.contrast import opposed, replaces
from memory_pipeline.domain.consolidation.slots import ATTRIBUTES, Relation, Slot, attribute, relate, same_value
from memory_pipeline.domain.consolidation.specificity import lies_in, same_date, says_less, says_more
from memory_pipeline.domain.ledger.memory import MOST_EVIDENCE, MemoryVersion, Status
from memory_pipeline.domain.patterns import lazy
from memory_pipeline.domain.proposal import MemoryType, Proposal
from memory_pipeline.domain.tables import wordset
from memory_pipeline.domain.text import content_words, figures, names, negations, normalise, words

_EVENTS = frozenset({MemoryType.EPISODIC_EVENT, MemoryType.EPHEMERAL})
_SAME_EVENT_DAYS = 2
_OTHERS = wordset("objects", "people") - {"we", "it", "they"}
_THEM = lazy(r"\b(?:them|him|her|me)\b")
_ALSO = lazy(
    r"\b(?:also|too|as well|second|another|additionally|besides|on the side|part[- ]time|(?:on|at) (?:the )?weekends?|"
    r"by night|in the evenings?|sometimes)\b",
    re.I,
)
_QUALIFIER = lazy(
    r"\b(?:on (?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|weekdays|weekends|workdays|school nights)|"
    r"at (?:night|lunch|work|home|parties|breakfast|dinner|weekends)|in (?:the )?(?:morning|evening|afternoon|summer|"
    r"winter|spring|autumn|bed|public|company)s?|(?:before|after|during|when|while|unless|except|without|if) \w+|"
    r"for (?:breakfast|lunch|dinner)|with \w+|every (?:day|night|morning)|too (?:often|much|late)|this (?:week|month|"
    r"year)|today|tonight|tomorrow|alone)\b"
)
# An event told without its day may have been on any day of the month.
_MONTHLY = lazy(
    r"\bin (?:January|February|March|April|May|June|July|August|September|October|November|December) \d{4}\b"
)


def slot_of(item: Proposal | MemoryVersion) -> Slot:
    """The slot of a proposal or a memory."""
    return Slot(item.subject, item.attribute, item.value, item.negated)


def relation_of(new: Proposal | MemoryVersion, old: MemoryVersion) -> Relation:
    """How a statement stands to a memory by their slots. "Ines" is the daughter of "Daughter Ines is 7 years old"."""
    slot = slot_of(new)
    found = relate(slot, slot_of(old))
    if found is Relation.UNRELATED and new.attribute == old.attribute and one_person(new, old):
        slot = replace(slot, subject=old.subject)
        found = relate(slot, slot_of(old))
    if found is Relation.SIBLING and _names_less(new, old):
        return Relation.SAME
    if found is Relation.CHANGED and (_besides(new.content) or _vaguer(new, old)):
        return Relation.SIBLING
    if found is Relation.DENIED and qualified(new.content, new.value) and not qualified(old.content, old.value):
        return Relation.SIBLING
    return found


def _names_less(new: Proposal | MemoryVersion, old: MemoryVersion) -> bool:
    """ "Has a dog" says less than "Has a dog called Rex", and nothing else."""
    if not attribute(new.attribute).named or new.negated or old.negated or figures(new.content):
        return False
    return bool(content_words(new.content)) and content_words(new.content) <= content_words(old.content)


def _besides(content: str) -> bool:
    return bool(_ALSO.search(content))


def _vaguer(new: Proposal | MemoryVersion, old: MemoryVersion) -> bool:
    """Whether one of two values is the other told less exactly: who lives in Berlin lives in Germany."""
    if not (new.value and old.value and new.attribute):
        return False
    return says_less(new.attribute, new.value, old.value, new.content)


def refined(new: Proposal | MemoryVersion, old: MemoryVersion) -> bool:
    """Whether a statement gives the same value more exactly: the town of a country, a birthday with its year."""
    if slot_of(new).key != slot_of(old).key or slot_of(new).key is None or new.negated or old.negated:
        return False
    return bool(new.value and old.value) and says_more(new.attribute or "", new.value or "", old.value or "")


def covered(new: Proposal | MemoryVersion, old: MemoryVersion) -> bool:
    """Whether a statement says less of the value of one slot than is known: the country, or "a bank"."""
    if slot_of(new).key != slot_of(old).key or slot_of(new).key is None or new.negated or old.negated:
        return False
    told = (new.attribute or "", new.value or "", old.value or "")
    return bool(new.value and old.value) and (lies_in(told[2], told[1]) or same_date(told[1], told[2]) is True)


def qualified(content: str, value: str | None) -> bool:
    """Whether a sentence says of its value only when or with what it holds: "does not play tennis on Mondays"."""
    text = normalise(content)
    at = text.rfind(normalise(value)) if value else -1
    tail = text[at + len(normalise(value or "")) :] if at >= 0 else text
    return bool(_QUALIFIER.search(tail))


@dataclass(frozen=True, slots=True)
class SlotValue:
    """One active value of a slot that holds one at a time, as an audit sees it.

    Attributes:
        cited: ids of the messages that its memory cites.
        since: when it was first said, so that of two the later one is known.
        added: it was told as a fact of its own, so that only a judge could retire another for it.
        bounded: it is said until when it holds, or is told as over.
    """

    attribute: str
    value: str
    content: str
    cited: frozenset[str]
    since: datetime | None = None
    added: bool = False
    bounded: bool = False


def side_by_side(a: SlotValue, b: SlotValue) -> bool:
    """Whether two values of such a slot may stand together: one thing in two wordings, told in one message, one as
    something besides, one only more vaguely than the other or not for now, or the later as a fact of its own."""
    if a.bounded or b.bounded:
        return True
    if max(a, b, key=lambda held: (held.since is not None, held.since or datetime.min)).added:
        return True
    if same_value(a.value, b.value) or a.cited & b.cited or _besides(a.content) or _besides(b.content):
        return True
    if max(len(a.cited), len(b.cited)) >= MOST_EVIDENCE:  # which message told both may be cited no more
        return True
    return any(says_less(x.attribute, x.value, y.value, x.content) for x, y in ((a, b), (b, a)))


def told_together(proposal: Proposal, memory: MemoryVersion) -> bool:
    """Whether one message says both: such facts stand side by side.

    A memory also cites what once ended it, so that its time must agree too.
    """
    here = {e.message_id for e in proposal.evidence}
    said_then = proposal.observed_at in (memory.observed_at, memory.referenced_at)
    return said_then and any(e.message_id in here for e in memory.evidence)


def one_person(a: Proposal | MemoryVersion, b: Proposal | MemoryVersion) -> bool:
    """Whether two subjects can name one person: "Max", "brother", "brother max"; never the user."""
    left, right = (normalise(item.subject or "user").split() for item in (a, b))
    # "daughter" of a memory that says "Daughter Ines is 7".
    if any(_called(one, other) for one, other in ((a, b), (b, a))):
        return True
    if left == right or ["user"] in (left, right) or "'s" in f"{a.subject} {b.subject}":
        return False
    return set(left) <= set(right) or set(right) <= set(left)


def may_be_one(a: Proposal | MemoryVersion, b: Proposal | MemoryVersion) -> bool:
    """Whether two subjects may be one, so that it takes a judge to tell: "my brother" after "my brother Max"."""
    left, right = (normalise(item.subject or "user") for item in (a, b))
    if left == right or one_person(a, b):
        return True
    if "user" in (left, right):
        return False
    texts = [f" {normalise(item.content)} " for item in (a, b)]
    return any(
        f" {x} {y} " in text or f" {x} {y}'s " in text for x, y in ((left, right), (right, left)) for text in texts
    )


def one_owner(a: Proposal | MemoryVersion, b: Proposal | MemoryVersion) -> bool:
    """Whether two subjects are one, or both the user's: who says "we" speaks for "our team"."""
    left, right = (normalise(item.subject or "user") for item in (a, b))
    own = wordset("objects", "own") | {"user"}
    return left == right or left in own and right in own


def of_another(proposal: Proposal) -> bool:
    """Whether it tells what somebody else did, or what happened to something of theirs, as no fact of theirs: "Brother
    sold his car", "Sister's class moved to Thursdays"."""
    text = normalise(proposal.content)
    first = next(iter(words(text)), "").removesuffix("'s")
    if normalise(proposal.subject or "user") != "user" or first not in _OTHERS:
        return False
    return not _THEM.search(text)


def _called(one: Proposal | MemoryVersion, other: Proposal | MemoryVersion) -> bool:
    name, relation = one.subject or "", other.subject or ""
    return bool(name[:1].isupper() and relation.islower()) and other.content.startswith(
        f"{relation.capitalize()} {name} "
    )


def one_thing(proposal: Proposal | MemoryVersion, memory: MemoryVersion) -> bool:
    """Whether equal values mean equal facts; not where the texts hold opposites, or :func:`equal_facts` says no."""
    if opposed(proposal.content, memory.content):
        return False
    named = attribute(proposal.attribute).named
    return equal_facts(features(proposal.content), features(memory.content), named=named)


@lru_cache(maxsize=16384)
def features(text: str) -> Features:
    """A statement in its words as they stand; what is said of time is among them."""
    stems, figured = content_words(text), figures(text)
    order = tuple(word for word in map(_plain, words(text)) if word)
    return Features(stems, stems - figured, order, names(text), figured, frozenset(), negations(text), replaces(text))


def comparable(proposal: Proposal, memory: MemoryVersion) -> bool:
    """Whether the two could state the same: alike in kind, of one occasion, and not two values of one slot."""
    boundary = MemoryType.BOUNDARY
    if (proposal.type is boundary) != (memory.type is boundary) or not same_occasion(proposal, memory):
        return False
    return not _other_slot(slot_of(proposal), slot_of(memory))


def more_specific(new: str, old: str) -> bool:
    """Whether ``new`` says everything that ``old`` says, and more, and does not say that it replaces it."""
    if replaces(new) != replaces(old) or negations(new) != negations(old):
        return False
    return content_words(new) > content_words(old) and compatible_numbers(new, old)


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
