"""The time that a question speaks of: "last month", "since March", "before I moved to Lisbon".

A question that asks for a time ("When did I move?") speaks of none. Phrases are matched first and read by the calendar
of the user, so that a word which only looks like a date ("May I …", "march on", "second thoughts") is none. English.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta

from memory_pipeline.domain.calendar import day_end, day_start, local_day, zone
from memory_pipeline.domain.patterns import lazy
from memory_pipeline.domain.reading.wording import asks_for_time
from memory_pipeline.language.times.days import Direction, shift
from memory_pipeline.language.times.phrases import Phrase, find
from memory_pipeline.language.times.resolve import When, resolve

QUESTION_CHARACTERS = 300  # what is longer tells a story, and its dates are the story's
_AHEAD = lazy(
    r"\b(?:will|going to|gonna|upcoming|coming up|planned|plans?|shall|(?:do|does) (?:i|we|he|she|they) have"
    r"|(?:am|are|is) (?:i|we|he|she|they) \w+ing)\b",
    re.IGNORECASE,
)
_AFTER = lazy(r"\bafter\s+(?:the\s+)?$", re.IGNORECASE)
_BEFORE = lazy(r"\bbefore\s+(?:the\s+)?$", re.IGNORECASE)
_JOINED = lazy(r"\s*,?\s*(?:and|or|to|until|till|through|-|–)\s+(?:(?:in|on|the)\s+)*", re.IGNORECASE)
_ROLLING = lazy(r"\b(?:in|over|during|within|for)\s+the\s+$", re.IGNORECASE)
_SPAN = lazy(
    r"\bthe\s+(?:last|past)\s+(?P<n>\d{1,3}|couple of|couple|few|two|three|four|five|six|seven|eight|nine|ten|twelve)"
    r"\s+(?P<unit>day|week|month|year)s\b",
    re.IGNORECASE,
)
_COUNTS = {
    "couple": 2, "couple of": 2, "few": 3, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7,
    "eight": 8, "nine": 9, "ten": 10, "twelve": 12,
}  # fmt: skip
# What happened before, after or since something: a clause with somebody in it, or with something done to something.
_EVENT = lazy(
    r"(?<!days )(?<!weeks )(?<!months )(?<!years )(?<!day )(?<!week )(?<!month )(?<!year )"
    r"\b(?P<relation>before|after|since|until)\s+(?P<clause>"
    r"(?:(?:(?i:i|we|you|he|she|they|it|my|our|your|his|her|their|the)|[A-Z]\w+)\b|\w+ing\s+\w)[^,;.!?]{3,120})"
)
_BETWEEN = lazy(r"\bbetween\b", re.IGNORECASE)
_YEAR = lazy(r"\bthe year (?=(?:19|20)\d\d\b)", re.IGNORECASE)
_NUMERIC = lazy(r"\b(?P<one>\d{1,2})(?P<mark>[/.])(?P<two>\d{1,2})[/.](?P<year>(?:19|20)\d\d)\b")
_SAID = ("iso", "month_year", "day_year", "bare_month_year", "bare_year", "edge_year")  # a year
_WEEKEND = lazy(r"\bweekend\s+of\s+(?:the\s+)?$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Window:
    """A span of time, in seconds since 1970: from ``start``, up to but without ``end``; either may be infinite."""

    start: float
    end: float


@dataclass(frozen=True, slots=True)
class Event:
    """Something that a question measures time by.

    Attributes:
        relation: ``before`` or ``after``.
        clause: what it says of it, in its own words.
    """

    relation: str
    clause: str

    def window(self, moment: float, now: float) -> Window:
        """The time before or after it, if it was at that moment."""
        return Window(-math.inf, moment) if self.relation == "before" else Window(moment, max(now, moment))


def asked(question: str, at: datetime, timezone: str) -> Window | Event | None:
    """The time that a question speaks of: by the calendar, or by something that happened; None for any time.

    Args:
        at: when it is asked, UTC.
        timezone: of the user; what "yesterday" is follows from it.
    """
    text = " ".join(question.split()).rstrip("?!. ")
    if len(text) > QUESTION_CHARACTERS:
        return None
    try:
        return _rolling(text, at, timezone) or _named(text, at, timezone) or _event(text)
    except (ValueError, OverflowError):  # a day outside the calendar
        return None


def _rolling(text: str, at: datetime, timezone: str) -> Window | None:
    """ "the last three weeks": so far back from today."""
    hit = _SPAN.search(text)
    if hit is None:
        return None
    said = hit["n"].lower()
    return _back(_COUNTS.get(said) or int(said), hit["unit"].lower(), at, timezone)


def _back(count: int, unit: str, at: datetime, timezone: str) -> Window:
    today = local_day(at, timezone)
    if unit in {"day", "week"}:
        first = today - timedelta(days=count * (7 if unit == "week" else 1))
    else:
        first = shift(today, -count * (12 if unit == "year" else 1))
    return _days(first, today, timezone)


def _named(text: str, at: datetime, timezone: str) -> Window | None:
    direction: Direction = "future" if _AHEAD.search(text) else "past"
    text = _NUMERIC.sub(_iso, _YEAR.sub("", _BETWEEN.sub("from", text)))
    # Of two, the one that leaves nothing open: "last Friday on 23 January 2022".
    for phrase in sorted(find(text), key=lambda p: not any(p.hit.group(name) for name in _SAID)):
        lone = _stands_alone(text, phrase)
        unit = (phrase.hit.group("what") or "").lower()
        if unit in {"week", "month", "year"} and _goes_back(text, phrase):
            return _back(1, unit, at, timezone)
        # A relation would turn it to the future, where deadlines are.
        when = resolve(replace(phrase, relation="on"), at, zone(timezone), direction) if lone else None
        if when is not None:
            return _related(text, phrase, when, at, timezone, direction)
    return None


def _iso(hit: re.Match[str]) -> str:
    """5/3/2023 as 2023-05-03, and 3.5.2023 as well."""
    day, month = (hit["one"], hit["two"]) if hit["mark"] == "." else (hit["two"], hit["one"])
    return f"{hit['year']}-{int(month):02d}-{int(day):02d}"


def _stands_alone(text: str, phrase: Phrase) -> bool:
    """Whether the phrase says when, and is no part of a name: "the March 15th issue" is no day."""
    group = phrase.hit.group
    if group("clock") or group("short_edge"):
        return False
    if group("preposition") or not (group("month") or group("day") or group("only_month") or group("ordinal")):
        return True
    rest = text[phrase.end :].lstrip()
    return not rest or rest[0] in ",;:" or phrase.start == 0


def _goes_back(text: str, phrase: Phrase) -> bool:
    """Whether "the last month" means the month up to now; "last month" is the calendar's."""
    which = (phrase.hit.group("which") or "").lower()
    said = text[: phrase.hit.start("which")]
    return which in {"last", "past"} and _ROLLING.search(said) is not None and not _of(text, phrase)


