"""Endings: which remembered relation is over when somebody tells that they quit, split up, sold, or gave up.

A table says which relations an ending can end; names and words say which of them is meant. An ending that names
nothing ("was laid off") ends the only one there is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import lru_cache

from memory_pipeline.domain.calendar import local_day
from memory_pipeline.domain.consolidation.endings.ending_verbs import (
    denied,
    for_now,
    kinds_of,
    verb_endings,
)
from memory_pipeline.domain.consolidation.equivalence import of_another, one_owner, qualified
from memory_pipeline.domain.consolidation.naming import medicine_named, named_in
from memory_pipeline.domain.inflection import stem
from memory_pipeline.domain.ledger.memory import MemoryVersion
from memory_pipeline.domain.patterns import lazy
from memory_pipeline.domain.proposal import MemoryType, Proposal
from memory_pipeline.domain.tables import table, wordset
from memory_pipeline.domain.text import STOPWORDS, names, normalise, singular, words

_ANY = "*"
_STATES = frozenset({MemoryType.PROFILE_FACT, MemoryType.PREFERENCE, MemoryType.SHARED_LORE, MemoryType.FINDING})
_PASSING = frozenset({MemoryType.EPHEMERAL})
_LASTING = frozenset({"occupation", "education", "member"})  # a nurse without a job is a nurse
_TALKED_OF = lazy(
    r"\b(?:might|(?<!\d )(?<!in )(?<!of )(?<!by )(?<!since )(?<!last )may(?! \d)|"
    r"maybe|perhaps|thinking|thinks? (?:about|of)|considers?|wants? to|would like|plans? to|hopes? to|"
    r"is going to|will|wonders?|if|almost|nearly|should|tries|trying|tried|could|afraid|worried|dreams?|never)\b"
)
_PART = lazy(r"[,;]\s|\.\s|\b(?:and|but|so)\b")
_FOR_WHOM = lazy(r"\b(?:at|for|with) (?:the )?(?P<whom>[A-Z][\w&'.-]*(?: [A-Z&][\w&'.-]*)*)")
_FRAMING = lazy(r"\b(?:being|doing|having|going to)\b")
_LIKING = frozenset(
    stem(w)
    for w in ["like", "love", "enjoy", "prefer", "fan", "care", "into", "adore", "fond", "keen", "likes", "loves"]
)
_TASTES = frozenset({"likes", "dislikes"})
_PEOPLE = frozenset({"pet", "family", "friend", "partner"}) | {f"current_{w}" for w in wordset("objects", "roles")}
_KIN = wordset("objects", "kin")
_SEVERAL = 2
_PASSING_BY = lazy(r"stopp?(?:ed|s) (?:by|at|in|off|over|for|to|short|on)\b")
_TENSE = wordset("objects", "tense")
# "Left last month" is dated to the first of it, and people go on talking of what they do a little after its end.
_ABOUT_THEN = timedelta(days=31)


@dataclass(frozen=True, slots=True)
class Ending:
    """What a sentence tells to be over.

    Attributes:
        ends: relations that it can end; "*" for any.
        what: the words that name the thing, stems; empty where nothing is named.
        alone: without a name, it ends the only one there is.
        subject: it ends what is told of the one it names.
        role: it ends only what the one it names is to the user.
        anyone: whoever it is told of: "our daughter was born" is the end of a pregnancy.
        verb: it ends only what is told with the same verb.
        of: it ends what reads so, whatever relation that is of.
        thing: it is told of a thing of the user's, whatever its own subject is.
        kinds: it ends only memories of these kinds; of any where empty.
    """

    ends: frozenset[str]
    what: frozenset[str]
    alone: bool
    subject: bool
    verb: bool
    role: bool = False
    anyone: bool = False
    of: re.Pattern[str] | None = None
    thing: bool = False
    kinds: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class _Rule:
    says: re.Pattern[str]
    ends: frozenset[str]
    alone: re.Pattern[str] | None
    of: re.Pattern[str] | None
    subject: bool
    whole: bool
    verb: bool
    role: bool
    anyone: bool
    thing: bool


@lru_cache(maxsize=1)
def _rules() -> tuple[_Rule, ...]:
    return tuple(
        _Rule(
            lazy(row["says"]),
            frozenset(row["ends"]),
            lazy(row["alone"]) if "alone" in row else None,
            lazy(row["of"]) if "of" in row else None,
            *(bool(row.get(flag)) for flag in ("subject", "whole", "verb", "role", "anyone", "thing")),
        )
        for row in table("endings")["ending"]
    )


@lru_cache(maxsize=65536)
def endings(content: str) -> tuple[Ending, ...]:
    """What a sentence tells to be over, one for each way to read it; none for wishes and conditions."""
    text = _left_side().sub("", normalise(content))
    found = []
    for rule in _rules():
        hit = rule.says.search(text)
        told = hit and not _only_talked_of(text, hit) and not _not_so(text, hit)
        if hit and told and not (rule.whole and qualified(hit.group("what"), None)):
            alone = rule.alone is not None and bool(rule.alone.search(text))
            what = _stems(hit.group("what") or "")
            flags = rule.subject, rule.verb, rule.role, rule.anyone, rule.of, rule.thing
            found.append(Ending(rule.ends, what, alone, *flags))
    for by_verb in verb_endings(text) if not _TALKED_OF.search(text) else ():
        what = _stems(by_verb.what)
        if not qualified(by_verb.what, None):
            found.append(Ending(frozenset({_ANY}), what, alone=False, subject=False, verb=False, kinds=by_verb.kinds))
    return tuple(found)


@lru_cache(maxsize=1)
def _left_side() -> re.Pattern[str]:
    """ "Their left knee" is no leaving."""
    return lazy(rf"\bleft (?=(?:{'|'.join(sorted(wordset('objects', 'sides')))})\b)")


def _only_talked_of(text: str, hit: re.Match[str]) -> bool:
    """Whether the part of a sentence that tells an ending is a wish, a condition or a thought."""
    start = max((m.end() for m in _PART.finditer(text, 0, hit.start())), default=0)
    end = _PART.search(text, hit.end())
    return bool(_TALKED_OF.search(text, start, end.start() if end else len(text)))


def _not_so(text: str, hit: re.Match[str]) -> bool:
    """Whether it is denied, or only passing by or leaving for the day."""
    said, before = hit.group(), text[: hit.start()]
    if hit.start("what") <= hit.start():
        return False
    for_the_day = said.startswith(("left ", "leaves ")) and for_now(text[hit.start() :])
    return denied(before) or bool(_PASSING_BY.match(said)) or for_the_day


def tells_end(content: str) -> bool:
    """Whether a sentence tells that something is over, as against naming what is ("No longer drinks coffee").

    What is only told by a verb that may end something ("returned the parcel") does not.
    """
    return any((ending.what or ending.alone) and not ending.kinds for ending in endings(content))


def ended(proposal: Proposal, memories: Sequence[MemoryVersion]) -> list[MemoryVersion]:
    """The memories that a proposal tells to be over: states of its subject, stated before it."""
    told_over = [e for e in endings(proposal.content) if e.anyone or e.role or e.subject or not of_another(proposal)]
    living = [m for m in memories if _may(proposal, m)] if told_over else []
    found: dict[str, MemoryVersion] = {}
    for ending in told_over:
        told = [m for m in living if _meant(ending, proposal, m)]
        if not told and ending.alone and not _name_in(ending, proposal):
            told = _only_ones([m for m in living if (ending.anyone or _of(proposal, m)) and _related(ending, m)])
        found |= {m.memory_id: m for m in [*told, *_of_former(told, living)]}
    return [found[i] for i in sorted(found)]


def open_to_end(proposal: Proposal, memories: Sequence[MemoryVersion], *, named: bool) -> list[MemoryVersion]:
    """The memories that a proposal may tell to be over, were they named: states of its subject, of the kinds that what
    it says can end.

    Args:
        named: by the endings that name a thing; else by those that only point to one, "traded it in".
    """
    told = () if of_another(proposal) else endings(proposal.content)
    told_over = [e for e in told if e.kinds and bool(e.what - _vague()) == named]
    living = [m for m in memories if _may(proposal, m) and _of(proposal, m)] if told_over else []
    living = [m for m in living if not _goes_on(proposal.content, m.content)]
    return [
        m
        for m in living
        if any(
            e.kinds & kinds_of(m.attribute, m.content) and not _of_other_parts(e.what, _stems(m.content))
            for e in told_over
        )
    ]


@lru_cache(maxsize=1)
def _vague() -> frozenset[str]:
    return frozenset(map(stem, wordset("objects", "vague")))


def _of_former(told: Sequence[MemoryVersion], living: Sequence[MemoryVersion]) -> list[MemoryVersion]:
    """What is told of somebody as what they no longer are: "Girlfriend Ana is from Chile." """
    names = {frozenset(words(m.value or "")) for m in told if m.attribute == "partner"} - {frozenset()}
    lovers = wordset("objects", "partners")
    subjects = {m.memory_id: frozenset(words(m.subject or "")) for m in living}
    return [m for m in living if (of := subjects[m.memory_id]) & lovers and any(name <= of for name in names)]


def _only_ones(memories: Sequence[MemoryVersion]) -> list[MemoryVersion]:
    """With nothing named it is the only one of its relation; what is told of it in several ways goes together."""
    values: dict[str | None, set[str]] = {}
    for m in memories:
        values.setdefault(m.attribute, set()).add(normalise(m.value or m.content))
    return [m for m in memories if len(values[m.attribute]) == 1 and m.attribute not in _LASTING and not _alone(m)]


def _alone(memory: MemoryVersion) -> bool:
    return normalise(memory.value or "") in {"single", "divorced", "separated", "widowed", "unemployed"}


def concerns(content: str) -> frozenset[str]:
    """Attributes of memories that an ending may be about although it shares no word with them."""
    return frozenset(a for e in endings(content) if e.alone for a in e.ends)


def _may(proposal: Proposal, memory: MemoryVersion) -> bool:
    states = _STATES | _PASSING | {MemoryType.EPISODIC_EVENT} if _presently(memory) else _STATES | _PASSING
    if memory.type not in states or memory.negated or memory.observed_at > proposal.observed_at:
        return False
    if proposal.observed_at < memory.referenced_at or tells_end(memory.content):
        return False
    at = proposal.valid_from
    zone = memory.timezone
    return at is None or local_day(at, zone) + _ABOUT_THEN >= local_day(memory.observed_at, zone)


def _presently(memory: MemoryVersion) -> bool:
    return False if memory.type is not MemoryType.EPISODIC_EVENT else bool(_first(memory.content) in _STANDING)


_STANDING = wordset("objects", "standing")


def _meant(ending: Ending, proposal: Proposal, memory: MemoryVersion) -> bool:
    if not ending.what:
        return False
    if ending.subject or ending.role:
        return _is_the_one(ending, memory)
    value = _stems(memory.value or "")
    mine = _of(proposal, memory) or ending.thing and normalise(memory.subject or "user") == "user"
    if mine and _is_provider(ending, memory, value):
        return True
    if not mine or not _related(ending, memory):
        return False
    there = _stems(memory.content) | value
    named = ending.what - {stem(w) for w in _TENSE}
    if memory.attribute in _TASTES:  # who gave up coffee may like it still
        named = named - _LIKING if named & _LIKING else frozenset()
    if not named:
        return False
    if ending.verb and stem(_first(_without_subject(normalise(memory.content), memory.subject))) not in named:
        return named == there - {stem(w) for w in _TENSE}
    # All that is named must be there: "no longer drinks instant coffee" is not about coffee.
    if named_in(named, there) and not _of_other_parts(named, there):
        return not _goes_on(proposal.content, memory.content)
    if not value or not value <= named or _ANY in ending.ends:
        return False
    return not _goes_on(proposal.content, memory.content)


def _of_other_parts(named: frozenset[str], there: frozenset[str]) -> bool:
    """Whether both name parts of a body, and not one of them is the same: a wrist that is well again says nothing of an
    ankle."""
    said, known = named & _parts(), there & _parts()
    return bool(said and known) and said.isdisjoint(known)


@lru_cache(maxsize=1)
def _parts() -> frozenset[str]:
    return frozenset(stem(singular(word)) for word in wordset("objects", "sides") | wordset("objects", "single_parts"))


def _is_provider(ending: Ending, memory: MemoryVersion, value: frozenset[str]) -> bool:
    """ "Cancelled Allianz" ends "Their car insurance is with Allianz", whatever it is that one has there."""
    named = ending.what - {stem(w) for w in _TENSE}
    return (memory.attribute or "").startswith("current_") and bool(value) and value <= named


def _goes_on(content: str, known: str) -> bool:
    """Whether a name only qualifies what a sentence is about: "cancelled the Netflix evening" ends no Netflix."""
    told = [w.removesuffix("'s") for w in words(content)]
    return any(
        name in names(known) and following in wordset("objects", "named_after")
        for name, following in zip(map(singular, told), told[1:], strict=False)
    )


def _is_the_one(ending: Ending, memory: MemoryVersion) -> bool:
    """Whether a memory tells of the one who is no more: of whom it is, or whom it says to be there."""
    what, roles = ending.what, ending.ends & _PEOPLE
    named = what - _KIN - {stem(k) for k in _KIN} - {stem(w) for w in _TENSE}
    subject = _stems(memory.subject or "") - {"user"}
    kin = what & {stem(k) for k in _KIN}
    value = _stems(memory.value or "")
    if named:
        if subject and named <= subject and not ending.role:
            return True
        told = named <= value | _stems(memory.content) or bool(value) and value <= named
        return memory.attribute in roles and told and not (ending.role and subject)
    if ending.role:
        return False
    return bool(kin) and (
        bool(subject) and kin >= subject or memory.attribute == "pet" and kin <= _stems(memory.content)
    )


def _of(proposal: Proposal, memory: MemoryVersion) -> bool:
    """Whether both tell of one subject; of "brother" and "brother max" the one is the other."""
    a, b = (frozenset(normalise(s or "user").split()) for s in (proposal.subject, memory.subject))
    if a <= b or b <= a or one_owner(proposal, memory) or _of_users_thing(proposal, memory):
        return True
    # "Emre's nut allergy is gone" is told of a thing of the user's, and is about son Emre.
    owner = words(proposal.content)[:1]
    return any(w.endswith("'s") and w.removesuffix("'s") in b for w in owner)


def _of_users_thing(proposal: Proposal, memory: MemoryVersion) -> bool:
    """ "The Fiesta got scrapped" ends "Has a Ford Fiesta": what the one is about, the other says to be the user's."""
    named = _stems(proposal.subject or "") - {"user"}
    return bool(named) and normalise(memory.subject or "user") == "user" and named <= _stems(memory.content)


