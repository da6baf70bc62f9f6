"""From a date phrase to the days it covers, by the calendar of the person who wrote it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, time, timedelta

from memory_pipeline.language.times.clock import PARTS, clock_of
from memory_pipeline.language.times.days import (
    Direction,
    Span,
    day_of_month,
    month_from,
    month_named,
    nearest,
    one_day,
    quarter_from,
    season_near,
    shift,
    week_around,
    weekday_near,
)
from memory_pipeline.language.times.phrases import HOLIDAYS, Phrase
from memory_pipeline.language.times.words import MONTHS, NUMBERS, WEEKDAYS

_SEASONS = {"spring": 3, "summer": 6, "fall": 9, "autumn": 9, "winter": 12}


def span(phrase: Phrase, today: date, now: datetime, direction: Direction) -> Span | None:
    """The days that a phrase covers, its grain, and the time of day where one is said; None where it says no day.

    Raises:
        ValueError: there is no such day.
    """
    group = phrase.hit.group
    if group("iso"):
        return one_day(
            date.fromisoformat(group("iso")), time.fromisoformat(group("iso_clock")) if group("iso_clock") else None
        )
    if group("near"):
        return _near(" ".join(group("near").lower().split()), (group("near_part") or "").lower(), today)
    if group("after") or group("before"):
        return one_day(today + timedelta(days=2 if group("after") else -2))
    if group("this_part"):
        return one_day(today, PARTS[group("this_part").lower().split()[-1]])
    if group("which"):
        return _which(
            " ".join(group("which").lower().split()),
            group("what").lower(),
            (group("which_part") or "").lower(),
            today,
            direction,
        )
    if group("edge") or group("short_edge"):
        return _edge(group("edge"), group("edge_of"), group("edge_year"), group("short_edge"), today, direction)
    if group("month") or group("day"):
        month = MONTHS[(group("month") or group("day_month")).lower()]
        day, year = int(group("month_day") or group("day")), group("month_year") or group("day_year")
        found = date(int(year), month, day) if year else nearest(month, day, today, direction)
        if group("range_end"):
            return found, found.replace(day=int(group("range_end"))), "days", None
        return week_around(found) if group("week_of") else one_day(found)
    if group("only_month"):
        return month_named(MONTHS[group("bare_month").lower()], group("bare_month_year"), today, direction)
    for name in ("ago", "ahead", "within", "past_span"):
        if group(name):
            return _distance(name, group, today, now, direction)
    if group("weekday"):
        clock = PARTS.get((group("weekday_part") or "").lower())
        return one_day(
            weekday_near(WEEKDAYS[group("weekday").lower()], today, direction, phrase.relation == "by"), clock
        )
    if group("holiday"):
        return one_day(nearest(*HOLIDAYS[group("holiday").lower()], today, direction))
    if group("ordinal"):
        return one_day(day_of_month(int(group("ordinal_day")), today, direction))
    if group("bare_year"):
        year_number = int(group("bare_year"))
        return date(year_number, 1, 1), date(year_number, 12, 31), "year", None
    if group("numeric"):
        return _parsed(group("numeric"), now)
    clock = clock_of(group("clock"), None)
    if clock is None:
        return None
    gone = direction == "future" and clock < now.time()
    return one_day(today + timedelta(days=gone), clock)


def _near(word: str, part: str, today: date) -> Span:
    offset = {"tomorrow": 1, "yesterday": -1, "last night": -1}.get(word, 0)
    clock = time(20) if word in {"tonight", "last night"} else PARTS.get(part)
    return one_day(today + timedelta(days=offset), clock)


def _which(which: str, what: str, part: str, today: date, direction: Direction) -> Span | None:
    back = which in {"last", "past", "this past"}
    step = -1 if back else 0 if which.startswith("this") else 1
    monday = today - timedelta(days=today.weekday())
    if what in WEEKDAYS:
        day = monday + timedelta(days=WEEKDAYS[what] + 7 * step)
        if back:
            day = weekday_near(WEEKDAYS[what], today, "past", False)
        elif (step == 0 and day < today and direction == "future") or which in {"coming", "this coming"}:
            day = weekday_near(WEEKDAYS[what], today, "future", False)
        return one_day(day, PARTS.get(part))
    if what == "week":
        return week_around(monday + timedelta(days=7 * step))
    if what == "weekend":
        saturday = monday + timedelta(days=5 + 7 * step)
        return saturday, saturday + timedelta(days=1), "weekend", None
    if what == "month":
        return month_from(shift(today.replace(day=1), step))
    if what == "quarter":
        return quarter_from(shift(date(today.year, 3 * ((today.month - 1) // 3) + 1, 1), 3 * step))
    if what == "year":
        return date(today.year + step, 1, 1), date(today.year + step, 12, 31), "year", None
    if what in MONTHS:
        return month_named(MONTHS[what], None, today, "past" if back else "future")
    if what in _SEASONS:
        return season_near(_SEASONS[what], today, step, direction)
    return one_day(nearest(*HOLIDAYS[what], today, "past" if back else "future")) if what in HOLIDAYS else None


def _edge(
    edge: str | None, of: str | None, year: str | None, short: str | None, today: date, direction: Direction
) -> Span:
    if short:
        edge, of = "end", {"eod": "day", "eow": "week", "eom": "month", "eoy": "year"}[short.lower()]
    which, _, what = " ".join((of or "").lower().split()).rpartition(" ")
    if what in {"day", "business"}:
        return one_day(today, time(17) if what == "business" else time(18))
    if what in MONTHS:
        span = month_named(MONTHS[what], year, today, direction)
    elif what.isdigit():
        span = date(int(what), 1, 1), date(int(what), 12, 31), "year", None
    else:
        found = _which(which if which in {"next", "last"} else "this", what, "", today, direction)
        assert found is not None  # every unit of the pattern is one that _which knows
        span = found
    start, end = span[0], span[1]
    third = (end - start) / 3
    if edge and edge.lower() in {"end", "close"}:
        return one_day(end)
    if edge and edge.lower() in {"beginning", "start", "early"}:
        return start, start + third, span[2], None
    if edge and edge.lower() == "late":
        return end - third, end, span[2], None
    return start + third, end - third, span[2], None


def _distance(
    name: str, get: Callable[[str], str | None], today: date, now: datetime, direction: Direction
) -> Span | None:
    prefix = {"ago": "ago", "ahead": "ahead", "within": "in", "past_span": "span"}[name]
    words = str(get(f"{prefix}_n")).lower().split()
    count = int(words[-1]) if words[-1].isdigit() else NUMBERS[words[-1]]
    unit = str(get(f"{prefix}_unit")).lower().rstrip("s")
    sign = -1 if name in {"ago", "past_span"} else 1
    if name == "within" and direction == "past":
        return None  # "the first time in nine years", "done in an hour": a length of time
    if unit in {"minute", "hour"}:
        at = now + timedelta(**{unit + "s": sign * count})
        return one_day(at.date(), at.time().replace(second=0, microsecond=0))
    if unit in {"month", "quarter"}:
        day = shift(today, sign * count * (3 if unit == "quarter" else 1))
    elif unit == "year":
        day = shift(today, sign * count * 12)
        if name == "ago" and count > 1:
            return date(day.year, 1, 1), date(day.year, 12, 31), "year", None
    else:
        day = today + timedelta(
            days=sign * count * {"day": 1, "night": 1, "week": 7, "weekend": 7, "fortnight": 14}[unit]
        )
    if name == "past_span":
        return day, today, "week" if unit in {"day", "week"} else "month", None
    if name == "ago" and unit == "month":
        return month_from(day.replace(day=1))
    if name == "ago" and unit == "weekend":
        saturday = day - timedelta(days=day.weekday()) + timedelta(days=5)
        return saturday, saturday + timedelta(days=1), "weekend", None
    return week_around(day) if name == "ago" and unit == "week" and count > 1 else one_day(day)


def _parsed(text: str, now: datetime) -> Span | None:
    import dateparser

    base = now.replace(tzinfo=None)
    order = "DMY" if "." in text else "MDY"
    found: datetime | None = dateparser.parse(
        text, languages=["en"], settings={"RELATIVE_BASE": base, "DATE_ORDER": order}
    )
    return one_day(found.date()) if found else None
