"""What fits no row of the table: states, habits and facts as they stand, with a judgement of their worth."""

from __future__ import annotations

from memory_pipeline.domain.proposal import MemoryType, Operation
from memory_pipeline.inference.builtin.facts.context import Reading, names, of_the_assistant
from memory_pipeline.inference.builtin.facts.fact import (
    FAINT,
    IDLE,
    LIGHT,
    PASSING,
    Fact,
    Weight,
    faint,
    idle,
    mood,
    open_loop,
)
from memory_pipeline.inference.builtin.frames.row_values import cut, untimed
from memory_pipeline.inference.builtin.frames.word_classes import qualified
from memory_pipeline.language.grammar.clauses import Cue
from memory_pipeline.language.grammar.people import Kind
from memory_pipeline.language.syntax import Token
from memory_pipeline.language.vocabulary import words
from memory_pipeline.language.wording.rewrite import remainder, third

_PLACED = ("in", "on", "at", "around", "near", "with", "off", "into", "under", "over", "out", "behind")


def former(reading: Reading) -> list[Fact]:
    """What used to be: denied from now on."""
    content = reading.told
    if not content:
        return []
    slot = reading.family
    return [Fact(MemoryType.PROFILE_FACT, content, reading.subject.key, slot, negated=True, weight=LIGHT)]


def plain(reading: Reading) -> list[Fact]:
    """What a clause states about how things are, as it stands."""
    content, key = reading.told, reading.subject.key
    if not content:
        return []
    if reading.subject.together and reading.clause.negated:  # "Marek and I are no longer a couple"
        content = f"{content.rstrip('.')} with {third(reading.subject.together)}."
    if reading.clause.verb == "be":
        return _being(reading, content)
    supposed = reading.clause.modal in {"could", "might", "may"} and not reading.of_user
    if supposed or _says_nothing(reading):
        return [idle(content, key)]
    ahead = coming(reading, content)
    if ahead is not None:
        return [ahead]
    if reading.of_user and (reading.passing or _in_transient_state(reading)):
        return [mood(content)]
    if _of_no_interest(reading):
        return [idle(content, key)]
    if reading.of_user and reading.verb in words("taste"):
        return [Fact(MemoryType.PREFERENCE, content, key)]
    return demanded(reading) or _needed(reading, content) or [_as_it_stands(reading, content)]


def _says_nothing(reading: Reading) -> bool:
    clause, complement = reading.clause, reading.clause.object()
    if _poorly_sensed(reading):
        return False
    unable = any(t.low == "unable" for t in clause.sentence.children(clause.outer, "acomp"))
    if reading.verb in words("empty_verb") or clause.cue is Cue.ABLE and not (clause.negated or unable):
        return True
    if complement is None:
        return False
    if _points(reading, complement) or reading.of_user and of_the_assistant(clause, complement):
        return True
    return reading.verb in {"have", "get"} and complement.lemma.lower() in words("empty_noun")


def _poorly_sensed(reading: Reading) -> bool:
    """ "I hear very poorly on the left", "I don't see well at night"."""
    how = {t.low for t in reading.clause.sentence.subtree(reading.clause.head) if t.dep == "advmod"}
    badly = (
        how & {"poorly", "badly", "barely", "hardly"} or reading.clause.negated and how & {"well", "much", "properly"}
    )
    return reading.verb in {"hear", "see", "smell", "taste"} and bool(badly) and reading.clause.object() is None


def _points(reading: Reading, token: Token) -> bool:
    """Whether a word only points, and nobody knows to what."""
    if qualified(reading.clause, token):
        return False
    return token.low in words("deictic") and reading.people.thing(token.low) is None


def coming(reading: Reading, content: str) -> Fact | None:
    """ "I have a dentist appointment on Friday", "our cat has her booster on Friday"."""
    complement = reading.clause.object()
    mine = reading.of_user or reading.subject.kind is Kind.PET
    if not mine or reading.verb not in {"have", "get"} or complement is None or not _on_a_day(reading):
        return None
    if complement.lemma.lower() not in words("occasion"):
        return None
    return open_loop(content, "plan", cut("noun", untimed(reading, reading.named(complement))))


def _in_transient_state(reading: Reading) -> bool:
    return reading.clause.passive and reading.clause.outer.low in words("transient")


def _of_no_interest(reading: Reading) -> bool:
    """What something is used for, and what others do to the user."""
    if reading.clause.passive and reading.verb == "use":
        return True
    complement = reading.clause.object()
    return not reading.of_user and complement is not None and complement.low in {"me", "us"}


