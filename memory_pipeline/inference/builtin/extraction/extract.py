"""Extraction: windows of messages in, proposals out, by reading. English; other languages yield nothing.

Only messages of users speak (NM-14, RX-17); the assistant's are read for the questions that a short answer answers.
All statements of a window are parsed in one go, then read clause by clause.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import tzinfo
from typing import Any

from memory_pipeline.domain.calendar import zone
from memory_pipeline.domain.patterns import lazy
from memory_pipeline.domain.proposal import MemoryType, Operation
from memory_pipeline.inference.builtin.directives import directives, unread, verbless
from memory_pipeline.inference.builtin.directives.antecedents import happened
from memory_pipeline.inference.builtin.extraction.corrections import substituted
from memory_pipeline.inference.builtin.extraction.drafts import Source, draft, joined
from memory_pipeline.inference.builtin.extraction.presuppositions import at_home, occasion, presupposed
from memory_pipeline.inference.builtin.extraction.turns import Statement, statements
from memory_pipeline.inference.builtin.facts.clause_facts import OPEN, Reading, facts, naming
from memory_pipeline.inference.builtin.facts.deeds import deeds, in_vain
from memory_pipeline.inference.builtin.facts.fact import Direction, Fact
from memory_pipeline.inference.builtin.facts.notes import Remainder, pronouns, untold
from memory_pipeline.inference.builtin.facts.plans import joined_duty
from memory_pipeline.inference.builtin.facts.reactions import as_reaction
from memory_pipeline.inference.replies import ExtractReply, ProposalDraft, WindowReply
from memory_pipeline.language.english import parser
from memory_pipeline.language.grammar.clauses import Clause, Cue, Mood, Tense, clauses
from memory_pipeline.language.grammar.people import USER, Kind, People, Subject
from memory_pipeline.language.grammar.proper_names import full_name, may_be_somebody
from memory_pipeline.language.orders import ordered
from memory_pipeline.language.standing import Standing, Turn, unsaid
from memory_pipeline.language.syntax import Sentence
from memory_pipeline.language.times import TimeExpression, times
from memory_pipeline.language.vocabulary import words
from memory_pipeline.language.wording.rewrite import phrase

_Times = Callable[[Direction], list[TimeExpression]]
# What joins a clause to a request that states something all the same: "…, because I'm allergic to nuts".
_REASONS = frozenset({"because", "who", "since", "cuz", "as"})
_SINCE = lazy(r"(?:ever )?since\b", re.I)
_POINTS_BACK = lazy(r"\b(?:him|her|them|it|there|then|s?he|they)\b", re.I)
_WANTED_BY = lazy(
    r"\b(?:want|need|like|write|send|pay|return|finish|do|have|get|bring|post) (?:it|that|this|them)(?: \w+)? "
    r"(?:by|before|on|until)\b",
    re.I,
)
_DAYS = frozenset({"day", "hour", "part"})
_LASTING = frozenset({"since", "every", "for"})
_CLOCK = frozenset({"hour", "minute", "part"})
_OF_A_DAY = lazy(
    r"day|morrow|tonight|this|next|\d(?:st|nd|rd|th)\b|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)", re.I
)
_PLACES = frozenset({"GPE", "LOC", "FAC", "NORP", "ORG"})
_KEPT = 0.2  # salience of what tells the gist of a sentence


@dataclass(slots=True)
class _Talk:
    """What one speaker has said so far in a window: the people, and the drafts that a correction may be about."""

    people: People = field(default_factory=People)
    drafts: list[ProposalDraft] = field(default_factory=list)
    named: frozenset[str] = frozenset()  # by a message, and which one it was
    message: str = ""

    def note_named(self, sentence: Sentence, message: str) -> None:
        """Keeps whom a message names."""
        found = {
            full_name(sentence, token)
            for token in sentence
            if token.kind not in _PLACES and may_be_somebody(sentence, token)
        }
        self.named = self.named | found if message == self.message else frozenset(found)
        self.message = message

    def told_of(self, sentence: Sentence, about: Subject, message: str) -> Subject:
        """Whom a sentence is about: of a "she" who is nobody known, the only one whom the message has named."""
        unknown = about.kind is Kind.OTHER and not about.key and sentence.tokens[0].low in {"he", "she"}
        if not unknown or message != self.message or len(self.named) != 1:
            return about
        (name,) = self.named
        return Subject(Kind.NAMED, name, name)


def extract(inputs: Mapping[str, Any]) -> ExtractReply:
    """The proposals of every window of a request (see ``ChatRequest`` task ``extract``)."""
    home = zone(inputs["timezone"])
    return ExtractReply(
        windows=[WindowReply(window=w["window"], proposals=read_window(w, home)) for w in inputs["windows"]]
    )


def read_window(window: Mapping[str, Any], home: tzinfo) -> list[ProposalDraft]:
    """The proposals of one window, in the order in which they are said, repetitions joined."""
    said = list(_said(window, home))
    parsed = iter(parser().parse([s.text for s in said if s.note is None]))
    talks: dict[str, _Talk] = {}
    drafts: list[ProposalDraft] = []
    for statement in said:
        talk = talks.setdefault(statement.source.subject, _Talk())
        if statement.note is not None:
            note = draft(statement.note, (), statement.source)
            found = [note] if note is not None else []
        else:
            found = _statement(statement, next(parsed), talk)
        talk.drafts.extend(found)
        drafts.extend(found)
    return joined(drafts)


def _said(window: Mapping[str, Any], home: tzinfo) -> Iterator[Statement]:
    """The statements of a window's users."""
    messages: Sequence[Mapping[str, Any]] = window["messages"]
    before = list(window.get("context") or ())
    told = [*before, *messages]
    several = len({m["speaker"] for m in told if m["role"] == "user" and m.get("speaker")}) > 1
    silent = unsaid([Turn(m["role"], m["content"]) for m in told])
    for n, message in enumerate(messages, start=len(before)):
        if message["role"] == "user" and n not in silent:
            subject = message["speaker"] if several and message.get("speaker") else "user"
            yield from statements(message, before, subject, home, parser())
        before.append(message)