def _related(ending: Ending, memory: MemoryVersion) -> bool:
    if ending.kinds:
        kinds = kinds_of(memory.attribute, memory.content)
        # A note with several commas tells more than what is over.
        told = not ending.kinds.isdisjoint(kinds - {"other"})
        return told or "other" in kinds and memory.content.count(",") < _SEVERAL
    if _ANY in ending.ends or (memory.attribute or "") in ending.ends:
        return True
    if "employer" in ending.ends and _done_for(ending, memory):
        return True
    text = _without_subject(normalise(memory.content), memory.subject)
    if ending.of is not None and ending.of.search(text):
        return True
    if ending.anyone:
        return any(text.startswith(lead) for lead in ending.ends if " " in lead)
    return not _listed(memory.attribute) and any(text.startswith(f"{lead} ") or text == lead for lead in ending.ends)


def _done_for(ending: Ending, memory: MemoryVersion) -> bool:
    """ "Drives deliveries for DPD", whatever it is that one does for the one whom an ending names."""
    named = ending.what - {stem(w) for w in _TENSE}
    told = (_stems(hit.group("whom")) for hit in _FOR_WHOM.finditer(memory.content))
    return bool(named) and memory.type is not MemoryType.OPEN_LOOP and any(named <= whom for whom in told)


