"""Local days, weeks and months. A day belongs to the user's zone, never to the machine's."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from enum import StrEnum
from functools import lru_cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError


class Grain(StrEnum):
    """The sizes of a period, the finest first."""

    DAY = "day"
    WEEK = "week"
    MONTH = "month"

    @property
    def finer(self) -> tuple[Grain, ...]:
        """The sizes below it, the finest first."""
        sizes = tuple(Grain)
        return sizes[: sizes.index(self)]

    @property
    def adjective(self) -> str:
        """ "daily", "weekly", "monthly"."""
        return "daily" if self is Grain.DAY else f"{self}ly"

    @property
    def cron(self) -> str:
        """When a period begins, as cron has it."""
        return _SHAPES[self][0]

    @property
    def most_days(self) -> int:
        """Days of the longest period of that size."""
        return _SHAPES[self][1]


_SHAPES = {Grain.DAY: ("0 0 * * *", 1), Grain.WEEK: ("0 0 * * 1", 7), Grain.MONTH: ("0 0 1 * *", 31)}


class SummaryGrain(StrEnum):
    """What a summary is about: a period of the calendar, or a session (NM-8)."""

    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    SESSION = "session"


Moment = date | datetime | str
"""A day or a time, as users give them; text in ISO 8601."""


def moment(when: Moment) -> date | datetime:
    """A day or a time; "2026-03-01" is a day, "2026-03-01T09:00" and "2026-03-01T09:00+01:00" are times.

    Raises:
        ValueError: it is neither; the message says what would be.
    """
    if isinstance(when, date | datetime):
        return when
    try:
        return date.fromisoformat(when) if len(when) <= len("2026-03-01") else datetime.fromisoformat(when)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{when!r} is no day or time such as 2026-03-01 or 2026-03-01T09:00+01:00") from error


@lru_cache(maxsize=1024)
def zone(name: str) -> ZoneInfo:
    """The IANA zone of that name.

    Raises:
        ValueError: when there is none, with the name.
    """
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise ValueError(f"no time zone called {name!r}") from error


def local_day(at: datetime, timezone: str) -> date:
    """Calendar day of an aware time in the given zone."""
    return at.astimezone(zone(timezone)).date()


def day_start(day: date, timezone: str) -> datetime:
    """First instant of a local day, UTC. Days of a clock change have 23 or 25 hours."""
    return datetime.combine(day, time(), zone(timezone)).astimezone(UTC)


def day_end(day: date, timezone: str) -> datetime:
    """First instant of the next local day, UTC."""
    return day_start(day + timedelta(days=1), timezone)


@dataclass(frozen=True, slots=True, order=True)
class Period:
    """A day, an ISO week (Monday to Sunday) or a month, by its first day."""

    grain: Grain
    start: date

    @property
    def end(self) -> date:
        """First day after the period."""
        if self.grain is Grain.DAY:
            return self.start + timedelta(days=1)
        if self.grain is Grain.WEEK:
            return self.start + timedelta(days=7)
        return (self.start.replace(day=28) + timedelta(days=4)).replace(day=1)

    @property
    def label(self) -> str:
        """``2026-03-09``, ``2026-W11`` or ``2026-03``."""
        if self.grain is Grain.DAY:
            return self.start.isoformat()
        if self.grain is Grain.WEEK:
            year, week, _ = self.start.isocalendar()
            return f"{year}-W{week:02d}"
        return f"{self.start:%Y-%m}"

    def days(self) -> Iterator[date]:
        day = self.start
        while day < self.end:
            yield day
            day += timedelta(days=1)


def period_of(grain: Grain, day: date) -> Period:
    """The period of that grain which holds the day."""
    if grain is Grain.DAY:
        return Period(grain, day)
    if grain is Grain.WEEK:
        return Period(grain, day - timedelta(days=day.weekday()))
    return Period(grain, day.replace(day=1))


def periods(grain: Grain, days: Iterable[date]) -> list[Period]:
    """The periods that hold the days, in order, each once."""
    return sorted({period_of(grain, day) for day in days})


def day_range(start: date, end: date) -> list[date]:
    """All days from start to end, both included."""
    return [start + timedelta(days=n) for n in range((end - start).days + 1)]


def age(then: datetime, now: datetime) -> str:
    """How long ago, as people say it: "today", "3 days ago", "in 2 weeks"."""
    days = (now - then).total_seconds() / 86400
    ahead, days = days < 0, abs(days)
    if days < 1:
        hours = int(days * 24)
        text = f"{hours} hour{'s' * (hours != 1)}" if hours else ""
        return "just now" if not text else (f"in {text}" if ahead else f"{text} ago")
    for size, unit in ((365.25, "year"), (30.44, "month"), (7, "week"), (1, "day")):
        if days >= size * (2 if unit == "week" else 1):
            n = int(days // size)
            text = f"{n} {unit}{'s' * (n != 1)}"
            return f"in {text}" if ahead else f"{text} ago"
    return "just now"
