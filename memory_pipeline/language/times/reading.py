"""What a time that somebody said means, and how to say it again so that it stays true."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from re import Match, Pattern
from typing import Literal

from memory_pipeline.language.times.days import Direction, shift
from memory_pipeline.language.times.words import MONTH_NAMES, SEASON_NAMES, WEEKDAY_NAMES

Grain = Literal["minute", "hour", "part", "day", "week", "month", "quarter", "season", "year", "decade", "none"]
Cycle = Literal["", "day", "week", "month", "year"]


@dataclass(frozen=True, slots=True)
class Setting:
    """What the meaning of a time depends on.

    Attributes:
        now: the writer's local time.
        direction: where to look when the words leave it open.
        preposition: said before it, "" for none.
        free: whether no noun follows that it could describe ("Sunday roast").
    """

    text: str
    now: datetime
    direction: Direction
    preposition: str
    free: bool

    @property
    def today(self) -> date:
        return self.now.date()


@dataclass(frozen=True, slots=True)
class Reading:
    """The local days from ``first`` to ``last`` that words cover, or a length or a habit.

    Attributes:
        shape: how it is named: ``day``, ``week``, ``weekend``, ``month``, ``quarter``, ``season``, ``year``,
            ``decade``, ``clock``; or "" where ``name`` says it all.
        name: its own words, where it is better known by them ("Christmas 2026").
        prefix: of which part of the span it speaks, as said: "the end of", "mid-".
        lead: the preposition that it takes when no other was said; None: the one of its shape.
        cycle: how often such a time comes round; direction had to choose one. "" where it was said in full.
        moment, until, part: the time of day, the one at which it ends, and the part of the day, that were said.
        relation: ``for`` and ``every``, and where the words alone say how the time relates to what is told.
        needs_place: the words are a time beside a preposition or at the end of a clause only.
        weak: a time of day that counts beside a day only, a month or year that counts as the end of a span only.
    """

    first: date
    last: date
    grain: Grain
    shape: str = ""
    name: str = ""
    prefix: str = ""
    lead: str | None = None
    cycle: Cycle = ""
    moment: time | None = None
    until: time | None = None
    part: str = ""
    relation: str = ""
    needs_place: bool = False
    weak: bool = False

    def turned(self, times: int) -> Reading:
        """The one that comes so many times later (or earlier, where negative)."""
        if self.cycle in {"month", "year"}:
            months = times * (12 if self.cycle == "year" else 1)
            return replace(self, first=shift(self.first, months), last=shift(self.last, months))
        days = timedelta(days=times * {"week": 7, "day": 1, "": 0}[self.cycle])
        return replace(self, first=self.first + days, last=self.last + days)


@dataclass(frozen=True, slots=True)
class Rule:
    """One way of saying a time. ``read`` gives None where the words are no time after all.

    ``read`` raises ValueError or OverflowError for days that do not exist.
    """

    pattern: Pattern[str]
    read: Callable[[Match[str], Setting], Reading | None]


def day_said(day: date, *, dated: bool = True) -> str:
    """ "14 March 2026", or "14 March" of something that comes round every year."""
    return f"{day.day} {MONTH_NAMES[day.month]}" + (f" {day.year}" if dated else "")


def bare(reading: Reading, *, dated: bool = True) -> str:
    """The time without a preposition: "14 March 2026", "mid-May 2026", "the evening of 14 March 2026"."""
    first, last = reading.first, reading.last
    year = f" {first.year}" if dated else ""
    if reading.name:
        said = reading.name
    elif reading.shape == "day" and first != last and not reading.until:
        same = first.month == last.month
        said = f"{first.day if same else day_said(first, dated=False)} to {day_said(last, dated=dated)}"
    elif reading.shape == "clock":
        said = ""
    else:
        said = {
            "day": day_said(first, dated=dated),
            "week": f"the week of {day_said(first)}",
            "weekend": f"the weekend of {day_said(first)}",
            "month": f"{MONTH_NAMES[first.month]}{year}",
            "quarter": f"Q{(first.month + 2) // 3} {first.year}",
            "season": f"{SEASON_NAMES.get(first.month, '')} {first.year}",
            "year": f"{first.year}",
            "decade": f"the {first.year // 10 * 10}s",
            "weekday": WEEKDAY_NAMES[first.weekday()],
        }[reading.shape]
    if reading.part and reading.grain == "part":
        said = f"the {reading.part} of {said}"
    if reading.moment and reading.grain in {"hour", "minute"}:
        clock, link = f"{reading.moment:%H:%M}", "at"
        if reading.until:
            clock, link = f"{clock} to {reading.until:%H:%M}", "from"
        said = f"{said} {link} {clock}" if said else clock
    return reading.prefix + said


def leading(reading: Reading) -> str:
    """The preposition that a time takes by itself, with the space after it: "on ", "in ", "at "."""
    if reading.lead is not None:
        return reading.lead and reading.lead + " "
    if reading.prefix.startswith("the "):
        return "in " if reading.prefix.startswith("the middle") else "at "
    if reading.shape == "clock":
        return "from " if reading.until else "at "
    if reading.shape == "day" and reading.first != reading.last and not reading.until:
        return "from "
    return "on " if reading.shape in {"day", "weekend"} or reading.part else "in "