def _listed(attribute: str | None) -> bool:
    return bool(attribute) and attribute in {a for rule in _rules() for a in rule.ends}


def _without_subject(text: str, subject: str | None) -> str:
    start = normalise(subject or "")
    return text[len(start) :].strip() if start and text.startswith(start) else text.removeprefix("the user ")


def _name_in(ending: Ending, proposal: Proposal) -> bool:
    """Whether an ending names what it ends: "was laid off from Meta"."""
    plain = {
        stem(w)
        for w in [
            "job",
            "work",
            "position",
            "role",
            "company",
            "their",
            "last",
            "week",
            "yesterday",
            "today",
            "from",
            "by",
            "at",
        ]
    }
    named = {w for w in ending.what if w not in plain and w not in {stem(t) for t in _TENSE}}
    return bool(named & {stem(singular(w)) for entity in proposal.entities for w in words(entity)}) or bool(
        named & {stem(w.lower()) for w in re.findall(r"(?<!^)\b[A-Z]\w+", proposal.content)}
    )


def _first(content: str) -> str:
    return next(iter(words(content)), "")


@lru_cache(maxsize=65536)
def _stems(text: str) -> frozenset[str]:
    bare = medicine_named(_FRAMING.sub(" ", normalise(text)))
    light = wordset("objects", "light") - {"time", "back"}
    return frozenset(
        stem(singular(w.removesuffix("'s")))
        for w in words(bare)
        if w not in STOPWORDS and w not in light and (len(w) > 1 or w.isdigit())
    ) - {"anymore", "any", "longer", "called", "named", "call", "nam"}
