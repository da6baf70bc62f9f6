"""Times told by how far away they are, and lengths of time: "two weeks ago", "in 3 days' time", "for five years"."""

from __future__ import annotations

import re
from datetime import date, timedelta
from re import Match

from memory_pipeline.domain.patterns import lazy
from memory_pipeline.language.times.days import month_from, shift, week_around
from memory_pipeline.language.times.reading import Reading, Rule, Setting, day_said
from memory_pipeline.language.times.relative import unit_near
from memory_pipeline.language.times.words import MONTH_NAMES, NUMBERS, UNIT, UNITS, any_of, plain

_MONTHS = {"month": 1, "quarter": 3, "year": 12, "decade": 120}
_DAYS = {"day": 1, "week": 7, "weekend": 7, "fortnight": 14}
_VAGUE = lazy(r"\b(?:couple|few|several|some|about|around|roughly|nearly|almost|or (?:so|two|three)|over)\b", re.I)
_COUNT = (
    r"(?P<count>(?:(?:about|around|roughly|nearly|almost|over|some|another|just|more\s+than|at\s+least)\s+)?"
    rf"(?:half\s+an?|(?:an?\s+)?(?:couple|few)|\d{{1,3}}(?:\.5)?|{any_of(NUMBERS)})(?:\s+of)?"
    r"(?:\s+or\s+(?:so|two|three))?(?:\s+more|\s+and\s+a\s+half)?)"
)
_LENGTH = rf"{_COUNT}[\s-]+(?P<unit>{UNIT})(?P<half>\s+and\s+a\s+half)?(?:\s+or\s+so)?"


def _counted(hit: Match[str]) -> tuple[float, str, bool]:
    """How many, of which unit, and whether only roughly so many."""
    said, unit = plain(hit["count"] or "one"), UNITS[hit["unit"].lower()]
    number = re.search(r"\d+(?:\.5)?", said)
    words = [w for w in said.split() if w in NUMBERS]
    strong = [w for w in words if w not in {"a", "an"}]
    count = float(number[0]) if number else float(NUMBERS[(strong or words or ["one"])[0]])
    if said.startswith("half") or " half a" in said:
        count = 0.5
    elif "and a half" in said or hit["half"]:
        count += 0.5
    return count, unit, _VAGUE.search(said) is not None


def _around(day: date) -> Reading:
    first, last, _, _ = week_around(day)
    return Reading(first, last, "week", name=day_said(day), lead="around")


def _away(count: float, unit: str, vague: bool, sign: int, setting: Setting) -> Reading:
    """So far before or after now, no more precise than the unit that was said."""
    if unit in {"minute", "hour"}:
        at = setting.now + sign * timedelta(**{unit + "s": count})
        grain = "hour" if unit == "hour" and count == int(count) else "minute"
        moment = at.time().replace(second=0, microsecond=0)
        return Reading(at.date(), at.date(), "hour" if grain == "hour" else "minute", "day", moment=moment)
    if unit == "weekend":
        return unit_near("weekend", sign * int(count), setting)
    if unit in _DAYS:
        day = setting.today + sign * timedelta(days=round(count * _DAYS[unit]))
        if unit == "day":
            return Reading(day, day, "day", "day", lead="around" if vague else None)
        if sign < 0 and (unit == "week" and count > 1):
            return _around(day)
        return Reading(day, day, "week", "day", lead="around" if vague or sign < 0 or count > 1 else None)
    months = round(count * _MONTHS[unit])
    day = shift(setting.today, sign * months)
    if months < 24 or unit in {"month", "quarter"}:
        first, last, _, _ = month_from(day.replace(day=1))
        return Reading(first, last, "month", "month", lead="around" if vague or unit == "year" else None)
    whole = Reading(date(day.year, 1, 1), date(day.year, 12, 31), "year", "year", lead="around" if vague else None)
    return Reading(whole.first, whole.last, "year", "year", lead="around") if unit == "decade" else whole


def _ago(hit: Match[str], setting: Setting) -> Reading:
    return _away(*_counted(hit), -1, setting)


def _ahead(hit: Match[str], setting: Setting) -> Reading | None:
    if setting.direction == "past" and not hit["time"]:
        return Reading(setting.today, setting.today, "none", name=hit[0], relation="for")  # "done in two weeks"
    found = _away(*_counted(hit), 1, setting)
    if hit["within"]:
        return Reading(found.first, found.last, found.grain, found.shape, lead="by", relation="by",
                       moment=found.moment, name=found.name)  # fmt: skip
    return found


def _from_now(hit: Match[str], setting: Setting) -> Reading:
    return _away(*_counted(hit), 1, setting)


def _rolling(hit: Match[str], setting: Setting) -> Reading | None:
    """ "for the last 3 months", "over the past year", "in the last two weeks"."""
    count, unit, _ = _counted(hit)
    if unit in {"minute", "hour"}:
        return None
    start = _away(count, unit, False, -1, setting)
    today, lead = setting.today, plain(hit["lead"])
    first = today - timedelta(days=round(count * _DAYS[unit])) if unit in _DAYS else start.first
    if lead == "for":
        said = day_said(first) if unit in _DAYS else _month_or_year(first, start.grain)
        return Reading(first, today, start.grain, name=said, lead="since", relation="since")
    until = day_said(today) if unit in _DAYS else _month_or_year(today, start.grain)
    length = f"{hit['count']} {hit['unit']}" if hit["count"] else hit["unit"]
    return Reading(first, today, start.grain, name=f"the {length} to {until}", lead=lead)


def _month_or_year(day: date, grain: str) -> str:
    return str(day.year) if grain == "year" else f"{MONTH_NAMES[day.month]} {day.year}"


def _length(hit: Match[str], setting: Setting) -> Reading | None:
    """ "for five years", "for ages"; "for five years now" tells since when."""
    if hit["now"] and hit["unit"]:
        start = _away(*_counted(hit), -1, setting)
        return Reading(start.first, setting.today, start.grain, start.shape, name=start.name,
                       lead="since about" if start.lead else "since", relation="since")  # fmt: skip
    return Reading(setting.today, setting.today, "none", name=plain(hit[0]), lead="", relation="for")


def _rule(pattern: str) -> re.Pattern[str]:
    return lazy(rf"(?<![\w'’.,-])(?:{pattern})(?![\w])(?!-\w)", re.I)


RULES = (
    Rule(_rule(rf"{_LENGTH}\s+(?:ago|back|earlier)"), _ago),
    Rule(_rule(rf"{_LENGTH}\s+from\s+(?:now|today)"), _from_now),
    Rule(
        _rule(
            rf"(?:(?P<within>within(?:\s+the\s+next)?|in\s+the\s+(?:next|coming)|over\s+the\s+next)|in)\s+{_LENGTH}"
            r"(?P<time>['’]?(?:s['’])?\s+time)?(?!\s+(?:of|a|old)\b|['’])"
        ),
        _ahead,
    ),
    Rule(
        _rule(
            r"(?P<lead>for|over|during|in|within)\s+(?:about\s+)?(?:the\s+)?(?:last|past)\s+"
            rf"(?:{_COUNT}\s+)?(?P<unit>{UNIT})(?P<half>\s+and\s+a\s+half)?(?!\s+of\b)"
        ),
        _rolling,
    ),
    Rule(
        _rule(
            rf"for\s+(?:{_LENGTH}|(?:many\s+|some\s+)?(?:years|months|weeks|days|decades|ages|hours)|(?:a\s+)?long\s+time)"
            r"(?!\s+(?:of|old|ago|from\s+now)\b)(?P<now>\s+(?:now|already|so\s+far))?"
        ),
        _length,
    ),
)
