"""What is done or off: deeds that may keep a promise, things that are settled, plans that are dropped."""

from __future__ import annotations

import re

from memory_pipeline.inference.builtin.context import Reading
from memory_pipeline.inference.builtin.directives import sentence_of
from memory_pipeline.inference.builtin.facts import Fact, closing
from memory_pipeline.language.clauses import Clause, Cue, Mood, Tense
from memory_pipeline.language.people import Kind, People
from memory_pipeline.language.rewrite import phrase, predicate, third
from memory_pipeline.language.syntax import written
from memory_pipeline.language.vocabulary import table, words

_IN_VAIN = re.compile(
    r"\b(?:nobody|no one|no-one) (?:picked up|answered|was there)|"
    r"(?:didn't|did not|doesn't|never|won't) (?:pick up|answer|reply|respond|work|go through|open)|"
    r"no (?:answer|reply|response|luck)|voice ?mail|left (?:her |him |them )?a message|"
    r"couldn't (?:reach|get through|finish|make it)|line was (?:busy|dead)|without success|in vain|to no avail|"
    r"\bhalf of\b|\btried\b|\bstill (?:haven't|have to|need)|will try again",
    re.I,
)
_OTHERS = frozenset({Kind.PERSON, Kind.NAMED, Kind.POSSESSION, Kind.OTHER})


def in_vain(text: str) -> bool:
    """Whether an act is told to have come to nothing, in the sentence itself or right after it."""
    return bool(_IN_VAIN.search(text.replace("’", "'")))


def deeds(reading: Reading, people: People) -> list[Fact]:
    """Closings that a clause about a thing or another person tells of: "the library card is renewed", "Rome is off"."""
    clause, subject = reading.clause, reading.subject
    if clause.mood is not Mood.STATEMENT or reading.of_user or clause.subject is None or clause.negated:
        return []
    if clause.subject.low in words("deictic") | {"who", "which"}:
        return []
    if _dropped(clause):
        return [_close(f"Cancelled {written(clause.sentence.subtree(clause.subject))}", negated=True)]
    if clause.cue is not Cue.NONE or not (_done(clause) or _came(reading)):
        return []
    told = predicate(clause, subject, people, reading.timed)
    label = subject.label or phrase(clause, clause.subject, people)
    return [_close(f"{label} {told}")] if told and label else []


def _dropped(clause: Clause) -> bool:
    """ "Rome is off", "the concert was cancelled"."""
    known, s = table("directives"), clause.sentence
    if clause.head.lemma.lower() in known["dropped_verb"] and (clause.passive or clause.tense is Tense.PAST):
        return True
    particles = {t.low for t in s.children(clause.head, "advmod", "prt", "prep") if not s.children(t, "pobj")}
    return clause.verb == "be" and bool({_state(clause), *particles} & set(known["dropped"]))


def _done(clause: Clause) -> bool:
    """ "The report is done", "the invoice got paid"."""
    known = table("directives")
    over = clause.passive or clause.tense is Tense.PAST or clause.perfect
    return _state(clause) in known["done"] or over and clause.head.lemma.lower() in known["done_verb"]


def _came(reading: Reading) -> bool:
    """ "The plumber came"."""
    past = reading.clause.tense is Tense.PAST
    return past and reading.subject.kind in _OTHERS and reading.verb in table("directives")["came"]


def _state(clause: Clause) -> str:
    complement = clause.object()
    return complement.low if complement is not None else ""


def _close(text: str, *, negated: bool = False) -> Fact:
    return closing(sentence_of(third(text)), negated=negated)