def _statement(statement: Statement, parsed: Sequence[Sentence], talk: _Talk) -> list[ProposalDraft]:
    """The proposals of one statement; one that puts something right updates what was said before."""
    found = [_dated_by_sentence(d, statement) for sentence in parsed for d in _sentence(sentence, statement, talk)]
    if statement.standing is not Standing.REPORTED and not any(d.attribute == "residence" for d in found):
        found += _drafts(at_home(statement.text), (), statement.source)
    if statement.correction is None:
        return found
    if not found:
        return substituted(statement.correction, talk.drafts, statement.source)
    return [replace(d, operation=Operation.UPDATE) if d.operation is Operation.ADD else d for d in found]


def _dated_by_sentence(found: ProposalDraft, statement: Statement) -> ProposalDraft:
    """A plan that points back to what its sentence dates: "my mum lands on 28 November, I've to pick her up"."""
    open_ended = found.type is MemoryType.OPEN_LOOP and found.operation is Operation.ADD and found.due_at is None
    points = _POINTS_BACK.search(statement.text) or _WANTED_BY.search(statement.source.quote)
    if not open_ended or not points:
        return found
    now = statement.source.now
    told = times(statement.source.quote, now, statement.source.zone, "future")
    days = {t.last for t in told if t.first and t.grain in _DAYS and t.relation in {"on", "by"}}
    ahead = {day for day in days if day and day[:10] >= now.date().isoformat()}
    return replace(found, due_at=ahead.pop()) if len(ahead) == 1 else found


def _sentence(sentence: Sentence, statement: Statement, talk: _Talk) -> list[ProposalDraft]:
    """The proposals of one sentence: people named in passing, directives, what its clauses state, and the rest."""
    source, own = statement.source, statement.standing is Standing.OWN
    people, found = talk.people, clauses(sentence)
    main = found[0] if found else None
    told, named = _introduced(sentence, statement, people)
    read = _times(sentence, source)
    readings = [_reading(c, people, read, source.now.date().isoformat()) for c in found]
    asked = directives(sentence, found, people, readings)
    if any(fact.operation is Operation.FORGET for fact in asked):
        told, named = [], set()  # whom a plea to forget names is not remembered by it
    told += _drafts(asked, readings[0].times if readings else (), source, main)
    if asked:
        if main is None or main.mood is Mood.REQUEST or any(map(_is_final, asked)):
            return told
        readings = unread(sentence, readings)
    whole = (pronouns(statement.text) or verbless(statement.text)) if own else None
    if whole is not None:
        return told + _drafts([whole], (), source)
    vain = in_vain(source.quote, statement.following)
    for n, reading in enumerate(readings):
        if not _heard(reading, statement.standing, first=n == 0):
            continue
        closed = [] if vain else deeds(reading, people)
        duty = joined_duty(reading, readings[n - 1] if n else None)
        for fact in duty or [*(as_reaction(f, reading) for f in facts(reading)), *closed]:
            if not (vain and _is_deed(fact)) and not (told and _names_again(fact, named)):
                told += _drafts([fact], reading.times, source, reading.clause)
        _remember_things(reading, people)
        people.happened = happened(reading) or people.happened
    stated = own and not vain and all(c.mood is Mood.STATEMENT for c in found)
    complete = stated and not ordered(sentence, statement.text)
    about = talk.told_of(sentence, readings[0].subject if readings else USER, source.message)
    talk.note_named(sentence, source.message)
    return told + _rest(sentence, statement, told, about, read, main, complete)