def demanded(reading: Reading) -> list[Fact]:
    """ "My boss wants the report by Friday", "the bank wants my papers by Monday"."""
    wanted = reading.verb in words("demand") and reading.clause.object() is not None and not reading.clause.negated
    told, subject = reading.told, reading.clause.subject
    if not (wanted and reading.due and told) or reading.of_user or subject is None:
        return []
    if not reading.subject.label:
        who = reading.named(subject, bare=False)
        told = f"{who[:1].upper()}{who[1:]} {told[:1].lower()}{told[1:]}"
    return [open_loop(told, "plan")]


def _needed(reading: Reading, content: str) -> list[Fact]:
    """ "I need an apartment in Lubbock by August": what has still to be found, by a day that is told."""
    thing = reading.clause.object()
    if not reading.of_user or reading.verb != "need" or thing is None or reading.clause.negated or not reading.ahead():
        return []
    asked = {thing.low, thing.lemma.lower()} & (words("output") | words("ordered") | words("empty_noun"))
    return [] if asked or thing.pos not in {"NOUN", "PROPN"} else [open_loop(content, "plan")]


def _as_it_stands(reading: Reading, content: str) -> Fact:
    attribute = reading.family if reading.of_user or reading.of_somebody else None
    complement = reading.clause.object()
    value = reading.named(complement) if complement is not None else None
    if value is None and attribute is not None:
        value = remainder(reading.clause, reading.people, reading.timed) or None
    return Fact(
        MemoryType.PREFERENCE if reading.habitual else MemoryType.PROFILE_FACT,
        content,
        reading.subject.key,
        attribute if value else None,
        value if attribute else None,
        reading.clause.negated,
        operation=Operation.UPDATE if reading.changed else Operation.ADD,
        weight=_worth(reading, content),
        names=names(reading.subject, value or ""),
    )


def _worth(reading: Reading, content: str) -> Weight:
    clause = reading.clause
    if reading.verb == "need" and reading.of_user:
        return IDLE
    complete = clause.object() is not None or reading.verb in words("alone")
    if not complete and not remainder(clause, reading.people, reading.all_timed):
        return IDLE
    if clause.progressive and reading.of_user and not (reading.changed or reading.habitual):
        return FAINT if reading.specific or reading.verb in words("undertaking") else IDLE
    return LIGHT if len(content.split()) > len(reading.subject.label.split()) + 1 else IDLE


def _being(reading: Reading, content: str) -> list[Fact]:
    """What "be" says where no row fits: a place, a state, a trait, or what somebody is."""
    clause, key = reading.clause, reading.subject.key
    complement = clause.object()
    if complement is None:
        place = clause.after(*_PLACED)
        if place is None:
            return [idle(content, key)]
        barred = clause.cue is Cue.ABLE and clause.negated  # "can't be in strong sun", "can't be around cats"
        if reading.of_user and (barred or place.lemma.lower() in words("standing")):
            return [Fact(MemoryType.PROFILE_FACT, content, key, weight=LIGHT)]
        here = Fact(MemoryType.EPHEMERAL, content, key, weight=PASSING)
        return [here if reading.of_user else faint(content, key)]
    if complement.low in words("deictic") | words("empty_noun"):
        return [idle(content, key)]
    if complement.pos in {"ADJ", "VERB", "ADV"}:
        return [_state(reading, content, complement)]
    if {complement.low, complement.lemma.lower()} & words("verdict") or clause.negated and complement.tag == "NNS":
        return [idle(content, key)]
    value = reading.named(complement)
    slot = "trait" if reading.of_user else "be"
    named = names(reading.subject, value)
    return [Fact(MemoryType.PROFILE_FACT, content, key, slot, value, clause.negated, weight=LIGHT, names=named)]


def _state(reading: Reading, content: str, adjective: Token) -> Fact:
    key = reading.subject.key
    if _transient(reading, adjective):
        return mood(content) if reading.of_user else idle(content, key)
    if not reading.of_user or reading.clause.negated:
        return idle(content, key)
    value = reading.named(adjective, bare=False)
    return Fact(MemoryType.PROFILE_FACT, content, key, "trait", value, weight=LIGHT)


def _transient(reading: Reading, adjective: Token) -> bool:
    """Whether a state passes: "tired", "so happy", "stuck", "being difficult", "ill today"."""
    clause = reading.clause
    if adjective.low in words("transient") or adjective.tag in {"VBN", "VBD"}:
        return True
    by_degree = any(t.low in words("degree") for t in clause.sentence.children(adjective))
    return by_degree or clause.progressive or reading.passing


def _on_a_day(reading: Reading) -> bool:
    """Whether a day is told, be it one that no calendar has ("on April 31")."""
    dated = any(t.kind == "DATE" for t in reading.clause.sentence)
    return reading.due or dated and not any(t.relation == "every" or t.first for t in reading.times)
