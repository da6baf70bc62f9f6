"""What a statement says it takes the place of: "uses SQLite instead of Postgres", "switched from vim to helix"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from memory_pipeline.domain.consolidation.endings.ending_verbs import kinds_of
from memory_pipeline.domain.consolidation.endings.studies import fields_in
from memory_pipeline.domain.consolidation.equivalence import (
    compatible_numbers,
    of_another,
    one_owner,
    one_person,
    told_together,
)
from memory_pipeline.domain.consolidation.naming import medicine_named, named_in, same_thing
from memory_pipeline.domain.consolidation.slots import same_value
from memory_pipeline.domain.consolidation.tense import past
from memory_pipeline.domain.inflection import stem
from memory_pipeline.domain.ledger.memory import MemoryVersion
from memory_pipeline.domain.patterns import lazy
from memory_pipeline.domain.proposal import MemoryType, Operation, Proposal
from memory_pipeline.domain.tables import wordset
from memory_pipeline.domain.text import content_words, figures, names, normalise, singular, words

_END = r"(?=\s+(?:to|for|with|now|since|because|as|in|at|this|last|and|but|any ?more|by|on|per|after|so)\b|[,.;)]|$)"
_OLD = r"(?P<old>[^,.;()]+?)"
_INSTEAD = (
    lazy(rf"\b(?:instead of|rather than|in place of|in lieu of|no longer|not) {_OLD}{_END}", re.I),
    lazy(rf"\b(?:switch(?:ed|es|ing)?|migrat(?:ed|es|ing)|mov(?:ed|es|ing)|chang(?:ed|es|ing)|convert(?:ed|s)|"
               rf"went|upgrad(?:ed|es)|transition(?:ed|s)|transferr?(?:ed|s))"
               rf"(?: (?:over|back|across))?(?: [\w ]{{1,30}}?)? from {_OLD}"
               r"(?= to\b|[,.;)]|$)", re.I),
    lazy(rf"\b(?:switch(?:ed|es)|mov(?:ed|es)|migrat(?:ed|es)|chang(?:ed|es)|upgrad(?:ed|es))(?: over)? to .+? "
               rf"from {_OLD}{_END}", re.I),
    lazy(rf"\b(?:replac(?:ed|es)|swapp?(?:ed|s)|trad(?:ed|es)|exchang(?:ed|es)|ditch(?:ed|es)|dropp?(?:ed|s)|"
               rf"left|gave up|abandon(?:ed|s)|sold) {_OLD} (?:with|for|by|in favou?r of)\b", re.I),
    lazy(rf"\b(?:prefers?|likes?|is) .+? (?:over|to) {_OLD}(?= now\b)", re.I),
)  # fmt: skip
_SWITCHING = lazy(
    r"\b(?:switch|migrat|chang|convert|upgrad|replac|swap|trad|transition|transferr|ditch|dropp|abandon|exchang|moved? "
    r"(?:over )?(?:to|from))",
    re.I,
)
_CHANGING = lazy(
    r"\b(?:now|doubled|halved|upped|bumped|raised|lowered|increased|reduced|moved|changed|switched|only|from now on|"
    r"since|as of|these days|went (?:up|down)|is up|is down|any ?more|instead|put up|cut)\b",
    re.I,
)
_DOSE = lazy(
    r"\b(?P<figure>\d+(?:[.,]\d+)?|half|one|two|three|four|five|six|eight|ten|fifteen|twenty) "
    r"?(?:mg|mcg|µg|ml|units?|milligrams?|micrograms?|grams?|puffs?|tablets?|pills?|drops?)\b",
    re.I,
)
_NO_DOSE = lazy(
    r"\b(?:at|around|by|before|after|until) \d{1,2}(?:[:.]\d\d)?\b|\b\d{1,2}(?::\d\d)? ?[ap]\.?m\b|\b\d{1,2}:\d\d\b|"
    r"\b(?:19|20)\d\d\b|\b\d+ (?:times|days?|weeks?|months?|years?|hours?|minutes?)\b|"
    r"\b\d{1,2} (?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\w*",
    re.I,
)
_SWITCHED = lazy(
    r"\b(?:switched|changed|moved(?: (?:everything|all|it all|my \w+|our \w+))?|migrated|ported|went)"
    r"(?: over| across)? to\b",
    re.I,
)
_REPLACEABLE = frozenset({"tool", "thing"})
_WORK = frozenset({"occupation", "employer", "current_field"})
_PLACE = lazy(r"\b(?:at|in|for) (?P<place>(?:an? |the |their )?[\w'-]+(?: [\w'-]+)?)", re.I)
_STUDYING = frozenset({"education", "study"})
_SITE = lazy(r"\b(?:in|at) (?P<site>[A-Z][\w'-]*(?: [A-Z][\w'-]*)*)")
_SINCE = lazy(r"\b(?:since|now|from|started)\b", re.I)
_UNITS = frozenset({"milligram", "microgram", "tablet", "evening", "morning", "bedtime", "take", "takes", "night"})
_WEEKDAYS = frozenset({"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"})
_DAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_FROM_TO_DAY = lazy(rf"(?P<thing>[^,.;]*?) from (?P<old>{_DAY})s?(?: \w+)? to (?P<new>{_DAY})", re.I)
_LEADING = {
    "medication": "health",
    "use": "tool",
    "uses": "tool",
    "drives": "possession",
    "drive": "possession",
    "plays": "hobby",
}
_STATING = frozenset({Operation.ADD, Operation.UPDATE, Operation.CLOSE_OPEN_LOOP})
_NOT_STATES = frozenset({MemoryType.EPISODIC_EVENT, MemoryType.BOUNDARY, MemoryType.REFLECTION, MemoryType.PATTERN})
_ONLY = lazy(r"\b(?:only|nothing but|exclusively|solely)\b", re.I)
_LOOSE = wordset("objects", "loose")
_FIELD_AND_EMPLOYER = frozenset({"current_field", "employer"})
_SMALL = frozenset({"longer", "just", "really", "only"})


@lru_cache(maxsize=65536)
def given_up(content: str) -> tuple[str, ...]:
    """What a statement says that it takes the place of, as it names it."""
    found = []
    for pattern in _INSTEAD:
        for hit in pattern.finditer(content):
            old = hit.group("old").strip()
            if content_words(old) - _SMALL:
                found.append(old)
    return tuple(dict.fromkeys(found))


def tells_change(text: str) -> bool:
    """Whether a text says that something is otherwise now: "now", "switched", "these days"."""
    return bool(_CHANGING.search(text) or _SWITCHING.search(text))


def replaced(proposal: Proposal, memories: Sequence[MemoryVersion]) -> list[MemoryVersion]:
    """The memories of the same relation whose value a statement says it takes the place of.

    A correction ("41, not 42") needs no such words: the same sentence with another figure is what it corrects.
    """
    olds = given_up(proposal.content) if proposal.operation in _STATING else ()
    return [
        m
        for m in memories
        if m.type not in _NOT_STATES and not m.negated and proposal.observed_at >= m.referenced_at
        if one_owner(proposal, m) and not of_another(proposal) or one_person(proposal, m) or _names_it(proposal, m)
        if any(_is_it(old, proposal, m) for old in olds)
        or (proposal.operation is Operation.UPDATE and _other_figure(proposal, m))
        or _renewed(proposal, m)
        or redosed(proposal, m)
        or _other_place(proposal, m)
        or _rescheduled(proposal, m)
        or _on_another_day(proposal, m)
        or _named_beside(proposal, m)
        or _relocated(proposal, m)
        or _other_field(proposal, m)
        or _only_this(proposal, m)
    ]


def _names_it(proposal: Proposal, memory: MemoryVersion) -> bool:
    """ "Ramipril doubled" after "Takes Ramipril": what the one is about stands in the other."""
    subject = normalise(proposal.subject or "user")
    return subject != "user" and subject in normalise(memory.content)


def _is_it(old: str, proposal: Proposal, memory: MemoryVersion) -> bool:
    if memory.value and proposal.value and same_value(memory.value, proposal.value):
        return False
    if _family(proposal) != _family(memory) and not _SWITCHING.search(proposal.content):
        return False
    wanted = {stem(w) for w in content_words(old)}
    there = {stem(w) for w in content_words(memory.value or memory.content)}
    if _SWITCHING.search(proposal.content) and re.search(
        rf"\b(?:at|for|in|on|of) (?:the )?{re.escape(old)}\b", memory.content, re.I
    ):
        return True  # "moved from payments to fraud" after "Is team lead for payments"
    if memory.value:
        return wanted == there or (wanted < there or there < wanted) and same_value(old, memory.value)
    return wanted <= there and len(there) <= len(wanted) + (8 if old[:1].isupper() else 2)


def _renewed(proposal: Proposal, memory: MemoryVersion) -> bool:
    """ "Ramipril doubled, 5 mg now" after "Ramipril 2.5 mg mornings": what has changed names itself, with another
    figure or day than before."""
    of_one = bool(proposal.attribute and memory.attribute) and _family(proposal) == _family(memory)
    of_one = of_one or _thing_in(proposal, memory)
    says_so = _CHANGING.search(proposal.content) or proposal.operation is Operation.UPDATE and of_one
    if not says_so or proposal.operation not in (Operation.ADD, Operation.UPDATE):
        return False
    new, old = _measures(proposal.content), _measures(memory.content)
    if not new or not old or old <= new or new & old:
        return False
    if bool(new & _WEEKDAYS) != bool(old & _WEEKDAYS):
        return False
    led = [w for w in words(proposal.content) if content_words(w) and w not in new][:2]
    if led and _thing_in(proposal, memory):
        return True
    there = {stem(w) for w in content_words(memory.content)}
    before = [stem(w) for w in words(memory.content) if content_words(w)][:3]
    if len(led) > 1 and _verb(proposal) == _verb(memory):
        led = led[1:]  # "Uses Python 3.13" is no news of "Uses Postgres 16"
        if proposal.operation is Operation.UPDATE and of_one:  # "Charges 35 an hour", "Charges 30 pounds an hour"
            before = list(there)
    return bool(led) and any(stem(singular(w)) in there and stem(singular(w)) in before for w in led)


def _thing_in(proposal: Proposal, memory: MemoryVersion) -> bool:
    """Whether a proposal is about a thing of the user's that a memory begins with: their choir, who sings in one."""
    whose, _, thing = (proposal.attribute or "").partition("_")
    begins = [singular(w) for w in words(memory.content) if content_words(w)][:4]
    if whose != "current" or not thing or memory.content.count(",") > 1:  # a list tells more than of one thing
        return False
    return any(named_in([part], begins) for part in thing.split("_"))


