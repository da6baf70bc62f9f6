"""Dates by the calendar: days of a month, months, years, seasons, quarters, decades, holidays."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date, time, timedelta
from re import Match

from memory_pipeline.domain.patterns import lazy
from memory_pipeline.language.times.days import day_of_month, month_named, nearest, season_near, shift, week_around
from memory_pipeline.language.times.holidays import holiday_in, holiday_near
from memory_pipeline.language.times.reading import Reading, Rule, Setting
from memory_pipeline.language.times.words import (
    DECADES,
    HOLIDAY,
    MONTH,
    MONTHS,
    SEASON,
    SEASONS,
    SUFFIX,
    TO,
    WEEKDAY,
    YEAR,
    any_of,
    counts_things,
    full_year,
    owns,
    plain,
)

# "may" and "march" are verbs, "mar", "dec" and "jan" are names: as a month alone they need one of these before them.
_MONTH_LEADS = frozenset(
    {
        "in",
        "since",
        "ever since",
        "by",
        "until",
        "till",
        "til",
        "before",
        "during",
        "back in",
        "as of",
        "after",
        "up to",
    }
    | {"due in", "starting in", "throughout", "prior to", "for", "of", "from", "around", "this", "through", "between"}
)
_WEAK_LEADS = frozenset({"for", "of", "from", "around", "this", "through", "to", "than"})
_YEAR_LEADS = _MONTH_LEADS | {"circa", "starting", "beginning", "up until", "as early as", "effective"}
_DATE_LEADS = frozenset({"on", "by", "since", "until", "till", "before", "from", "no later than", "after", "between"})
_ALWAYS = frozenset({"24/7", "7/24"})


def of_year(year: int) -> Reading:
    """A whole year."""
    return Reading(date(year, 1, 1), date(year, 12, 31), "year", "year")


def of_month(month: int, year: str | None, setting: Setting) -> Reading:
    """A month, of the year given or of the one nearest in the direction."""
    full = str(full_year(year)) if year else None
    first, last, _, _ = month_named(month, full, setting.today, setting.direction)
    return Reading(first, last, "month", "month", cycle="" if year else "year")


def of_season(name: str, year: str | None, setting: Setting, step: int = 0) -> Reading:
    """A season, of the year given or the one so many steps from now."""
    month = SEASONS[name]
    if year:
        first = date(full_year(year), month, 1)
        return Reading(first, shift(first, 3) - timedelta(days=1), "season", "season")
    first, last, _, _ = season_near(month, setting.today, step, setting.direction)
    return Reading(first, last, "season", "season", cycle="year")


def of_holiday(name: str, year: str | None, setting: Setting) -> Reading:
    """A holiday, told by its name."""
    day = holiday_in(name, full_year(year)) if year else holiday_near(name, setting.today, setting.direction)
    said = " ".join(word[:1].upper() + word[1:] for word in name.split()).replace(" Of ", " of ")
    lead = "on" if name.endswith(("day", "eve", "night", "july", "nye", "halloween")) else "at"
    return Reading(day, day, "day", "day", name=f"{said} {day.year}", lead=lead, cycle="" if year else "year",
                   needs_place=True)  # fmt: skip


def _iso(hit: Match[str], setting: Setting) -> Reading:
    day = date.fromisoformat(hit["day"].replace("/", "-"))
    if hit["clock"]:
        return Reading(day, day, "minute", "day", moment=time.fromisoformat(hit["clock"]))
    return Reading(day, day, "day", "day")


def _month_day(hit: Match[str], setting: Setting) -> Reading | None:
    month = MONTHS[hit["month"].lower()]
    if hit["month"].islower() and month in {3, 5} and counts_things(setting.text, hit.end("day")):
        return None  # "we march 10 miles"
    found = _days(month, int(hit["day"]), int(hit["last"] or hit["day"]), hit["year"], setting)
    return _week_of(found) if hit["week"] else found


def _day_month(hit: Match[str], setting: Setting) -> Reading | None:
    if hit["month"] == "may" and not (setting.preposition or setting.free or hit["year"]):
        return None  # "only 4 may attend"
    first, last = int(hit["first"] or hit["day"]), int(hit["day"])
    found = _days(MONTHS[hit["month"].lower()], first, last, hit["year"], setting)
    return _week_of(found) if hit["week"] else found


def _week_of(day: Reading) -> Reading:
    first, last, _, _ = week_around(day.first)
    return replace(day, first=first, last=last, grain="week", shape="week")


def _days(month: int, day: int, last: int, year: str | None, setting: Setting) -> Reading:
    first = date(full_year(year), month, day) if year else nearest(month, day, setting.today, setting.direction)
    return Reading(first, first.replace(day=last), "day", "day", cycle="" if year else "year") if last >= day else (
        Reading(first, first, "day", "day", cycle="" if year else "year")
    )  # fmt: skip


def _month(hit: Match[str], setting: Setting) -> Reading | None:
    said, lead = hit["month"], setting.preposition
    ends = False
    if not hit["year"]:
        if owns(setting.text, hit.end()):
            return None  # "to June's house"
        ends = lead not in _MONTH_LEADS and not (lead == "to" and said[0].isupper() and setting.free)
        if ends and (said.islower() or not setting.free):
            return None
        if said.islower() and said in {"may", "march", "mar", "dec", "jan"} and lead in _WEAK_LEADS:
            return None
        if lead in _WEAK_LEADS and not setting.free:
            return None
    elif said in {"may", "march"} and not lead:
        return None
    return replace(of_month(MONTHS[said.lower()], hit["year"], setting), weak=ends)


def _year(hit: Match[str], setting: Setting) -> Reading | None:
    before = setting.text[max(0, hit.start() - 20) : hit.start()].rstrip().lower()
    told = bool(hit["the"]) or (setting.free and before.endswith((" is", " was", "it's", " since", " circa")))
    ends = not told and setting.preposition not in _YEAR_LEADS
    if ends and not setting.free:
        return None
    if counts_things(setting.text, hit.end()) or (setting.preposition in _WEAK_LEADS and not setting.free):
        return None
    return replace(of_year(full_year(hit["year"])), weak=ends)


def _years(hit: Match[str], setting: Setting) -> Reading | None:
    """ "from 2010-2014"."""
    one, two = int(hit["one"]), int(hit["two"])
    if setting.preposition not in _YEAR_LEADS or two <= one:
        return None
    first, last = date(one, 1, 1), date(two, 12, 31)
    return Reading(first, last, "year", name=f"{one} to {two}", lead="from", relation="on")


def _season(hit: Match[str], setting: Setting) -> Reading | None:
    name, year = hit["season"].lower(), hit["year"]
    if not year:
        leads = {"over", "during", "in", "by", "before", "until", "throughout", "since", "for", "after", "till"}
        if setting.preposition not in leads or not hit["the"] or not setting.free:
            return None
    reading = of_season(name, year, setting)
    return Reading(reading.first, reading.last, "season", "season", cycle=reading.cycle)


def _quarter(hit: Match[str], setting: Setting) -> Reading | None:
    if not hit["year"] and not (setting.preposition or setting.free):
        return None
    quarter = int(hit["quarter"])
    first = of_month(3 * quarter - 2, hit["year"], setting).first
    now = date(setting.today.year, 3 * quarter - 2, 1)
    if not hit["year"] and now <= setting.today < shift(now, 3):
        first = now  # the present one counts both ways
    return Reading(
        first, shift(first, 3) - timedelta(days=1), "quarter", "quarter", cycle="" if hit["year"] else "year"
    )


def _decade(hit: Match[str], setting: Setting) -> Reading:
    tens = DECADES[hit["word"].lower()] if hit["word"] else 10 * int(hit["tens"])
    century = int(hit["century"]) if hit["century"] else 20 if tens == 20 else 19
    first = 100 * century + tens
    prefix = f"the {hit['edge'].lower()} " if hit["edge"] else ""
    whole = Reading(date(first, 1, 1), date(first + 9, 12, 31), "decade", "decade")
    if not prefix:
        return whole
    start = {"early": 0, "mid": 3, "late": 7}[hit["edge"].lower()]
    return Reading(
        date(first + start, 1, 1), date(first + start + (3 if start == 3 else 2), 12, 31), "decade",
        name=f"{prefix}{first}s", lead="in",
    )  # fmt: skip


def _holiday(hit: Match[str], setting: Setting) -> Reading | None:
    return of_holiday(plain(hit["holiday"]), hit["year"], setting) if setting.free else None


def _ordinal(hit: Match[str], setting: Setting) -> Reading | None:
    day = int(hit["day"])
    if not hit["of"] and not (setting.free and (setting.preposition or day > 3)):
        return None
    of = plain(hit["of"] or "")
    if of in {"next month", "last month"}:
        first = shift(setting.today.replace(day=1), 1 if of.startswith("next") else -1)
        found = first.replace(day=day)
        return Reading(found, found, "day", "day")
    if of:
        found = setting.today.replace(day=day)
        return Reading(found, found, "day", "day", cycle="month")
    found = day_of_month(day, setting.today, setting.direction)
    return Reading(found, found, "day", "day", cycle="month")


def _numeric(hit: Match[str], setting: Setting) -> Reading | None:
    one, two, mark = int(hit["one"]), int(hit["two"]), hit["mark"]
    if not hit["year"] and (setting.preposition not in _DATE_LEADS or not setting.free or hit[0] in _ALWAYS):
        return None
    if hit["year"] and len(hit["year"]) == 2 and (mark != "/" and setting.preposition != "on"):
        return None  # a version number
    if mark != "." and one <= 12 and two <= 12 and one != two:
        return None  # 4 December or 12 April: better left as it stands
    day, month = (one, two) if mark == "." or one > 12 else (two, one)
    if not hit["year"]:
        return _days(month, day, day, None, setting)
    year = int(hit["year"]) + (0 if len(hit["year"]) == 4 else 2000)
    if year > setting.today.year + 20 and len(hit["year"]) == 2:
        year -= 100
    return _days(month, day, day, str(year), setting)


def _rule(pattern: str) -> re.Pattern[str]:
    return lazy(rf"(?<![\w.,:/$€£'’-])(?:{pattern})(?![\w])(?!['’]\w\w|-\w)", re.I)


_DAY = rf"(?P<week>the\s+week\s+of\s+)?(?:{WEEKDAY}\.?,?\s+)?(?:the\s+)?"
_OF_YEAR = rf"(?:,?\s+(?:of\s+)?(?P<year>{YEAR}))?"

_NAMED_BY = r"(?!(?:of|this|next|last|and|or|to|at|with|by|if|when|is|was|for|in|we|i|it|because|so|but|as)\b)[a-z]{3,}"

RULES = (
    Rule(_rule(r"(?P<day>\d{4}(?P<mark>[-/])\d{2}(?P=mark)\d{2})(?:[T ](?P<clock>\d{2}:\d{2})(?::\d{2})?)?"), _iso),
    Rule(
        _rule(
            rf"{_DAY}(?P<month>{MONTH})\.?\s+(?:the\s+)?(?P<day>\d{{1,2}}){SUFFIX}?(?!\d|[:.%]\d|:|\s*[ap]\.?m\b)"
            rf"(?:\s*{TO}\s*(?P<last>\d{{1,2}}){SUFFIX}?(?![\d:]|\s*[ap]m|\s+{MONTH}))?{_OF_YEAR}"
        ),
        _month_day,
    ),
    Rule(
        _rule(
            rf"{_DAY}(?:(?P<first>\d{{1,2}}){SUFFIX}?\s*{TO}\s*(?:the\s+)?)?(?P<day>\d{{1,2}}){SUFFIX}?(?:\s+of)?[\s-]+"
            rf"(?P<month>{MONTH})\b\.?(?:(?:,?\s+(?:of\s+)?|-)(?P<year>{YEAR}))?"
        ),
        _day_month,
    ),
    Rule(_rule(rf"(?P<month>{MONTH})\.?{_OF_YEAR}"), _month),
    Rule(_rule(rf"(?P<the>the\s+year\s+(?:of\s+)?)?(?P<year>{YEAR})"), _year),
    Rule(_rule(r"(?P<one>(?:19|20)\d\d)\s?[-–]\s?(?P<two>(?:19|20)\d\d)"), _years),
    Rule(_rule(rf"(?P<the>the\s+)?(?P<season>{SEASON}){_OF_YEAR}"), _season),
    # "the Q3 roadmap" is no time.
    Rule(_rule(rf"Q(?P<quarter>[1-4])(?!\s+{_NAMED_BY})(?:{_OF_YEAR})"), _quarter),
    Rule(
        _rule(
            rf"the\s+(?:(?P<edge>early|mid|late)[\s-]+)?['’]?"
            rf"(?:(?P<century>19|20)?(?P<tens>[5-9]|(?<=19|20)\d)0['’]?s|(?P<word>{any_of(DECADES)}))"
        ),
        _decade,
    ),
    Rule(_rule(rf"(?P<holiday>{HOLIDAY}){_OF_YEAR}"), _holiday),
    Rule(
        _rule(rf"(?:{WEEKDAY}\.?,?\s+(?:the\s+)?|the\s+)(?P<day>\d{{1,2}}){SUFFIX}(?:\s+of\s+(?P<of>(?:this|the|next|last)\s+month))?"),
        _ordinal,
    ),
    Rule(_rule(r"(?P<one>\d{1,2})(?P<mark>[/.-])(?P<two>\d{1,2})(?:(?P=mark)(?P<year>\d{4}|\d{2}))?(?![/.-]\d|\d|%)"),
         _numeric),
)  # fmt: skip
