"""What is due at a time: appointments, departures, deadlines, and their new times."""

from __future__ import annotations

from memory_pipeline.domain.proposal import Operation
from memory_pipeline.inference.builtin.facts.context import Reading, article
from memory_pipeline.inference.builtin.facts.fact import Fact, open_loop
from memory_pipeline.language.grammar.clauses import Tense
from memory_pipeline.language.grammar.people import Subject
from memory_pipeline.language.syntax import Token
from memory_pipeline.language.vocabulary import words

_TOWARDS = frozenset({"to", "until", "till"})


def appointment(reading: Reading) -> Fact | None:
    """ "My driving test is on 19 March", "my flight leaves at 7:30"."""
    clause, subject = reading.clause, reading.subject
    complement = clause.object()
    mine = subject.label.startswith("Their ")
    if mine and complement is not None and complement.low == "due" and clause.verb == "be" and reading.ahead():
        bare = subject.label.removeprefix("Their ")
        again = Operation.UPDATE if reading.changed else Operation.ADD  # "is now due on the 28th"
        content = f"{bare[:1].upper()}{bare[1:]} {'are' if subject.plural else 'is'} due."
        return open_loop(content, "plan", bare, operation=again)
    if mine and reading.ahead() and clause.head.lemma.lower() in words("running_out") and not clause.negated:
        return open_loop(reading.told, "plan", subject.key)
    if mine and reading.ahead() and clause.passive and reading.verb in words("fixed") and not clause.negated:
        return _to_come(subject)
    noun = clause.subject.lemma.lower() if clause.subject is not None else ""
    own = noun in words("occasion") and mine
    if not own or not reading.ahead() or reading.verb not in words("due_verb") or clause.tense is Tense.PAST:
        return None
    return _to_come(subject)


def _to_come(subject: Subject) -> Fact:
    before = "" if subject.plural else article(subject.key)
    return open_loop(f"Has {before}{subject.label.removeprefix('Their ')}.", "plan", subject.key)


def rescheduled(reading: Reading) -> Fact | None:
    """ "They moved my driving test to March 26th": a new time of what is due."""
    clause = reading.clause
    if reading.verb not in words("reschedule") or clause.negated:
        return None
    thing = clause.subject if clause.passive else clause.object()
    if thing is None or not reading.due or thing.pos not in {"NOUN", "PROPN"}:
        return None
    noun = reading.named(thing, each=True)
    if thing.lemma.lower() not in words("occasion"):
        return _due_later(reading, thing, noun)
    return open_loop(f"Has {article(noun)}{noun}.", "plan", noun, operation=Operation.UPDATE)


def _due_later(reading: Reading, thing: Token, noun: str) -> Fact | None:
    """ "The shortlist was moved to 25 November": what is to be done has another day; a sofa moved on one has none."""
    known = reading.clause.sentence.children(thing, "det", "poss")
    named = any(t.low in words("definite") for t in known) or reading.clause.passive and not known
    if not noun or not named or not _to_a_day(reading):
        return None
    content = f"{noun[:1].upper()}{noun[1:]} {'are' if thing.tag == 'NNS' else 'is'} due."
    return open_loop(content, "plan", noun, operation=Operation.UPDATE)


def _to_a_day(reading: Reading) -> bool:
    """Whether the time stands behind "to", "until" or "for"."""
    tokens = reading.clause.sentence.tokens
    starts = {t.start for t in reading.times if t.first and t.relation in {"on", "by", "until"}}
    for token in tokens:
        before = tokens[token.index - 1].low if token.index else ""
        if token.start in starts and (token.low in _TOWARDS or before in _TOWARDS | {"for"}):
            return True
    return False