def _relocated(proposal: Proposal, memory: MemoryVersion) -> bool:
    """ "Their bakery is in Yaba" after "Has a small bakery in Surulere"."""
    if proposal.operation is not Operation.UPDATE or not _thing_in(proposal, memory):
        return False
    new, old = _SITE.search(proposal.content), _SITE.search(memory.content)
    return bool(new and old) and not same_value(new["site"] if new else None, old["site"] if old else None)


def _other_field(proposal: Proposal, memory: MemoryVersion) -> bool:
    """ "Studies public health" after "Is in their second year of nursing": one field at a time."""
    if {proposal.attribute, memory.attribute} - _STUDYING or told_together(proposal, memory):
        return False
    new, old = fields_in(proposal.content), fields_in(memory.content)
    begun = proposal.operation is Operation.UPDATE or proposal.type is MemoryType.PROFILE_FACT
    apart = not any(same_thing(a, b) for a in new for b in old)
    return begun and not past(proposal) and bool(new and old) and apart


def redosed(proposal: Proposal, memory: MemoryVersion) -> bool:
    """Whether both tell a dose of one medicine, and another one."""
    new, old = _doses(proposal.content), _doses(memory.content)
    if proposal.attribute == memory.attribute == "medication" and not (new and old):
        new, old = _amounts(proposal.content), _amounts(memory.content)  # "sertraline 50", without a unit
    if not new or not old or new & old or proposal.negated:
        return False
    told, known = (content_words(medicine_named(normalise(t))) for t in (proposal.content, memory.content))
    if memory.attribute == "medication":  # "thyroid tablets" are levothyroxine
        return any(len(w) > 5 and w not in _UNITS and named_in([w], known) for w in told - figures(proposal.content))
    return any(len(w) > 5 and w not in _UNITS for w in told & known - figures(memory.content))