def _of(text: str, phrase: Phrase) -> bool:
    return text[phrase.end :].lower().startswith(" of ")


def _related(text: str, phrase: Phrase, when: When, at: datetime, timezone: str, direction: Direction) -> Window:
    start, end = when.start, when.end
    if phrase.hit.group("ago_unit") and phrase.hit.group("ago_unit").lower().startswith("week"):
        middle = start if start == end else start + timedelta(days=local_day(at, timezone).weekday())
        start, end = middle - timedelta(days=3), middle + timedelta(days=3)
    before = text[: phrase.hit.start("month") if phrase.hit.group("month") else phrase.start]
    if _WEEKEND.search(before):
        start += timedelta(days=5 - start.weekday())
        end = start + timedelta(days=1)
    until = _joined(text, phrase, at, timezone, direction)
    window = _days(start, max(end, until) if until else end, timezone)
    if _BEFORE.search(before) or phrase.text.lower().startswith("before"):
        return Window(-math.inf, window.start)
    if phrase.relation == "by":
        return Window(-math.inf, window.end)
    if phrase.relation == "until" and not until:
        return Window(-math.inf, window.end)
    if _AFTER.search(before):
        return Window(window.end, max(at.timestamp(), window.end))
    if phrase.relation == "since" and not until:
        return Window(window.start, max(at.timestamp(), window.start))
    return window


def _joined(text: str, phrase: Phrase, at: datetime, timezone: str, direction: Direction) -> date | None:
    """The last day of what follows: "in March and April", "between 3 May and 9 May", "from Monday to Friday"."""
    link = _JOINED.match(text, phrase.end)
    if link is None:
        return None
    rest = find("on " + text[link.end() :])
    if not rest or rest[0].start:
        return None
    other = resolve(replace(rest[0], relation="on"), at, zone(timezone), direction)
    return other.end if other else None


def _days(first: date, last: date, timezone: str) -> Window:
    return Window(day_start(first, timezone).timestamp(), day_end(last, timezone).timestamp())


def _event(text: str) -> Event | None:
    if asks_for_time(text):
        return None
    hit = _EVENT.search(text[:1].lower() + text[1:])
    if hit is None:
        return None
    relation = "before" if hit["relation"] in {"before", "until"} else "after"
    return Event(relation, hit["clause"].strip())
