"""From facts to proposals: their times resolved, their weights adjusted, their words quoted, repetitions joined."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta, tzinfo

from memory_pipeline.domain.patterns import lazy
from memory_pipeline.domain.proposal import MemoryType, Operation
from memory_pipeline.domain.text import normalise
from memory_pipeline.inference.builtin.extraction.entities import entities
from memory_pipeline.inference.builtin.facts.fact import Fact, Weight
from memory_pipeline.inference.builtin.facts.world import world_slot
from memory_pipeline.inference.replies import EvidenceDraft, ProposalDraft
from memory_pipeline.language.times import TimeExpression

_MIN_CONTENT = 8
_MAX_CONTENT = 400
_RECENTLY = timedelta(days=365)
_WORLD = Weight(0.5, 0.5, 0.8)
_TOLD_LATE = 180  # days
_YEAR = lazy(r"\b\d{4}\b|\byear|\bago\b", re.I)
_REPEATED = 0.02  # more confidence in what is said again
_SUREST = 0.99
_URGED = 0.1  # more salience and importance, where the writer asks to have it remembered
# Relations of the times that are told at the end of a content (see ``Fact.dated``).
_TOLD = {
    "all": frozenset({"on", "by", "since", "until"}),
    "span": frozenset({"since", "until"}),
    "none": frozenset[str](),
}
# Words that begin a sentence without a subject, though they do not look like verbs; and pasts that look like names.
_OPENING = frozenset({"cannot", "no", "used", "never", "did", "may", "should", "can"})
_PASTS = frozenset({"Went", "Ran", "Got", "Found", "Met", "Took", "Bought", "Sold", "Left"})


@dataclass(frozen=True, slots=True)
class Source:
    """A statement's place: its message, the words quoted, who wrote it, and when.

    Attributes:
        subject: "user", or the speaker's name where several people write.
        now: local time of the message, with its offset.
        certainty: 1.0, less where the writer hedges.
        urged: the writer asks to have it remembered.
    """

    message: str
    quote: str
    subject: str
    now: datetime
    zone: tzinfo
    certainty: float = 1.0
    urged: bool = False


def draft(fact: Fact, times: Sequence[TimeExpression], source: Source) -> ProposalDraft | None:
    """The proposal that a fact makes, or None for one that says too little or too much.

    Args:
        times: the time expressions of its clause; those that could not be resolved are left out.
    """
    times = [t for t in times if t.first]
    at = next((t for t in times if t.relation == "on"), None)
    fact = _of_the_world(fact)
    if "{when}" in fact.content and at is None or _outlived(fact, times, source):
        return None
    fact = _with_value(fact, at)
    content, subject = _content(fact, at, times), fact.subject or None
    if subject == "user" and source.subject != "user":
        subject, content = source.subject, _told_of(source.subject, content)
    if not _MIN_CONTENT <= len(content) <= _MAX_CONTENT:
        return None
    more = _URGED if source.urged else 0.0
    valid_from, valid_until, due_at = _spans(fact, times, source.now)
    return ProposalDraft(
        operation=fact.operation,
        type=fact.type,
        content=content,
        subject=subject,
        attribute=fact.attribute,
        value=fact.value,
        negated=fact.negated,
        entities=entities(content, fact.names),
        confidence=round(fact.weight.confidence * source.certainty, 2),
        salience=round(min(fact.weight.salience + more, 1.0), 2),
        importance=round(min(fact.weight.importance + more, 1.0), 2),
        surface=fact.surface,
        valid_from=valid_from,
        valid_until=valid_until,
        due_at=due_at,
        evidence=[EvidenceDraft(message=source.message, quote=source.quote)],
    )


def _with_value(fact: Fact, at: TimeExpression | None) -> Fact:
    """A fact whose value is a time, with that time."""
    if at is None or "{when}" not in fact.content and fact.attribute != "birthday":
        return fact
    return replace(fact, value=at.worded.removeprefix("on ").removeprefix("in "))


def _content(fact: Fact, at: TimeExpression | None, times: Sequence[TimeExpression]) -> str:
    if at is not None and "{when}" in fact.content:
        return fact.content.replace("{when}", at.worded)
    told: frozenset[str] = _TOLD[fact.dated]
    return _with_times(fact.content, [t for t in times if t.relation in told])


def _outlived(fact: Fact, times: Sequence[TimeExpression], source: Source) -> bool:
    """Whether a breakup lies so far back that it does not tell how things are now."""
    if (fact.attribute, fact.value) != ("relationship_status", "single"):
        return False
    at = next((t.first for t in times if t.first and t.relation == "on"), None)
    return at is not None and at[:10] < (source.now - _RECENTLY).date().isoformat()


def _is_past(time: TimeExpression, now: datetime) -> bool:
    """Whether a time of what was done says when it was done.

    Of a day without a year that was most of a year ago, the one to come is meant: "I booked the flight for April 10".
    """
    day = date.fromisoformat(time.first[:10]) if time.first else None
    if day is None or day > now.date():
        return False
    return (now.date() - day).days <= _TOLD_LATE or bool(_YEAR.search(time.text))


def _of_the_world(fact: Fact) -> Fact:
    """What is said of somebody or something by name fills a slot of theirs."""
    if fact.operation is not Operation.ADD or fact.attribute not in {None, "be", "play", "speak", "work"}:
        return fact
    slot = world_slot(fact.content)
    if slot is None:
        return fact
    return replace(
        fact,
        type=MemoryType.PROFILE_FACT,
        subject=slot.subject or "",
        attribute=slot.attribute,
        value=slot.value,
        when="",
        weight=_WORLD,
    )


def _with_times(content: str, times: Sequence[TimeExpression]) -> str:
    """A content with its times at the end, those that it does not tell already."""
    worded = [re.sub(r"^to ", "on ", t.worded) for t in times]
    said = [w for w in worded if w and w.lower() not in content.lower()]
    if not said:
        return content
    return f"{content.rstrip('.')} {' '.join(dict.fromkeys(said))}."


def _spans(fact: Fact, times: Sequence[TimeExpression], now: datetime) -> tuple[str | None, str | None, str | None]:
    """From when, until when, and due when, ISO 8601."""
    when = fact.when
    if fact.operation is Operation.CLOSE_OPEN_LOOP:
        times, when = [t for t in times if _is_past(t, now)], "happened"
    since = next((t for t in times if t.relation == "since"), None)
    until = next((t for t in times if t.relation == "until"), None)
    at = next((t for t in times if t.relation in {"on", "by"}), None)
    if when == "due":
        due = at or until
        return None, None, due.last if due else None
    if when == "happened":
        first = at or since
        return (first.first if first else None), None, None
    if when == "valid":
        lasting = at if at is not None and at.text.lower().startswith(("this ", "for ")) else None
        moved = at if fact.operation is Operation.UPDATE else None
        start, end = since or lasting or moved, until or lasting
        return (start.first if start else None), (end.last if end else None), None
    return None, None, None


def _told_of(subject: str, content: str) -> str:
    """A subjectless sentence with its subject: ("Anna", "Lives in Oslo.") → "Anna lives in Oslo."."""
    if content.startswith("Their "):
        return f"{subject}'s {content[6:]}"
    first = content.split(" ", 1)[0]
    low = first.lower()
    subjectless = low.endswith(("s", "ed")) or low in _OPENING or first in _PASTS or not first[:1].isupper()
    return f"{subject} {content[:1].lower()}{content[1:]}" if subjectless else content


def joined(drafts: Iterable[ProposalDraft]) -> list[ProposalDraft]:
    """The drafts of a window with repetitions joined: the first one's words, everyone's evidence."""
    kept: dict[tuple[object, ...], ProposalDraft] = {}
    for one in drafts:
        key = _key(one)
        seen = kept.get(key)
        kept[key] = _join(seen, one) if seen else one
    return list(kept.values())


def _key(one: ProposalDraft) -> tuple[object, ...]:
    """What repetitions have in common: a slot and its value, or else the words."""
    kind = Operation.ADD if one.operation is Operation.UPDATE else one.operation
    if one.attribute and one.value and one.type is not MemoryType.EPISODIC_EVENT:
        return (kind, one.subject, one.attribute, normalise(one.value), one.negated, one.due_at)
    return (kind, one.subject, one.type, normalise(one.content))


def _join(seen: ProposalDraft, one: ProposalDraft) -> ProposalDraft:
    more = [e for e in one.evidence if e not in seen.evidence]
    return replace(
        seen,
        confidence=round(min(max(seen.confidence, one.confidence) + (_REPEATED if more else 0.0), _SUREST), 2),
        entities=list(dict.fromkeys([*seen.entities, *one.entities])),
        valid_from=seen.valid_from or one.valid_from,
        valid_until=seen.valid_until or one.valid_until,
        due_at=seen.due_at or one.due_at,
        evidence=[*seen.evidence, *more],
    )