def _amounts(text: str) -> frozenset[str]:
    """Figures that may be a dose: no hour, year, or count of days."""
    return figures(_NO_DOSE.sub(" ", text))


def _only_this(proposal: Proposal, memory: MemoryVersion) -> bool:
    """ "Teaches only physics" after "Teaches chemistry": of what one does there is nothing else."""
    if not _ONLY.search(proposal.content) or proposal.negated or told_together(proposal, memory):
        return False
    if proposal.attribute != memory.attribute or not proposal.attribute or proposal.attribute in _LOOSE:
        return False
    return _verb(proposal) == _verb(memory) and not same_value(proposal.value, memory.value)


def _verb(item: Proposal | MemoryVersion) -> str:
    return stem(next(iter(words(item.content)), ""))


def _rescheduled(proposal: Proposal, memory: MemoryVersion) -> bool:
    """Whether what was due is now due at another time."""
    if proposal.operation is not Operation.UPDATE or {proposal.type, memory.type} != {MemoryType.OPEN_LOOP}:
        return False
    if proposal.due_at is None or proposal.due_at == memory.due_at:
        return False
    named = {stem(w) for w in content_words(proposal.value or "")}
    there = {stem(w) for w in content_words(memory.content)}
    return same_value(proposal.value, memory.value) or bool(named) and memory.due_at is not None and named <= there


