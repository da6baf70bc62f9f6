"""What something does to the writer: "oats make me throw up", "dairy doesn't agree with me".

Things do that, not people: what a boss or a project does to somebody's head is no matter of health.
"""

from __future__ import annotations

from memory_pipeline.domain.proposal import MemoryType
from memory_pipeline.inference.builtin.facts.context import Reading
from memory_pipeline.inference.builtin.facts.fact import FIRM, Fact
from memory_pipeline.language.grammar.clauses import Mood, Tense
from memory_pipeline.language.grammar.people import Kind
from memory_pipeline.language.vocabulary import words
from memory_pipeline.language.wording.rewrite import phrase, predicate, sentence

_THINGS = frozenset({Kind.OTHER, Kind.NAMED})
_ME = frozenset({"me", "my"})


def effect(reading: Reading) -> Fact | None:
    """What a thing does to the writer's body whenever they meet it; None of any other clause."""
    clause, subject = reading.clause, reading.clause.subject
    lasting = (
        clause.mood is Mood.STATEMENT and clause.tense is Tense.PRESENT and not (clause.progressive or clause.modal)
    )
    if not lasting or subject is None or reading.subject.kind not in _THINGS or subject.pos not in {"NOUN", "PROPN"}:
        return None
    s = clause.sentence
    if any(t.low in words("pointing") for t in s.children(subject, "det")) or not _on_writer(reading):
        return None
    thing = phrase(clause, subject, reading.people)
    told = predicate(clause, reading.subject, reading.people, reading.timed)
    if not thing or not told:
        return None
    content = sentence(reading.subject, told) if reading.subject.label else f"{thing[:1].upper()}{thing[1:]} {told}."
    if clause.outer.tag == "VBP" and not clause.negated:
        content = content.replace(f" {told}", f" {_plural(reading, told)}")
    return Fact(MemoryType.PROFILE_FACT, content, "user", "health", weight=FIRM, dated="none")


def _on_writer(reading: Reading) -> bool:
    """Whether the verb and what stands beside it tell of a body, and of the writer's."""
    clause = reading.clause
    beside = clause.sentence.subtree(clause.outer, without=clause.apart)
    said = {form for t in beside for form in (t.low, t.lemma.lower())}
    if not said & _ME:
        return False
    if reading.verb in words("agreeing") and clause.after("with") is not None:
        return True
    parts = words("reaction_sign") | words("reaction") | words("condition") | words("effect") | words("body")
    return reading.verb in words("effect_verb") and bool(said & parts)


def _plural(reading: Reading, told: str) -> str:
    """ "makes them ill" → "make them ill"."""
    first, _, rest = told.partition(" ")
    return f"{reading.clause.outer.lemma.lower()} {rest}" if first.endswith("s") else told
