"""What happened: events, and the promises that they may keep."""

from __future__ import annotations

from memory_pipeline.domain.proposal import MemoryType
from memory_pipeline.inference.builtin.facts.context import Reading, of_the_assistant
from memory_pipeline.inference.builtin.facts.fact import FAINT, IDLE, LIGHT, Fact, Weight, closing
from memory_pipeline.language.grammar.clauses import Cue, Mood
from memory_pipeline.language.vocabulary import words
from memory_pipeline.language.wording.rewrite import third

_GRAINS = frozenset({"day", "month", "year", "season", "week"})


def happened(reading: Reading, weight: Weight | None = None) -> list[Fact]:
    """An event, as it is told; what the user did may also close what was open.

    Args:
        weight: of the event, where it does not depend on what happened.
    """
    clause, content = reading.clause, reading.told
    if not content:
        return _pointing(reading)
    if reading.subject.together:
        content = f"{content.rstrip('.')} with {third(reading.subject.together)}."
    worth = weight or worth_of_event(reading)
    event = Fact(
        MemoryType.EPISODIC_EVENT,
        content,
        reading.subject.key,
        negated=clause.negated,
        weight=worth,
        when="happened",
    )
    acted = reading.verb not in words("empty_verb") or reading.verb in words("addressing")
    deed = reading.of_user and not clause.negated and clause.cue is Cue.NONE and acted
    return [event, closing(content)] if deed else [event]


def _pointing(reading: Reading) -> list[Fact]:
    """ "Watered them": a deed done with what was named before; it may keep a promise, and tells nothing else."""
    clause, thing = reading.clause, reading.clause.object()
    done = reading.of_user and not clause.negated and clause.cue is Cue.NONE and clause.mood is Mood.STATEMENT
    if not done or thing is None or thing.low not in {"it", "them"} or clause.verb in words("empty_verb"):
        return []
    particle = clause.sentence.child(clause.head, "prt")
    behind = f" {particle.low}" if particle is not None else ""
    return [closing(f"{clause.head.low.capitalize()} {thing.low}{behind}.")]


def _of_theirs(reading: Reading) -> bool:
    """Whether something of the writer's stands beside the verb; the parser may take "my days" for a time."""
    s = reading.clause.sentence
    beside = s.children(reading.clause.head, "dobj", "npadvmod")
    return any(t.low in {"my", "our"} for thing in beside for t in s.children(thing, "poss"))


def worth_of_event(reading: Reading) -> Weight:
    """What happened is worth keeping where it changes a life, or is dated, named or counted."""
    clause = reading.clause
    complement = clause.object()
    if clause.verb in words("life_event"):
        return LIGHT
    dated = any(t.first and t.relation == "on" and t.grain in _GRAINS for t in reading.times)
    inside = clause.sentence.subtree(clause.outer, without=clause.apart)
    named = any(t.pos == "PROPN" for t in inside if t.index not in reading.timed)
    if clause.verb in words("empty_verb") and not named:
        return IDLE
    if complement is not None and (complement.low in words("deictic") or of_the_assistant(clause, complement)):
        return IDLE
    if clause.perfect and clause.verb in words("altering") and _of_theirs(reading):
        return LIGHT  # "I've changed my days"
    return FAINT if dated and (complement is not None or named) or named and clause.perfect else IDLE