def _other_place(proposal: Proposal, memory: MemoryVersion) -> bool:
    """Whether somebody now works at another place, whichever way the two are told: "works in a bakery", "works as an
    assistant in a pharmacy since March"."""
    if proposal.attribute not in _WORK or memory.attribute not in _WORK or proposal.attribute == memory.attribute:
        return False
    if {proposal.attribute, memory.attribute} == _FIELD_AND_EMPLOYER:
        return False  # "works in design now, not marketing" leaves the company as it is
    new, old = _PLACE.search(proposal.content), _PLACE.search(memory.content)
    if (
        not new
        or not old
        or proposal.negated
        or not (_SINCE.search(proposal.content) or proposal.operation is Operation.UPDATE)
    ):
        return False
    return not content_words(new.group("place")) & content_words(old.group("place"))


def _on_another_day(proposal: Proposal, memory: MemoryVersion) -> bool:
    """ "Moved quiz night from Wednesday to Sunday" after "Runs a pub quiz on Wednesdays": the day that is given up is
    the memory's only one, and both name a thing that is on it."""
    moved = _FROM_TO_DAY.search(proposal.content)
    if moved is None or proposal.negated:
        return False
    days = {singular(w) for w in words(memory.content)} & _WEEKDAYS
    named = {stem(singular(w)) for w in content_words(moved["thing"])}
    return days == {moved["old"].lower()} and not named.isdisjoint(
        stem(singular(w)) for w in content_words(memory.content)
    )


def _named_beside(proposal: Proposal, memory: MemoryVersion) -> bool:
    """ "Aviva wanted 900, so I switched to Hastings" after "Their car insurance is with Aviva": what is changed from is
    named in the same breath."""
    if proposal.operation is not Operation.UPDATE or told_together(proposal, memory) or not proposal.value:
        return False
    whose, _, what = (memory.attribute or "").partition("_")
    of_ones = whose == "current" and what not in wordset("objects", "roles")
    if not of_ones and not _REPLACEABLE & kinds_of(memory.attribute, memory.content):
        return False
    told = [e.quote for e in proposal.evidence if _SWITCHED.search(e.quote)]
    known = names(memory.content) - names(proposal.content)
    return bool(known) and any(known <= names(f"so {quote}") for quote in told)


def _doses(text: str) -> frozenset[str]:
    return frozenset(hit.group("figure").lower() for hit in _DOSE.finditer(text))


def _measures(text: str) -> frozenset[str]:
    """Figures and weekdays."""
    return figures(text) | {singular(w) for w in words(text) if singular(w) in _WEEKDAYS}


def _family(item: Proposal | MemoryVersion) -> str:
    """The relation that a statement is of: its attribute, or else its first word without inflection."""
    named = (item.attribute or "").replace(" ", "_")
    if named:
        return _LEADING.get(named, "tool" if named.startswith("preferred_") else named)
    first = next(iter(normalise(item.content).split()), "")
    return _LEADING.get(first, stem(first))


def _other_figure(proposal: Proposal, memory: MemoryVersion) -> bool:
    """Whether a correction says the same as a memory, with another figure."""
    new, old = figures(proposal.content), figures(memory.content)
    if not new or not old or new == old or compatible_numbers(proposal.content, memory.content):
        return False
    return _unfigured(proposal.content) == _unfigured(memory.content)


def _unfigured(content: str) -> frozenset[str]:
    return frozenset(w for w in content_words(content) if not w[:1].isdigit())
