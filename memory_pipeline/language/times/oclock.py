"""Times of day beside a day or alone, and two times that are the ends of one span."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import time, timedelta
from re import Match

from memory_pipeline.domain.patterns import lazy
from memory_pipeline.language.times.clock import PARTS, clock_of
from memory_pipeline.language.times.reading import Reading, Rule, Setting, bare
from memory_pipeline.language.times.words import EVENING, NUMBERED, NUMBERS, any_of

_LEADS = frozenset(
    {"at", "@", "by", "before", "until", "till", "til", "around", "about", "from", "after", "since", "for"}
)
_HALF = r"(?:half\s+past|half|(?:a\s+)?quarter\s+(?:past|to))"
_CLOCK = (
    r"\d{1,2}(?:[:.]\d\d)?\s*(?:a\.m\.?|p\.m\.?|am\b|pm\b)|\d{1,2}:\d\d(?!:?\d)|\d{1,2}\s+o['’]clock|noon|midnight|midday"
    rf"|{_HALF}\s+(?:\d{{1,2}}|{any_of(n for n, v in NUMBERS.items() if 1 <= v <= 12 and len(n) > 2)})"
)
_GAP = lazy(r"\s*,?\s*(?:the\s+)?")
# "A Pixel 9 on Friday", "chapter 2 by Monday" are no hours.
_NUMBERED = lazy(rf"(?<=\w )(?!(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day)[A-Z][A-Za-z]+ $|\b{NUMBERED} $")
_TO = lazy(r"\s*(?:-|–|to|until|till|til|up\s+to|through|thru)\s*(?:the\s+)?", re.I)
_AND = lazy(r"\s+and\s+(?:the\s+)?", re.I)


@dataclass(frozen=True, slots=True)
class ClockMatch:
    """A reading at its place in a text.

    Attributes:
        start: of the preposition; ``core`` is the start of the words after it.
    """

    start: int
    core: int
    end: int
    preposition: str
    reading: Reading


def _alone(hit: Match[str], setting: Setting) -> Reading | None:
    said, bare = hit["clock"] or hit["bare"], hit["clock"] is None
    if bare and _NUMBERED.search(setting.text[max(0, hit.start() - 40) : hit.start()]):
        return None
    moment = _moment(said + (hit["of"] or ""), "", _near(setting.text, hit.start()))
    if moment is None:
        return None
    lead = setting.preposition
    weak = lead not in _LEADS and not re.search(r"[ap]\.?m", said, re.I)
    if bare:
        weak = lead not in {"at", "@"} or not setting.free or setting.direction == "past"
    gone = setting.direction == "future" and moment < setting.now.time().replace(tzinfo=None)
    day = setting.today + timedelta(days=gone)
    grain = "minute" if re.search(r"[:.]\d\d|half|quarter", said) else "hour"
    shape = "day" if setting.direction == "future" else "clock"
    if grain == "minute":
        return Reading(day, day, "minute", shape, cycle="day", moment=moment, weak=weak)
    return Reading(day, day, "hour", shape, cycle="day", moment=moment, weak=weak)


RULES = (
    Rule(
        lazy(
            rf"(?<![\w.,:/$€£'’-])(?:(?P<clock>{_CLOCK})|(?P<bare>1[0-2]|[1-9])(?![\w%$€£]|[.,:/]\d|-\w))"
            r"(?P<of>\s+(?:sharp|in\s+the\s+(?:morning|afternoon|evening)))?(?![\w])",
            re.I,
        ),
        _alone,
    ),
)


def _near(text: str, place: int) -> str:
    """What is said around a place: a dinner further off has another hour."""
    return text[max(0, place - 120) : place + 120]


def _moment(said: str, part: str, text: str) -> time | None:
    said = re.sub(r"^a\s+", "", " ".join(said.lower().replace("’", "'").split()))
    said = re.sub(r"^half (?!past)", "half past ", re.sub(r"^(\d{1,2})\.(\d\d)", r"\1:\2", said))
    return clock_of(said, PARTS.get(part), evening=EVENING.search(text) is not None)


def _is_clock(found: ClockMatch) -> bool:
    return found.reading.cycle == "day"


def _takes_clock(reading: Reading) -> bool:
    named = reading.shape == "day" and reading.first == reading.last and not reading.prefix
    return named and (reading.moment is None or bool(reading.part)) and reading.grain in {"day", "part"}


def with_clocks(text: str, found: list[ClockMatch]) -> list[ClockMatch]:
    """Times of day put to the day beside them ("at 5 on Friday")."""
    merged: list[ClockMatch] = []
    for now in found:
        before = merged[-1] if merged else None
        beside = before and _GAP.fullmatch(text, before.end, now.start)
        if before and beside and _is_clock(now) != _is_clock(before):
            day, clock = (before, now) if _is_clock(now) else (now, before)
            if day.reading.relation == "every" and " at " not in day.reading.name and clock.reading.moment:
                name = f"{day.reading.name} at {clock.reading.moment:%H:%M}"
                merged[-1] = replace(_together(text, day, clock), reading=replace(day.reading, name=name))
                continue
            if _takes_clock(day.reading):
                merged[-1] = _together(text, day, clock)
                continue
        merged.append(now)
    return merged


def _together(text: str, day: ClockMatch, clock: ClockMatch) -> ClockMatch:
    moment = _moment(text[clock.core : clock.end], day.reading.part, _near(text, clock.core))
    reading = replace(day.reading, moment=moment, grain=clock.reading.grain, part="", needs_place=False)
    said = clock.preposition if clock.preposition not in {"at", "@", "", "for", "around", "about"} else day.preposition
    return ClockMatch(min(day.start, clock.start), min(day.core, clock.core), max(day.end, clock.end), said, reading)


def joined(text: str, found: list[ClockMatch]) -> list[ClockMatch]:
    """Two times that "to" or "and" connects as the one span that they limit: "from March to May 2027"."""
    spans: list[ClockMatch] = []
    for now in found:
        before = spans[-1] if spans else None
        if before and _limits(text, before, now):
            spans[-1] = _span(before, now)
        else:
            spans.append(now)
    return spans


def _limits(text: str, one: ClockMatch, two: ClockMatch) -> bool:
    if one.reading.relation or two.reading.relation or one.preposition not in {"from", "between", "", "starting", "on"}:
        return False
    if (one.reading.shape == "clock") != (two.reading.shape == "clock"):
        return False
    gap = _AND if one.preposition == "between" else _TO
    return gap.fullmatch(text, one.end, two.core) is not None


def _span(one: ClockMatch, two: ClockMatch) -> ClockMatch:
    first, last = one.reading, two.reading
    if first.moment and last.moment and last.cycle == "day" and first.cycle != "day":
        return replace(one, end=two.end, reading=_until(first, last.moment))
    if last.cycle:
        for _ in range(2):
            last = last.turned(1) if last.last < first.first else last
    elif first.cycle:
        for _ in range(200):
            first = first.turned(-1) if first.first > last.last else first
    preposition = "between" if one.preposition == "between" else "from"
    return replace(one, end=two.end, preposition=preposition, reading=_both(first, last, preposition))


def _until(reading: Reading, moment: time) -> Reading:
    """The reading's hours up to that time of day, of the next day where it is the earlier one."""
    over = reading.moment is not None and moment < reading.moment
    return replace(reading, last=reading.first + timedelta(days=over), until=moment)


def _both(first: Reading, last: Reading, preposition: str) -> Reading:
    if first.moment and last.moment and first.cycle == last.cycle == "day":
        return replace(_until(first, last.moment), relation="on")
    link = "and" if preposition == "between" else "to"
    name = f"{bare(first)} {link} {bare(last)}"
    if first.moment or last.moment:
        return replace(first, name=name, lead=preposition, relation="on", moment=None, part="")
    return replace(first, last=max(first.first, last.last), name=name, lead=preposition, relation="on", prefix="")
