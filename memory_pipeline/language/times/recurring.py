"""What comes round: "every Tuesday", "on Mondays and Thursdays", "Monday to Friday", "every other week"."""

from __future__ import annotations

import re
from datetime import date
from re import Match

from memory_pipeline.domain.patterns import lazy
from memory_pipeline.language.times.clock import clock_time
from memory_pipeline.language.times.reading import Reading, Rule, Setting
from memory_pipeline.language.times.words import (
    HOLIDAY,
    HOLIDAYS,
    MONTH,
    MONTH_NAMES,
    MONTHS,
    NUMBERS,
    PART,
    SEASON,
    SUFFIX,
    UNIT,
    WEEKDAY,
    WEEKDAY_NAMES,
    WEEKDAYS,
    any_of,
    plain,
)

_SO_MANY = lazy(rf"(?:\d|\b(?:{any_of(NUMBERS)}|many|some|last|next|past|these|those|few))\s+$", re.I)
_WORD = lazy(rf"\b(?:(?P<weekday>{WEEKDAY})(?P<plural>s)?|(?P<month>{MONTH}))\b", re.I)
_AT = r"(?:\s+at\s+(?P<clock>\d{1,2}(?::\d\d)?\s*(?:[ap]\.?m\b\.?|o'clock)?|noon|midnight|half\s+past\s+\w+)(?![\w:]))?"
_DAYS = rf"{WEEKDAY}s?(?:(?:\s*,\s*(?:and\s+)?|\s*/\s*|\s+(?:and|or|&)\s+)(?:on\s+)?{WEEKDAY}s?)*"


def habit(said: str, clock: str | None, today: date) -> Reading:
    """Something without a day of its own, told in its words."""
    moment = clock_time(clock) if clock else None
    said += f" at {moment:%H:%M}" if moment else f" at {clock}" if clock else ""
    return Reading(today, today, "none", name=said, lead="", relation="every")


def _spelled(said: str) -> str:
    """Full names of weekdays and months, without the plural: "Tues and thursdays" → "Tuesday and Thursday"."""

    def full(hit: Match[str]) -> str:
        if hit["weekday"]:
            return WEEKDAY_NAMES[WEEKDAYS[hit["weekday"].lower()]]
        return MONTH_NAMES[MONTHS[hit["month"].lower()]]

    said = re.sub(r"\bon\s+", "", _WORD.sub(full, " ".join(said.split())), flags=re.I)
    return re.sub(r"\s*[/&]\s*", " and ", said)


def _every(hit: Match[str], setting: Setting) -> Reading | None:
    what, which = plain(hit["what"]), hit["which"].lower()
    if not setting.free and (what in HOLIDAYS or what in {"spring", "fall", "may", "march"}):
        return None  # "every Christmas card"
    if which == "most":
        return habit("most " + " ".join(hit["what"].split()), hit["clock"], setting.today)
    said = " ".join(word.capitalize() for word in what.split()) if what in HOLIDAYS else _spelled(hit["what"])
    return habit(f"every {said}", hit["clock"], setting.today)


def _plural(hit: Match[str], setting: Setting) -> Reading | None:
    if _SO_MANY.search(setting.text, max(0, hit.start() - 20), hit.start()):
        return None  # "three Fridays ago"
    if not re.search(r"s\s*$", hit["days"], re.I) or re.fullmatch(WEEKDAY, hit["days"], re.I):
        return None  # "Tues", and "Monday and Tuesday" of one week
    return habit("every " + _spelled(hit["days"]), hit["clock"], setting.today)


def _workdays(hit: Match[str], setting: Setting) -> Reading | None:
    if setting.direction == "future" and hit["lead"]:
        return None  # "I'm away from Monday to Friday"
    names = [WEEKDAY_NAMES[WEEKDAYS[hit[word].lower()]] for word in ("one", "two")]
    return habit(f"{names[0]} to {names[1]}", None, setting.today)


def _kind_of_day(hit: Match[str], setting: Setting) -> Reading:
    return habit(plain(hit["said"]), hit["clock"], setting.today)


def _of_month(hit: Match[str], setting: Setting) -> Reading:
    return habit(plain(hit["said"]), None, setting.today)


def _rule(pattern: str) -> re.Pattern[str]:
    return lazy(rf"(?<![\w'’-])(?:{pattern})(?![\w])(?!['’]\w\w|-\w)", re.I)


_COUNT = rf"(?:other|\d{{1,2}}{SUFFIX}|second|third|single|\d{{1,2}}|(?:couple|few)(?:\s+of)?|{any_of(NUMBERS)})"
RULES = (
    Rule(
        _rule(
            rf"(?:on\s+)?(?P<which>every|each|most)\s+(?P<what>(?:{_COUNT}\s+)?"
            rf"(?:{_DAYS}|weekdays?|{UNIT}|{SEASON}|{MONTH}|{HOLIDAY})(?:\s+{PART}s?)?|{PART}|{PART}s)"
            rf"(?!\s+of\b){_AT}"
        ),
        _every,
    ),
    Rule(_rule(rf"(?:on\s+)?(?P<days>{_DAYS}){_AT}"), _plural),
    Rule(_rule(rf"(?P<lead>from\s+)?(?P<one>{WEEKDAY})\s*(?:to|through|thru|-|–)\s*(?P<two>{WEEKDAY})"), _workdays),
    Rule(
        _rule(
            rf"(?P<said>(?:on|at)\s+(?:the\s+)?(?:weekdays|weekends)|in\s+the\s+(?:mornings|afternoons|evenings)"
            rf"|on\s+(?:weekday|weekend)\s+{PART}s?){_AT}"
        ),
        _kind_of_day,
    ),
    Rule(
        _rule(
            rf"(?P<said>(?:(?:on|by)\s+)?the\s+(?:\d{{1,2}}{SUFFIX}|first|second|third|fourth|last)(?:\s+(?:day|{WEEKDAY}))?"
            r"\s+of\s+(?:every|each)\s+(?:month|year|week|quarter))"
        ),
        _of_month,
    ),
)
