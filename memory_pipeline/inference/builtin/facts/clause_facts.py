"""From a clause to facts: by the rows of the table where one fits, else as it stands, with a judgement of its worth."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from memory_pipeline.domain.consolidation.endings.ended_relations import tells_end
from memory_pipeline.domain.patterns import lazy
from memory_pipeline.domain.proposal import MemoryType, Operation
from memory_pipeline.inference.builtin.facts.appointments import rescheduled
from memory_pipeline.inference.builtin.facts.context import OPEN, Reading
from memory_pipeline.inference.builtin.facts.effects import effect
from memory_pipeline.inference.builtin.facts.fact import FAINT, IDLE, LIGHT, PASSING, PLAIN, Fact
from memory_pipeline.inference.builtin.facts.happenings import happened
from memory_pipeline.inference.builtin.facts.introductions import introduced, naming
from memory_pipeline.inference.builtin.facts.plans import plan, threatened, to_come
from memory_pipeline.inference.builtin.facts.possessions import possession
from memory_pipeline.inference.builtin.facts.states import coming, demanded, former, plain
from memory_pipeline.inference.builtin.frames.frame_facts import framed
from memory_pipeline.inference.builtin.frames.table import hits
from memory_pipeline.language.grammar.clauses import Clause, Cue, Mood, Tense
from memory_pipeline.language.grammar.people import USER, Kind
from memory_pipeline.language.syntax import Token
from memory_pipeline.language.vocabulary import medicine, words

_DENIAL = lazy(r"(?:\w+ ){0,3}?(?:(?:does|is|do|are|did) not|cannot|never)\b", re.I)
_SAID = frozenset({"NOUN", "ADJ", "PROPN", "NUM", "VERB"})


def facts(reading: Reading) -> list[Fact]:
    """Everything a clause states about its subject.

    What tells of an end, or touches on health, weighs more than its grammar says.
    """
    found = [_raised_as_ending(fact, reading) for fact in _facts(reading)]
    light = any(f.weight in {IDLE, FAINT, LIGHT} for f in found)
    return [_raised_as_health(f) for f in found] if light and _about_health(reading) else found


def _raised_as_ending(fact: Fact, reading: Reading) -> Fact:
    """ "The lease ran out": an end is worth knowing, a denial or something cancelled is not one."""
    if fact.weight not in {IDLE, FAINT, PASSING} or fact.operation is not Operation.ADD:
        return fact
    if reading.verb == "cancel" or _DENIAL.match(fact.content) or not tells_end(fact.content):
        return fact
    return replace(fact, weight=LIGHT, type=MemoryType.PROFILE_FACT)


def _about_health(reading: Reading) -> bool:
    clause = reading.clause
    said = {t.low for t in clause.sentence.subtree(clause.outer, without=clause.apart)}
    operated = bool(said & words("body") and said & words("operated"))  # "had my hip replaced"
    return operated or bool(said & words("condition")) or any(map(medicine, said))


def _raised_as_health(fact: Fact) -> Fact:
    if fact.weight not in {IDLE, FAINT, LIGHT} or fact.operation is not Operation.ADD:
        return fact
    kind = MemoryType.PROFILE_FACT if fact.type is MemoryType.EPHEMERAL else fact.type
    return replace(fact, weight=PLAIN, type=kind)


def _facts(reading: Reading) -> list[Fact]:
    clause, kind = reading.clause, reading.subject.kind
    told = introduced(reading) or rescheduled(reading) or _booked(reading) or effect(reading)
    if told is not None:
        return [told]
    if clause.mood is not Mood.STATEMENT or clause.verbless or threatened(clause):
        return []
    by_rows = _by_rows(reading)
    if by_rows or kind is Kind.OTHER:
        return by_rows or demanded(reading)
    if to_come(reading):
        return plan(reading)
    if kind is Kind.POSSESSION:
        return possession(reading)
    if clause.cue is Cue.FORMER:
        return former(reading)
    changing = clause.cue in {Cue.BEGUN, Cue.CEASED}
    going_on = clause.perfect and _going_on(reading)
    past = clause.tense is Tense.PAST or clause.perfect and not (clause.progressive or going_on)
    never = "never" in clause.adverbs() and reading.of_user  # "never learned to swim" is so still
    return happened(reading) if past and not (changing or never) else plain(reading)


def _going_on(reading: Reading) -> bool:
    """ "I've been in logistics for years", "I've sung in the choir since school": begun then, and so still."""
    if reading.verb == "be":
        return reading.clause.after("since", "for") is not None
    clause = reading.clause
    since = any(t.low == "since" for t in clause.sentence.subtree(clause.outer, without=clause.apart))
    lasting = since or any(t.relation == "for" for t in reading.times)
    return lasting and not reading.clause.negated and reading.verb not in words("life_event")


def _booked(reading: Reading) -> Fact | None:
    """ "I have a knee operation on Friday": what is to come, before what it says of a body."""
    clause = reading.clause
    stated = clause.mood is Mood.STATEMENT and clause.tense is Tense.PRESENT and clause.cue is Cue.NONE
    if not stated or clause.negated or not reading.ahead("day", "hour", "part"):
        return None
    return coming(reading, reading.told)


def _by_rows(reading: Reading) -> list[Fact]:
    found: list[Fact] = []
    for part in _parts(reading):
        for hit in hits(part.clause, part.subject):
            # "my doctor upped my metformin": about what is the user's, whoever does it
            of_user = hit.row.get("mine") or hit.row.get("about") == "user"
            found += framed(replace(part, subject=USER) if of_user else part, hit)
    return found


def _parts(reading: Reading) -> Iterator[Reading]:
    """A clause for each thing that "be" says: "I'm 29, a nurse and single" says three."""
    clause, s = reading.clause, reading.clause.sentence
    complement = clause.object() if clause.verb == "be" else None
    if complement is None:
        yield reading
        return
    group = [complement]
    for token in group:  # grows while it is walked: whatever is joined to what is joined
        joined = s.children(token, "conj", "appos")
        group += [t for t in joined if t.pos in _SAID and not s.children(t, "nsubj", "nsubjpass")]
    for token in group:
        yield reading if token is complement else replace(reading, clause=_Saying(clause, token))


class _Saying(Clause):
    """A clause whose "be" says another one of its complements."""

    __slots__ = ("_complement",)

    _complement: Token

    def __init__(self, clause: Clause, complement: Token) -> None:
        for name in Clause.__slots__:
            object.__setattr__(self, name, getattr(clause, name))
        object.__setattr__(self, "_complement", complement)

    def object(self) -> Token:
        """That complement."""
        return self._complement


__all__ = ["OPEN", "Reading", "facts", "naming"]
