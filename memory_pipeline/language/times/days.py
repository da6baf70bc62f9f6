"""Days, weeks and months around a day, as spans of days."""

from __future__ import annotations

from datetime import date, time, timedelta
from typing import Literal

Direction = Literal["past", "future"]
Span = tuple[date, date, str, time | None]


def one_day(day: date, clock: time | None = None) -> Span:
    """A single day."""
    return day, day, "day", clock


def week_around(day: date) -> Span:
    """The week, Monday to Sunday, that holds a day."""
    monday = day - timedelta(days=day.weekday())
    return monday, monday + timedelta(days=6), "week", None


def month_from(first: date) -> Span:
    """The month that begins on a day."""
    return first, shift(first, 1) - timedelta(days=1), "month", None


def quarter_from(first: date) -> Span:
    """The quarter that begins on a day."""
    return first, shift(first, 3) - timedelta(days=1), "quarter", None


def season_near(month: int, today: date, step: int, direction: Direction) -> Span:
    """The season that begins in a month: the last, the present or the coming one."""
    start = date(today.year, month, 1)
    over = shift(start, 3) <= today
    if step > 0 and start <= today:
        start = date(today.year + 1, month, 1)
    elif (step < 0 and not over) or (step == 0 and direction == "past" and start > today):
        start = date(today.year - 1, month, 1)
    return start, shift(start, 3) - timedelta(days=1), "season", None


def month_named(month: int, year: str | None, today: date, direction: Direction) -> Span:
    """The month of that name: of the year given, else the one nearest in the direction, the present one included."""
    if year:
        return month_from(date(int(year), month, 1))
    first = date(today.year, month, 1)
    if direction == "future" and (month < today.month):
        first = date(today.year + 1, month, 1)
    if direction == "past" and month > today.month:
        first = date(today.year - 1, month, 1)
    return month_from(first)


def shift(day: date, months: int) -> date:
    """The same day so many months on; the last of the month where it has no such day."""
    index = day.year * 12 + day.month - 1 + months
    first = date(index // 12, index % 12 + 1, 1)
    following = date((index + 1) // 12, (index + 1) % 12 + 1, 1)
    return first.replace(day=min(day.day, (following - first).days))


def nearest(month: int, day: int, today: date, direction: Direction) -> date:
    """The next or last such date, today included; February 29 in the nearest leap year."""
    date(2024, month, day)  # raises for days that no year has
    years = range(today.year, today.year + 5) if direction == "future" else range(today.year, today.year - 5, -1)
    for year in years:
        try:
            found = date(year, month, day)
        except ValueError:
            continue
        if found == today or (found > today) == (direction == "future"):
            return found
    raise ValueError("no such day")


def weekday_near(weekday: int, today: date, direction: Direction, by: bool) -> date:
    """The next or last such weekday; today itself only for a deadline ("by Friday", said on a Friday)."""
    if direction == "future":
        ahead = (weekday - today.weekday()) % 7
        return today + timedelta(days=ahead if ahead or by else 7)
    return today - timedelta(days=(today.weekday() - weekday) % 7 or 7)


def day_of_month(day: int, today: date, direction: Direction) -> date:
    """The day of this month, or of the next or last one."""
    first = today.replace(day=1)
    if direction == "future" and day < today.day:
        first = shift(first, 1)
    if direction == "past" and day > today.day:
        first = shift(first, -1)
    return first.replace(day=day)
