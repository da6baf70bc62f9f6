"""Plots as figures that a template draws in SVG: where each bar and each point stands.

Colours are classes of the style sheet, so that a plot is light or dark with its page; every plot has its figures in
words beside it, for whoever does not see it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from memory_pipeline.serving.panel.wording import day as told_day
from memory_pipeline.serving.panel.wording import number, percent

OUTCOMES: Mapping[str, str] = {"accepted": "kept", "merged": "merged", "rejected": "turned away"}
REPLIES: Mapping[str, str] = {"asked": "asked", "kept": "answered by kept replies"}
"""The parts of a bar by their key, as a legend calls them; the order is that of the bar, from below."""

_WIDTH, _HEIGHT, _LEFT, _BELOW = 720.0, 180.0, 40.0, 22.0
_LINE_WIDTH, _LINE_HEIGHT = 300.0, 72.0
_GAP = 0.28  # of a bar's room
_WIDEST = 28.0
_STEPS = (1, 2, 5)


@dataclass(frozen=True, slots=True)
class Bar:
    """A part of a day's bar, in units of the picture."""

    x: float
    y: float
    width: float
    height: float
    part: str


@dataclass(frozen=True, slots=True)
class Column:
    """A day's bar with what it says."""

    bars: tuple[Bar, ...]
    x: float
    width: float
    told: str


@dataclass(frozen=True, slots=True)
class Tick:
    """A label on an axis: where, and what it says."""

    at: float
    text: str


@dataclass(frozen=True, slots=True)
class Bars:
    """Bars by day.

    Attributes:
        parts: of each bar, by key, as the legend calls them.
        told: the whole in a sentence.
    """

    columns: tuple[Column, ...]
    parts: Mapping[str, str]
    rows: tuple[Tick, ...]
    days: tuple[Tick, ...]
    told: str
    width: float = _WIDTH
    height: float = _HEIGHT
    left: float = _LEFT
    bottom: float = _HEIGHT - _BELOW


@dataclass(frozen=True, slots=True)
class Line:
    """A share by day.

    Attributes:
        points: "x,y x,y …" as a polyline takes them.
        last: where the line ends.
        limit: height of the line that it should stay below.
    """

    points: str
    last: tuple[float, float] | None
    limit: float
    told: str
    width: float = _LINE_WIDTH
    height: float = _LINE_HEIGHT


def stacked(rows: Sequence[tuple[date, Mapping[str, int]]], parts: Mapping[str, str]) -> Bars:
    """A bar a day, made of parts.

    Args:
        rows: days in order, each with the numbers of its parts; those that are not named are left out.
    """
    top = _ceiling(max((sum(counts.get(part, 0) for part in parts) for _, counts in rows), default=0))
    bottom, room = _HEIGHT - _BELOW, (_WIDTH - _LEFT) / max(len(rows), 1)
    width = min(room * (1 - _GAP), _WIDEST)
    columns = []
    for n, (day, counts) in enumerate(rows):
        x, y, bars = _LEFT + n * room + (room - width) / 2, bottom, []
        for part in parts:
            height = counts.get(part, 0) / top * (bottom - 8)
            y -= height
            if height:
                bars.append(Bar(round(x, 2), round(y, 2), round(width, 2), round(height, 2), part))
        told = ", ".join(f"{counts[part]} {name}" for part, name in parts.items() if counts.get(part))
        columns.append(Column(tuple(bars), round(_LEFT + n * room, 2), round(room, 2), f"{told_day(day)}: {told}"))
    heights = [Tick(round(bottom - share * (bottom - 8), 2), number(round(top * share))) for share in (0, 0.5, 1)]
    totals = {part: sum(counts.get(part, 0) for _, counts in rows) for part in parts}
    said = ", ".join(f"{number(totals[part])} {name}" for part, name in parts.items())
    span = f", {told_day(rows[0][0])} to {told_day(rows[-1][0])}" if rows else ""
    return Bars(tuple(columns), parts, tuple(heights), _days([day for day, _ in rows], room), said + span)


def _days(days: Sequence[date], room: float) -> tuple[Tick, ...]:
    """The first day, the last, and one in the middle where there is room."""
    places = sorted({0, len(days) // 2, len(days) - 1}) if len(days) > 2 else range(len(days))
    return tuple(Tick(round(_LEFT + (n + 0.5) * room, 2), f"{days[n].day} {days[n]:%b}") for n in places)


def line(shares: Sequence[tuple[date, float]], limit: float, name: str) -> Line:
    """A share by day, and the limit that it should stay below.

    Args:
        shares: days in order, 0 to 1.
    """
    top = max([share for _, share in shares] + [limit * 1.25, 0.01])
    step = (_LINE_WIDTH - 8) / max(len(shares) - 1, 1)
    places = [(round(4 + n * step, 2), _height(share, top)) for n, (_, share) in enumerate(shares)]
    told = f"{name}: last {percent(shares[-1][1])}, highest {percent(max(s for _, s in shares))}" if shares else name
    points = " ".join(f"{x},{y}" for x, y in places)
    return Line(points, places[-1] if places else None, _height(limit, top), told)


def _height(share: float, top: float) -> float:
    return round(_LINE_HEIGHT - 4 - share / top * (_LINE_HEIGHT - 10), 2)


def _ceiling(value: int) -> int:
    """The next 1, 2 or 5 with noughts, and an even one, so that half of it is whole."""
    if value <= 2:
        return 2
    size: int = 10 ** (len(str(value)) - 1)
    found = next((step * size for step in (*_STEPS, 10) if step * size >= value), 10 * size)
    return found if found % 2 == 0 else found + 1