def _introduced(sentence: Sentence, statement: Statement, people: People) -> tuple[list[ProposalDraft], set[str]]:
    """The people named in passing, and what they are to the user."""
    told: list[ProposalDraft] = []
    named: set[str] = set()
    for person in people.read(sentence):
        if statement.standing is not Standing.REPORTED or person.relation:
            told += _drafts([naming(person)], (), statement.source)
            named.add(person.relation)
    return told, named


def _is_final(directive: Fact) -> bool:
    """Whether a directive speaks for its whole sentence."""
    return directive.type in {MemoryType.BOUNDARY, MemoryType.SHARED_LORE} or directive.operation is Operation.FORGET


def _heard(reading: Reading, standing: Standing, *, first: bool) -> bool:
    """Whether a clause states something, given what its sentence is."""
    if standing is Standing.OWN:
        return True
    if standing is Standing.REPORTED:
        return reading.subject.kind not in {Kind.USER, Kind.OTHER, Kind.POSSESSION}
    if standing is Standing.REQUEST and reading.of_user:
        if reading.clause.outer.dep == "ccomp":
            return True  # "put that I'm based in Berlin"
        timed = any(t.first and t.relation in {"on", "by", "until"} for t in reading.times)
        if reading.clause.cue is Cue.DUTY and timed:
            return True  # "I have to write the quote by Friday, what's a good opening?"
    return reading.clause.link in _REASONS and not first


def _is_deed(fact: Fact) -> bool:
    """Whether a fact tells of something done, which is not so where it was in vain."""
    done = fact.operation is Operation.CLOSE_OPEN_LOOP or fact.type is MemoryType.EPISODIC_EVENT
    return done and not fact.negated


def _names_again(fact: Fact, named: set[str]) -> bool:
    """Whether a fact only tells that there is somebody who has been named in passing."""
    if fact.attribute not in {"family", "pet"}:
        return False
    called = " called " in fact.content or " named " in fact.content
    return called or (fact.value or "").split(" ")[-1].lower() in named


def _rest(
    sentence: Sentence,
    statement: Statement,
    told: Sequence[ProposalDraft],
    about: Subject,
    read: _Times,
    main: Clause | None,
    complete: bool,
) -> list[ProposalDraft]:
    """What none of its facts tells of a statement; of a request, what it tells of the user's health."""
    source, text = statement.source, statement.text
    if complete:
        gist = [d.content for d in told if d.salience >= _KEPT or d.operation is Operation.CONTRADICT]
        today, past = source.now.date().isoformat(), main is not None and main.tense is Tense.PAST
        kept = [d.content for d in told if d.salience >= _KEPT and d.operation is not Operation.CLOSE_OPEN_LOOP]
        when = read(_direction(main))
        left = untold(Remainder(sentence, text, gist, about, when, today, past=past, kept=kept))
        return [d for f in left for d in _drafts([f], read("future") if f.when == "due" else (), source, main)]
    asking = statement.standing in {Standing.REQUEST, Standing.QUESTION}
    today = source.now.date().isoformat()
    ahead = [
        t
        for t in read("future")
        if t.first and t.first[:10] >= today and t.relation in {"on", "by"} and t.grain in _DAYS
    ]
    if asking and ahead and not any(d.type is MemoryType.OPEN_LOOP for d in told):
        booked = _drafts(occasion(sentence), ahead[:1], source)
        if booked:
            return booked
    unsaid = statement.standing is Standing.OWN and not told and (main is None or main.subject is None)
    known = _drafts(presupposed(sentence), (), source) if asking or unsaid else []
    if known:
        return [one for one in known if not any(_same_slot(one, other) for other in told)]
    if asking and "?" not in text:
        left = untold(Remainder(sentence, text, [d.content for d in told], own=False))
        return _drafts(left, (), source, main)
    return []


