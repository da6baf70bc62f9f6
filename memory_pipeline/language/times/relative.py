"""Times told from the day they were said: weekdays, "tomorrow morning", "next month", "the end of the year"."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date, timedelta
from re import Match

from memory_pipeline.domain.patterns import lazy
from memory_pipeline.language.times.clock import PARTS, clock_time
from memory_pipeline.language.times.dated import of_holiday, of_month, of_season, of_year
from memory_pipeline.language.times.days import month_from, quarter_from, shift, week_around, weekday_near
from memory_pipeline.language.times.holidays import nth_weekday
from memory_pipeline.language.times.reading import Reading, Rule, Setting, bare
from memory_pipeline.language.times.words import (
    HOLIDAY,
    HOLIDAYS,
    MONTH,
    MONTHS,
    ORDINALS,
    PART,
    SEASON,
    SEASONS,
    WEEKDAY,
    WEEKDAYS,
    WHICH,
    YEAR,
    any_of,
    full_year,
    plain,
)

_NEAR = {"tomorrow": 1, "tmrw": 1, "tmr": 1, "yesterday": -1, "last night": -1}
_SHORT = frozenset(name for name in WEEKDAYS if len(name) < 6)
_WEEKEND_LEADS = frozenset({"over", "for", "at", "on", "during", "by", "before", "until", "till", "after", "since"})
_SHORT_LEADS = frozenset({"on", "by", "until", "till", "since", "before", "for", "from", "due"})
_HABITS = lazy(r"\b(?:every|each|most|my|our|his|their|your|an?|one|some)\s+$", re.I)
_AT_HOUR = lazy(r"\s+(?:at|@)\s*\d{1,2}(?::\d\d)?(?:\s*[ap]m)?\s*(?:$|[,.;!?])|\s+\d{1,2}(?::\d\d|\s*[ap]m)\b", re.I)
_SOMEBODY = lazy(r"\b(?:i|we|you|he|she|they|it|who|that|and|just|have|had|been)\s+$", re.I)
_SPANS = {"day": 1, "week": 7, "weekend": 7}


def one(day: date, part: str = "") -> Reading:
    """A day, or a part of it."""
    if not part:
        return Reading(day, day, "day", "day")
    return Reading(day, day, "part", "day", part=part, moment=PARTS[part])


def unit_near(unit: str, step: int, setting: Setting) -> Reading:
    """The present week, month … (step 0) or one so many before or after."""
    today = setting.today
    monday = today - timedelta(days=today.weekday())
    if unit == "day":
        return one(today + timedelta(days=step))
    if unit == "week":
        first, last, _, _ = week_around(monday + timedelta(days=7 * step))
        return Reading(first, last, "week", "week")
    if unit == "weekend":
        saturday = monday + timedelta(days=5 + 7 * step)
        return Reading(saturday, saturday + timedelta(days=1), "day", "weekend")
    if unit == "month":
        first, last, _, _ = month_from(shift(today.replace(day=1), step))
        return Reading(first, last, "month", "month")
    if unit == "quarter":
        first, last, _, _ = quarter_from(shift(date(today.year, 3 * ((today.month - 1) // 3) + 1, 1), 3 * step))
        return Reading(first, last, "quarter", "quarter")
    if unit == "decade":
        first = date(today.year // 10 * 10 + 10 * step, 1, 1)
        return Reading(first, date(first.year + 9, 12, 31), "decade", "decade")
    return of_year(today.year + step)


def of_weekday(name: str, setting: Setting, *, by: bool = False) -> Reading:
    """The weekday that is nearest in the direction."""
    day = weekday_near(WEEKDAYS[name], setting.today, setting.direction, by)
    return Reading(day, day, "day", "day", cycle="week")


def _step(which: str) -> int:
    if which in {"last", "past", "this past"}:
        return -1
    return 0 if which.startswith("this") else 1


def named(which: str, what: str, part: str, setting: Setting) -> Reading | None:
    """ "next Friday", "last month", "this summer"."""
    step, today = _step(which), setting.today
    looking = replace(setting, direction="past" if step < 0 else "future" if step > 0 else setting.direction)
    if what in WEEKDAYS:
        day = today - timedelta(days=today.weekday()) + timedelta(days=WEEKDAYS[what] + 7 * step)
        coming = "coming" in which or (step == 0 and day < today and setting.direction == "future")
        if step < 0 or coming:
            day = weekday_near(WEEKDAYS[what], today, "past" if step < 0 else "future", False)
        return one(day, part)
    if what in MONTHS:
        if what == "may" and which.startswith("this"):
            return None  # "this may be"
        found = of_month(MONTHS[what], None, looking)
        now = found.first <= today <= found.last
        return replace(found if not (step and now) else found.turned(step), cycle="")
    if what in SEASONS:
        return replace(of_season(what, None, looking, step), cycle="")
    if what in HOLIDAYS:
        if not setting.free:
            return None
        return replace(of_holiday(what, None, looking), cycle="", needs_place=False)
    return unit_near(what, step, setting)


def _which(hit: Match[str], setting: Setting) -> Reading | None:
    which, what, part = plain(hit["which"]).removeprefix("the "), plain(hit["what"]), (hit["part"] or "").lower()
    if what == "may" and not setting.free or (what in {"fall", "spring"} and not setting.free):
        return None
    return named(which, what, part, setting)


def _near(hit: Match[str], setting: Setting) -> Reading:
    word, part = plain(hit["word"]), (hit["part"] or "").lower()
    part = part or {"tonight": "evening", "last night": "night"}.get(word, "")
    found = one(setting.today + timedelta(days=_NEAR.get(word, 0)), part)
    return replace(found, moment=PARTS["night"]) if word == "tonight" else found


def _weekend(hit: Match[str], setting: Setting) -> Reading | None:
    """ "over the weekend": the nearest in the direction, the present one included."""
    if setting.preposition not in _WEEKEND_LEADS or not setting.free:
        return None
    back = setting.direction == "past" and setting.today.weekday() < 5
    return replace(unit_near("weekend", -1 if back else 0, setting), cycle="week")


def _this_part(hit: Match[str], setting: Setting) -> Reading:
    return one(setting.today, hit["part"].lower())


def _beyond(hit: Match[str], setting: Setting) -> Reading | None:
    """ "the day after tomorrow", "the week after next", "the month before last"."""
    step = 2 if hit["after"] else -2
    unit = plain(hit["unit"])
    if unit in WEEKDAYS:
        found = named("next" if step > 0 else "last", unit, "", setting)
        return replace(found, cycle="week").turned(1 if step > 0 else -1) if found else None
    if (unit == "day") != bool(hit["near"]) or plain(hit[0]).endswith("yesterday"):
        return None
    return replace(unit_near(unit, step, setting), cycle="")


def _week_on(hit: Match[str], setting: Setting) -> Reading:
    """ "a week on Friday", "two weeks from Monday", "Friday week"."""
    words = hit["n"] or "a"
    weeks = {"a": 1, "one": 1, "two": 2, "2": 2, "three": 3, "3": 3, "1": 1}[words.lower()]
    word = plain(hit["from"] or hit["day"])
    offset = {"today": 0, "tomorrow": 1, "yesterday": -1}.get(word)
    if offset is not None:
        return one(setting.today + timedelta(days=offset + 7 * weeks))
    day = weekday_near(WEEKDAYS[word], setting.today, "future", False)
    return one(day + timedelta(days=7 * weeks))


def _weekday(hit: Match[str], setting: Setting) -> Reading | None:
    name, part, lead = hit["day"].lower(), (hit["part"] or "").lower(), setting.preposition
    timed = _AT_HOUR.match(setting.text, hit.end()) and not _SOMEBODY.search(
        setting.text, max(0, hit.start() - 20), hit.start()
    )
    if name in _SHORT and not (part or timed or (setting.free and (lead in _SHORT_LEADS or hit["day"][0].isupper()))):
        return None
    if not lead and (
        not (part or timed or setting.free) or _HABITS.search(setting.text, max(0, hit.start() - 20), hit.start())
    ):
        return None
    if not (timed or setting.free) and lead not in {"on", "by", "since", "until", "till", "before", "this"}:
        return None
    found = of_weekday(name, setting, by=lead in {"by", "due", "due by", "no later than"})
    return replace(found, grain="part", part=part, moment=PARTS[part]) if part else found


def _edge(hit: Match[str], setting: Setting) -> Reading | None:
    """ "the end of next month", "mid-May", "early 2027", "end of day"."""
    edge = hit["edge"].lower()
    unit = (hit["unit"] or "").lower()
    if unit == "day" and setting.preposition not in {"", "by", "due by", "before", "until", "till"}:
        return None  # "at the end of the day, I want peace"
    if unit in {"day", "business"}:
        clock = clock_time("5pm" if unit == "business" else "6pm")
        prefix = "the end of " if unit == "day" else "close of business on "
        day = replace(one(setting.today), moment=clock, grain="part", prefix=prefix, lead="at")
        return day if edge in {"end", "close"} else None
    if hit["month"]:
        if hit["month"].islower() and hit["month"] in {"may", "march"} and not (setting.preposition and setting.free):
            return None
        span = of_month(MONTHS[hit["month"].lower()], hit["year"], setting)
    elif hit["quarter"]:
        year = setting.today.year + (setting.today.month > 3 * int(hit["quarter"]))
        start = date(full_year(hit["quarter_year"] or str(year)), 3 * int(hit["quarter"]) - 2, 1)
        span = Reading(*quarter_from(start)[:2], "quarter", "quarter", cycle="" if hit["quarter_year"] else "year")
    elif hit["season"]:
        which = plain(hit["which"] or "this")
        span = of_season(hit["season"].lower(), hit["season_year"], setting, _step(which))
    elif unit:
        span = unit_near(unit, _step(plain(hit["which"])) if hit["which"] else 0, setting)
    else:
        span = of_year(full_year(hit["only_year"]))
    return _part_of(span, edge)


def _part_of(span: Reading, edge: str) -> Reading:
    first, last, third = span.first, span.last, (span.last - span.first) / 3
    if edge in {"end", "close", "late"}:
        first = last - third if edge == "late" or span.grain != "week" else last
    elif edge in {"beginning", "start", "early"}:
        last = first + third
    else:
        first, last = first + third, last - third
    if span.grain == "week":
        edge = {"early": "beginning", "mid": "middle", "late": "end"}.get(edge, edge)
    prefix = f"{edge} " if edge in {"early", "late"} else "mid-" if edge == "mid" else f"the {edge} of "
    return replace(span, first=first, last=last, name=bare(span), prefix=prefix)


def _short_edge(hit: Match[str], setting: Setting) -> Reading:
    unit = {"eow": "week", "eom": "month", "eoy": "year", "eod": "day"}[hit["word"].lower()]
    if unit == "day":
        return replace(one(setting.today), moment=clock_time("6pm"), grain="part", prefix="the end of ")
    return _part_of(unit_near(unit, 0, setting), "end")


def _nth(hit: Match[str], setting: Setting) -> Reading | None:
    """ "the first Monday of May", "the last week of next month"."""
    word, what = hit["nth"].lower(), plain(hit["what"])
    nth = int(word[:-2]) if word[0].isdigit() else ORDINALS[word]
    if hit["month"]:
        span = of_month(MONTHS[hit["month"].lower()], hit["year"], setting)
    else:
        span = unit_near(hit["unit"].lower(), _step(plain(hit["which"])) if hit["which"] else 0, setting)
    if what in WEEKDAYS and span.grain != "month":
        return None
    if what in WEEKDAYS:
        found = one(nth_weekday(nth, WEEKDAYS[what], span.first.year, span.first.month))
        return found
    length = _SPANS[what]
    first = span.last - timedelta(days=length - 1) if nth < 0 else span.first + timedelta(days=length * (nth - 1))
    if what == "weekend":
        saturday = nth_weekday(nth, 5, span.first.year, span.first.month)
        return Reading(saturday, saturday + timedelta(days=1), "day", "weekend")
    if first > span.last:
        return None
    last = min(first + timedelta(days=length - 1), span.last)
    if what == "day":
        return one(first)
    return Reading(first, last, "week", name=f"the {word} week of {bare(span)}", lead="in", cycle=span.cycle)


def _rule(pattern: str) -> re.Pattern[str]:
    return lazy(rf"(?<![\w'’-])(?:{pattern})(?![\w])(?!['’]\w\w|-\w)", re.I)


_PART_AFTER = rf"(?:\s+(?P<part>{PART}))?"
_UNIT = r"(?:day|week|weekend|month|quarter|year|decade)"
_SPAN_OF = rf"(?:(?:the|this|(?P<which>next|last))\s+(?P<unit>{_UNIT})|(?P<month>{MONTH})\.?(?:,?\s+(?P<year>{YEAR}))?)"

RULES = (
    Rule(_rule(rf"(?P<word>today|tonight|tomorrow|tmrw|tmr|yesterday|last\s+night)(?:\s+(?P<part>{PART}))?"), _near),
    Rule(_rule(r"(?:early\s+|late\s+|later\s+|earlier\s+)?this\s+(?P<part>morning|afternoon|evening)"), _this_part),
    Rule(
        _rule(
            rf"(?:the\s+)?(?P<unit>{_UNIT}|{WEEKDAY})\s+(?:(?P<after>after\s+(?:(?P<near>tomorrow)|next))"
            rf"|before\s+(?:last|yesterday))"
        ),
        lambda hit, setting: (
            one(setting.today - timedelta(days=2))
            if plain(hit[0]).endswith("day before yesterday") and plain(hit["unit"]) == "day"
            else _beyond(hit, setting)
        ),
    ),
    Rule(
        _rule(
            rf"(?P<which>{WHICH})\s+(?P<what>{WEEKDAY}|{_UNIT}|{MONTH}|{SEASON}|{HOLIDAY}){_PART_AFTER}"
            rf"(?!\s+(?:of|after\s+next|before\s+last)\b)"
        ),
        _which,
    ),
    Rule(
        _rule(
            rf"(?P<n>an?|one|two|three|[123])\s+weeks?\s+(?:on\s+|from\s+)?(?P<from>{WEEKDAY}|today|tomorrow)"
            rf"|(?P<day>{WEEKDAY}|tomorrow|today)\s+week"
        ),
        _week_on,
    ),
    Rule(_rule(rf"(?:the\s+)?(?P<day>{WEEKDAY})\.?{_PART_AFTER}"), _weekday),
    Rule(
        _rule(
            rf"(?:the\s+)?(?:very\s+)?(?P<edge>end|beginning|start|middle|mid|early|late|close)(?:\s+of\s+|\s*-\s*|\s+)"
            rf"(?:(?:(?:the|this|(?P<which>next|last))\s+)?(?:(?P<unit>{_UNIT}|business)"
            rf"|(?P<season>{SEASON})(?:\s+(?:of\s+)?(?P<season_year>{YEAR}))?)"
            rf"|(?P<month>{MONTH})\.?(?:,?\s+(?P<year>{YEAR}))?|(?P<only_year>{YEAR})"
            rf"|Q(?P<quarter>[1-4])(?:\s+(?P<quarter_year>{YEAR}))?)"
        ),
        _edge,
    ),
    Rule(_rule(r"the\s+weekend"), _weekend),
    Rule(_rule(r"(?P<word>eod|eow|eom|eoy)"), _short_edge),
    Rule(
        _rule(
            rf"(?:the\s+)?(?P<nth>{any_of(ORDINALS)}|\d(?:st|nd|rd|th))\s+(?P<what>{WEEKDAY}|week|weekend|day)"
            rf"\s+(?:of|in)\s+{_SPAN_OF}"
        ),
        _nth,
    ),
)
