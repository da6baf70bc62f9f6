"""From facts to proposals: their dates resolved, their weights adjusted, their words quoted, repetitions joined."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta, tzinfo

from memory_pipeline.domain.proposal import MemoryType, Operation
from memory_pipeline.domain.text import normalise
from memory_pipeline.inference.builtin.clauses import Clause
from memory_pipeline.inference.builtin.date_phrases import Phrase
from memory_pipeline.inference.builtin.dates import When, resolve
from memory_pipeline.inference.builtin.entities import entities
from memory_pipeline.inference.builtin.patterns import Fact
from memory_pipeline.inference.builtin.wording import sentence, told_of, with_dates
from memory_pipeline.inference.replies import EvidenceDraft, ProposalDraft

_MIN_CONTENT = 8
_MAX_CONTENT = 400
_RECENTLY = timedelta(days=365)
_PAST = re.compile(r"\b(?:ago|last|yesterday|earlier|past|back in)\b", re.I)


@dataclass(frozen=True, slots=True)
class Source:
    """The clause's place: its message, the words quoted, who wrote it, and when.

    Attributes:
        subject: "user", or the speaker's name where several people write.
        now: local time of the message, with its offset.
    """

    message: str
    quote: str
    subject: str
    now: datetime
    zone: tzinfo


def draft(fact: Fact, clause: Clause, source: Source) -> ProposalDraft | None:
    """The proposal that a fact makes, or None for one that says too little or too much."""
    times = _times(fact, clause, source)
    if _outlived(fact, times, source):
        return None
    if "{date}" in fact.content:
        if times.said is None:
            return None
        fact = replace(fact, content=fact.content.format(date=times.said), value=times.said.removeprefix("on "))
    content = with_dates(fact.content, clause, source.now, source.zone, fact.direction) if fact.told else fact.content
    if not fact.told and (times.since or times.until) and fact.when == "valid":
        content = sentence(" ".join([content.rstrip("."), *(str(w) for w in (times.since, times.until) if w)]))
    subject: str | None = fact.subject or None
    if subject == "user":
        subject = source.subject
        if subject != "user":
            content = told_of(subject, content)
    if not _MIN_CONTENT <= len(content) <= _MAX_CONTENT:
        return None
    weight = fact.weight
    certainty = (
        clause.certainty * (0.9 if clause.implied else 1.0) * (0.95 if fact.subject not in {"user", ""} else 1.0)
    )
    return ProposalDraft(
        operation=fact.operation,
        type=fact.type,
        content=content,
        subject=subject,
        attribute=fact.attribute,
        value=fact.value,
        negated=fact.negated,
        entities=entities(clause.text, (*fact.names, *_proper(fact))),
        confidence=round(weight.confidence * certainty, 2),
        salience=round(min(weight.salience + (0.1 if clause.urged else 0.0), 1.0), 2),
        importance=round(min(weight.importance + (0.1 if clause.urged else 0.0), 1.0), 2),
        surface=fact.surface,
        valid_from=times.valid_from,
        valid_until=times.valid_until,
        due_at=times.due_at,
        evidence=[EvidenceDraft(message=source.message, quote=source.quote)],
    )


@dataclass(frozen=True, slots=True)
class _Times:
    valid_from: str | None = None
    valid_until: str | None = None
    due_at: str | None = None
    said: str | None = None
    since: When | None = None
    until: When | None = None


def _times(fact: Fact, clause: Clause, source: Source) -> _Times:
    found = [
        (phrase, when)
        for phrase in clause.phrases
        if (when := resolve(phrase, source.now, source.zone, fact.direction))
    ]
    if not found:
        return _Times()
    since = next((w for _, w in found if w.relation == "since"), None)
    until = next((w for _, w in found if w.relation == "until"), None)
    at = next((w for _, w in found if w.relation in {"on", "by"}), None)
    if fact.when == "due":
        due = at or until
        return _Times(due_at=due.last if due else None)
    if fact.when == "past":
        then = next((w for p, w in found if _PAST.search(p.text)), None)
        return _Times(valid_from=then.first if then else None)
    if fact.when == "happened":
        first = at or since
        return _Times(valid_from=first.first if first else None)
    if fact.when == "valid":
        span = next((w for p, w in found if _lasting(p, w)), None)
        start, end = since or span, until or span
        return _Times(start.first if start else None, end.last if end else None, since=since, until=until or span)
    return _Times(said=_birthday(at) if at else None)


def _outlived(fact: Fact, times: _Times, source: Source) -> bool:
    """Whether a breakup lies so far back that it does not tell how things are now."""
    if (fact.attribute, fact.value) != ("relationship_status", "single") or times.valid_from is None:
        return False
    return date.fromisoformat(times.valid_from[:10]) < source.now.date() - _RECENTLY


def _lasting(phrase: Phrase, when: When) -> bool:
    """ "this quarter", "today": the statement holds for that time."""
    said = phrase.text.lower()
    return when.relation == "on" and said.startswith(("this ", "today", "tonight", "for ", "right now"))


def _birthday(when: When) -> str:
    return f"on {when.start.day} {when.start:%B}" + (f" {when.start:%Y}" if when.dated else "")


def _proper(fact: Fact) -> Iterable[str]:
    if fact.value and fact.value[:1].isupper() and len(fact.value.split()) <= 5:
        yield fact.value
    if fact.subject[:1].isupper():
        yield fact.subject


def joined(drafts: Iterable[ProposalDraft]) -> list[ProposalDraft]:
    """The drafts of a window with repetitions joined: the first one's words, everyone's evidence."""
    kept: dict[tuple[object, ...], ProposalDraft] = {}
    for one in drafts:
        key = _key(one)
        seen = kept.get(key)
        kept[key] = _join(seen, one) if seen else one
    return list(kept.values())


def _key(one: ProposalDraft) -> tuple[object, ...]:
    slotted = one.attribute and one.value and one.type is not MemoryType.EPISODIC_EVENT
    ends = one.operation if one.operation in {Operation.CLOSE_OPEN_LOOP, Operation.FORGET, Operation.SUPPRESS} else ""
    if slotted:
        return (ends, one.subject, one.attribute, normalise(one.value or ""), one.negated, one.due_at)
    return (ends, one.subject, one.type, normalise(one.content))


def _join(seen: ProposalDraft, one: ProposalDraft) -> ProposalDraft:
    more = [e for e in one.evidence if e not in seen.evidence]
    return replace(
        seen,
        confidence=round(min(max(seen.confidence, one.confidence) + 0.02 * bool(more), 0.99), 2),
        entities=list(dict.fromkeys([*seen.entities, *one.entities])),
        valid_from=seen.valid_from or one.valid_from,
        valid_until=seen.valid_until or one.valid_until,
        due_at=seen.due_at or one.due_at,
        evidence=[*seen.evidence, *more],
    )