def _same_slot(one: ProposalDraft, other: ProposalDraft) -> bool:
    return (one.subject, one.attribute) == (other.subject, other.attribute)


def _remember_things(reading: Reading, people: People) -> None:
    """What "it" or "them" may stand for in the next sentence."""
    subject = None if reading.clause.carried else reading.clause.subject
    if subject is not None and subject.pos == "NOUN" and reading.subject.kind is Kind.OTHER:
        noun = phrase(reading.clause, subject, people, each=True)
        people.note_thing(noun, plural=subject.tag == "NNS")
    for token in (reading.clause.object(), *reading.clause.behind("at", "in", "for", "with", "on")):
        if token is not None and token.pos in {"NOUN", "PROPN"} and token.kind not in {"DATE", "TIME"}:
            noun = phrase(reading.clause, token, people, each=True)
            people.note_thing(noun, plural=token.tag in {"NNS", "NNPS"})


def _drafts(
    told: Sequence[Fact], when: Sequence[TimeExpression], source: Source, clause: Clause | None = None
) -> list[ProposalDraft]:
    """The proposals of facts of one clause, as certain as it is."""
    sure = replace(source, certainty=clause.certainty if clause is not None else 1.0)
    return [one for fact in told if (one := draft(fact, when, sure)) is not None]


def _times(sentence: Sentence, source: Source) -> _Times:
    """A reader of the sentence's times in one direction, "past" or "future"."""
    start = sentence.tokens[0].start
    text = "".join(t.text + (" " if t.space else "") for t in sentence)
    cache: dict[Direction, list[TimeExpression]] = {}

    def read(direction: Direction) -> list[TimeExpression]:
        if direction not in cache:
            found = times(text, source.now, source.zone, direction)
            if direction == "future":  # what has been so since Saturday has been so since the last one
                begun = {t.start: t for t in times(text, source.now, source.zone, "past") if t.relation == "since"}
                found = [begun.get(t.start, t) if _SINCE.match(t.text) else t for t in found]
            cache[direction] = [replace(t, start=t.start + start, end=t.end + start) for t in found]
        return cache[direction]

    return read


def _direction(clause: Clause | None) -> Direction:
    """Where a weekday of a clause most likely lies."""
    if clause is None or clause.cue in OPEN:
        return "future"
    lemma = clause.head.lemma.lower()
    moved = lemma in words("reschedule") and clause.object() is None and not clause.passive  # "we moved in May"
    if lemma in words("arranging") | words("reschedule") and not moved:
        return "future"
    return "past" if clause.tense is Tense.PAST or clause.perfect else "future"


def _routine(clause: Clause) -> bool:
    """ "I get up at five": what one does at an hour of every day."""
    plain = clause.tense is Tense.PRESENT and clause.cue is Cue.NONE and not (clause.progressive or clause.modal)
    return plain and clause.mood is Mood.STATEMENT and clause.head.lemma.lower() in words("routine")


def _tells_deed(clause: Clause) -> bool:
    """ "Called mom", "failed statistics twice", where the parser may take the past for a participle."""
    begins = clause.outer.tag == "VBN" and clause.outer.index == 0 and clause.outer.low.endswith("ed")
    return clause.outer.tag == "VBD" or begins and clause.object() is not None and not clause.passive


def _reading(clause: Clause, people: People, read: _Times, today: str) -> Reading:
    inside = clause.sentence.subtree(clause.outer, without=clause.apart)
    starts = {t.start for t in inside}
    found = [t for t in read(_direction(clause)) if any(t.start <= at < t.end for at in starts)]
    if clause.tense is Tense.PRESENT and clause.adverbs() & words("habitual"):
        found = [t for t in found if t.relation in _LASTING]  # "usually at home at Christmas" means no one Christmas
    if _routine(clause):
        found = [t for t in found if t.grain not in _CLOCK or _OF_A_DAY.search(t.text)]
    subject = people.subject(clause.sentence, clause.subject)
    if clause.subject is None and clause.outer is clause.sentence.root and _tells_deed(clause):
        subject = USER  # "Called mom.": people leave themselves out
    return Reading(clause, subject, people, tuple(found), today)
