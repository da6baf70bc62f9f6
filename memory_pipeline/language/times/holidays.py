"""The day of a holiday in a year, from the rule that the table gives for it."""

from __future__ import annotations

from datetime import date, timedelta

from memory_pipeline.domain.patterns import lazy
from memory_pipeline.language.times.days import Direction
from memory_pipeline.language.times.words import HOLIDAYS

_RULE = lazy(
    r"easter(?P<from_easter>[+-]\d+)|(?P<month>\d\d)-(?P<nth>-?\d)-(?P<weekday>\d)(?P<plus>\+\d)?|(?P<m>\d\d)-(?P<d>\d\d?)"
)


def holiday_in(name: str, year: int) -> date:
    """The day of a holiday of the table in a year."""
    rule = _RULE.fullmatch(HOLIDAYS[name])
    assert rule is not None  # the table holds nothing else
    if rule["from_easter"]:
        return easter(year) + timedelta(days=int(rule["from_easter"]))
    if rule["m"]:
        return date(year, int(rule["m"]), int(rule["d"]))
    day = nth_weekday(int(rule["nth"]), int(rule["weekday"]), year, int(rule["month"]))
    return day + timedelta(days=int(rule["plus"] or 0))


def holiday_near(name: str, today: date, direction: Direction) -> date:
    """The next or last time it comes round, today included."""
    step = 1 if direction == "future" else -1
    for year in (today.year - step, today.year, today.year + step):
        day = holiday_in(name, year)
        if day == today or (day > today) == (direction == "future"):
            return day
    raise ValueError("no such day")


def nth_weekday(nth: int, weekday: int, year: int, month: int) -> date:
    """The nth such weekday of a month, from the end where ``nth`` is negative.

    Raises:
        ValueError: the month has no so many.
    """
    if nth < 0:
        after = date(year + month // 12, month % 12 + 1, 1)
        return after - timedelta(days=(after.weekday() - weekday - 1) % 7 + 1 - 7 * (nth + 1))
    first = date(year, month, 1)
    found = first + timedelta(days=(weekday - first.weekday()) % 7 + 7 * (nth - 1))
    if found.month != month:
        raise ValueError("no such day")
    return found


def easter(year: int) -> date:
    """Easter Sunday of the western churches (Gregorian computus after Butcher)."""
    golden, century, rest = year % 19, year // 100, year % 100
    leap = (century - (century + 8) // 25 + 1) // 3
    moon = (19 * golden + century - century // 4 - leap + 15) % 30
    weekday = (32 + 2 * (century % 4) + 2 * (rest // 4) - moon - rest % 4) % 7
    late = (golden + 11 * moon + 22 * weekday) // 451
    month, day = divmod(moon + weekday - 7 * late + 114, 31)
    return date(year, month, day + 1)
