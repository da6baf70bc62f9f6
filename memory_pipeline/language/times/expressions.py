"""The times that a text speaks of, each with what it means and how to say it so that it stays true."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, tzinfo
from itertools import chain
from typing import Literal, cast

from memory_pipeline.domain.patterns import lazy
from memory_pipeline.language.times import dated, distances, oclock, recurring, relative
from memory_pipeline.language.times.days import Direction
from memory_pipeline.language.times.oclock import ClockMatch
from memory_pipeline.language.times.reading import Grain, Reading, Rule, Setting, bare, leading
from memory_pipeline.language.times.words import (
    DECADES,
    HOLIDAY,
    MONTHS,
    MOVED,
    PREPOSITIONS,
    REFUSED,
    SEASONS,
    UNITS,
    WEEKDAYS,
    YEARLY,
    any_of,
    ends_there,
    owns,
    plain,
)

Relation = Literal["on", "by", "since", "until", "for", "every"]


@dataclass(frozen=True, slots=True)
class TimeExpression:
    """A time that a text speaks of.

    Attributes:
        start, end: its place in characters, preposition included ("by Friday", "until the end of May").
        text: the words there.
        relation: ``on`` (also in, at, during), ``by`` (also before), ``since`` (also from, after), ``until``;
            ``for`` is a length of time and ``every`` a habit, and neither has a span.
        first, last: ISO 8601 of the span's beginning and end: local days, both included, or a moment with the zone's
            offset where a time or a part of the day was said. The span is the one named: "by Friday" is that Friday.
        grain: how precise the words are.
        worded: how a memory says it, absolute and no more precise than it was said: "on 14 March 2026", "in 1988".
            A time of day alone has its day where it lies ahead, and none otherwise ("at 09:00").
        open: whether the direction had to choose between the one gone and the one to come.
    """

    start: int
    end: int
    text: str
    relation: Relation
    first: str | None
    last: str | None
    grain: Grain
    worded: str
    open: bool


_RULES: tuple[Rule, ...] = tuple(chain(dated.RULES, relative.RULES, distances.RULES, recurring.RULES, oclock.RULES))
# Looked for first: most sentences have no word of time and cost one search.
_CUE = lazy(
    rf"\d|\b(?:{any_of(MONTHS)}|{any_of(WEEKDAYS)}s?|{any_of(SEASONS)}|{any_of(DECADES)}|{any_of(UNITS)}|{HOLIDAY}"
    r"|to(?:day|night|morrow)|yesterday|tmrw|tmr|morning|afternoon|evening|mornings|afternoons|evenings|noon|midnight"
    r"|midday|eod|eow|eom|eoy|weekdays?|business|ages|half|quarter|long\s+time)\b",
    re.I,
)
_PREPOSITION = lazy(
    rf"(?<![\w'’-])(?P<due>due\s+)?(?P<said>{any_of(p for p in PREPOSITIONS if not p.startswith('due'))})"
    r"(?:\s+(?:the|around|about|approximately|roughly|maybe|probably|sometime|like))*\s+$",
    re.I,
)
_OFFSET = lazy(rf"\b{any_of(UNITS)}\s+$", re.I)
_DUE = lazy(r"\bdue\s+$", re.I)
# Holds the place of a date that does not exist, so that no part of it is read as another.
_NO_SUCH_DAY = Reading(date.min, date.min, "none")
_LOOK_BACK = 40  # characters before a time in which its preposition stands
_OWNED = lazy(r"\b(?:every|each|most|my|our|his|their|your|an?|some|(?P<her>her))\s+$", re.I)


def times(text: str, now: datetime, zone: tzinfo, direction: Direction) -> list[TimeExpression]:
    """The times that a text speaks of, left to right, none overlapping another.

    Args:
        now: when it was written, with its offset.
        zone: of the writer; days are days there.
        direction: where to look when the words leave it open: "on Friday" of a plan is the next, of a story the last.
            What has to be done by a time lies ahead in either case.

    Days that do not exist ("February 30") and dates that two countries read differently (12/10) are left out, and so is
    a time that is said not to hold ("not the 12th"; the first of "moved from the 12th to the 13th").
    """
    if not _CUE.search(text):
        return []
    local_now = now.astimezone(zone)
    found = _longest(sorted(_candidates(text, local_now, direction), key=lambda f: (f.core, -f.end)))
    found = [f for f in found if f.reading is not _NO_SUCH_DAY]
    found = [f for f in oclock.with_clocks(text, found) if _stands(text, f) and not _refused(text, f)]
    found = [f for f in oclock.joined(text, found) if not f.reading.weak]
    return [_told(text, f, local_now, zone) for f in found]


def _candidates(text: str, now: datetime, direction: Direction) -> Iterator[ClockMatch]:
    for rule in _RULES:
        for hit in rule.pattern.finditer(text):
            start, said = _before(text, hit.start())
            looking: Direction = "future" if said in {"by", "no later than", "not later than"} else direction
            setting = Setting(text, now, looking, said, ends_there(text, hit.end()) or owns(text, hit.end()))
            try:
                reading = rule.read(hit, setting)
            except (ValueError, OverflowError):
                reading = _NO_SUCH_DAY
            if reading is None:
                continue
            if reading.relation in {"for", "every"}:
                start, said = hit.start(), ""
            yield ClockMatch(start, hit.start(), hit.end(), said, reading)


def _before(text: str, start: int) -> tuple[int, str]:
    """Where the preposition of a time begins, and which it is; "due Friday" has the relation and not the word."""
    hit = _PREPOSITION.search(text, max(0, start - _LOOK_BACK), start)
    if hit is None:
        return start, "due" if _DUE.search(text, max(0, start - _LOOK_BACK), start) else ""
    said = plain(hit["said"])
    return hit.start("said"), f"due {said}" if hit["due"] and said in {"on", "by"} else said


def _longest(found: list[ClockMatch]) -> list[ClockMatch]:
    """Of two that share characters the one that begins first, and of these the longest."""
    kept: list[ClockMatch] = []
    for now in found:
        if not kept or now.core >= kept[-1].end:
            kept.append(now if not kept or now.start >= kept[-1].end else replace(now, start=now.core))
    return kept


def _stands(text: str, found: ClockMatch) -> bool:
    """Whether it is said when, and not which: "a November 10 course" and "the March 15th issue" are no times."""
    if found.preposition == "at" and found.reading.shape == "day" and found.reading.lead is None:
        return found.reading.moment is not None  # "at 20 May Street"
    if found.reading.relation or found.preposition or owns(text, found.end):
        return True
    owned = _OWNED.search(text, max(0, found.start - _LOOK_BACK), found.start)
    free = bool(found.reading.moment) or ends_there(text, found.end)
    if owned and not (free and owned["her"]):  # "I'd call her tonight"
        return False
    if free:
        return True
    if found.reading.needs_place:
        return False
    return not (found.reading.cycle and text[found.core : found.core + 4].lower() == "the ")


def _refused(text: str, found: ClockMatch) -> bool:
    before = found.start if found.preposition in {"", "on", "in", "at"} else found.core
    if REFUSED.search(text, max(0, before - _LOOK_BACK), before):
        return True
    if found.preposition in {"before", "after"} and _OFFSET.search(text, max(0, found.start - _LOOK_BACK), found.start):
        return True  # "two days before Christmas"
    return (
        found.preposition == "from"
        and bool(MOVED.search(text, max(0, found.start - 2 * _LOOK_BACK), found.start))
        and " to " in text[found.end :][:5]
    )


def _told(text: str, found: ClockMatch, now: datetime, zone: tzinfo) -> TimeExpression:
    reading, end = found.reading, found.end
    kind, kept = PREPOSITIONS.get(found.preposition, ["on", ""])
    if found.preposition == "from" and reading.shape == "day" and reading.first != reading.last:
        kind, kept = "on", ""  # "from the 15th to the 22nd of June"
    relation = cast(Relation, reading.relation or kind)
    dated_at = not (reading.cycle == "year" and reading.shape in {"day", "month"} and YEARLY.search(text))
    said = bare(reading, dated=dated_at or bool(reading.prefix))
    if relation in {"for", "every"} and reading.relation:
        return TimeExpression(found.start, end, text[found.start : end], relation, None, None, "none", said, False)
    if owns(text, end) and reading.grain == "day":
        end, said = end + 2, f"the {said}"
        worded = f"{_lead(reading, kept, now.date())}{said}" if found.preposition else said
    else:
        worded = _lead(reading, kept, now.date()) + said
    first = _iso(reading.first, reading.moment, zone)
    last = _iso(reading.last, reading.until or reading.moment, zone)
    open_ = bool(reading.cycle)
    return TimeExpression(
        found.start, end, text[found.start : end], relation, first, last, reading.grain, worded, open_
    )


def _lead(reading: Reading, kept: str, today: date) -> str:
    if kept in {"", "due"} or reading.relation:
        return leading(reading)
    if kept == "due by":
        return "by "
    if kept == "from" and reading.first <= today:
        kept = "since"
    return kept + " "


def _iso(day: date, moment: time | None, zone: tzinfo) -> str:
    if moment is None:
        return day.isoformat()
    # A time that a clock change skips moves on by it.
    return datetime.combine(day, moment, zone).astimezone(UTC).astimezone(zone).isoformat()
