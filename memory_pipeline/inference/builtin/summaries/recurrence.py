"""When something recurs: on which weekday, at which time of day, beside what else; and what changed over its times.

Counted over the days on which a theme came up, against the days on which anything did: who always writes on Sundays
has no habit of Sundays.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from memory_pipeline.domain.derived.derived_numbers import figures_in
from memory_pipeline.domain.patterns import lazy
from memory_pipeline.domain.text import negations
from memory_pipeline.inference.builtin.summaries.themes import MONTHS

MIN_DAYS = 3
_MOSTLY = 0.75  # share of a theme's days from which they follow a rule
_ORDINARY = 0.5  # share of all days from which a rule is none of the theme's own
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_PARTS = ((5, "nights"), (12, "mornings"), (18, "afternoons"), (23, "evenings"), (24, "nights"))  # until which hour
_SPELT = lazy(rf"\bon (\d{{1,2}}) ({'|'.join(MONTHS)}) (\d{{4}})\b")
_PACE = lazy(r"(?<![\d:])(\d{1,2}):(\d{2})(?= (?:min )?(?:per|/|a) (\w+))")
_Memory = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Rule:
    """A regularity: what its days are called ("Sundays", "weekends", "evenings"), and the memories that follow it."""

    name: str
    members: tuple[_Memory, ...]
    days: int


def day_of(memory: _Memory) -> date:
    """The day of an event where its sentence names it, else the one on which it was last said."""
    spelt = _SPELT.search(memory["content"])
    if spelt and memory["type"] == "episodic_event":
        try:
            return date(int(spelt[3]), MONTHS.index(spelt[2]) + 1, int(spelt[1]))
        except ValueError:  # 31 April
            pass
    return date.fromisoformat(str(memory["day"]))


def days_of(members: Iterable[_Memory]) -> set[date]:
    """The days on which memories came up."""
    return {day_of(m) for m in members}


def rule(members: Sequence[_Memory], all_memories: Sequence[_Memory]) -> Rule | None:
    """The weekday, the weekend or the time of day on which a theme comes up; None where it keeps none."""
    days, every = days_of(members), days_of(all_memories)
    if len(days) < MIN_DAYS:
        return None
    on, times = Counter(d.weekday() for d in days).most_common(1)[0]
    if times >= MIN_DAYS and _telling(times, len(days), sum(d.weekday() == on for d in every), len(every)):
        return _kept(f"{_DAYS[on]}s", [m for m in members if day_of(m).weekday() == on])
    free = [d for d in days if d.weekday() > 4]
    if len(free) == len(days) and _telling(len(free), len(days), sum(d.weekday() > 4 for d in every), len(every)):
        return _kept("days at weekends", members)
    return _time_of_day(members, all_memories)


def _time_of_day(members: Sequence[_Memory], all_memories: Sequence[_Memory]) -> Rule | None:
    parts = Counter(part for m in members if (part := _part(m)))
    every = Counter(part for m in all_memories if (part := _part(m)))
    if not parts:
        return None
    name, times = parts.most_common(1)[0]
    following = [m for m in members if _part(m) == name]
    if len(days_of(following)) < MIN_DAYS or not _telling(times, len(members), every[name], every.total()):
        return None
    return _kept(name, following)


def _part(memory: _Memory) -> str | None:
    hour = memory.get("hour")
    return None if hour is None else next(name for until, name in _PARTS if hour < until)


def _telling(times: int, of: int, ordinary: int, all_of: int) -> bool:
    return times >= _MOSTLY * of and ordinary <= _ORDINARY * all_of


def _kept(name: str, members: Sequence[_Memory]) -> Rule:
    return Rule(name, tuple(members), len(days_of(members)))


def together(state: Collection[date], other: Collection[date], every: Collection[date]) -> int:
    """On how many days a state and another theme came up both; 0 where that may be chance."""
    both = set(state) & set(other)
    mostly = len(both) >= _MOSTLY * len(set(state)) and len(set(other)) <= _ORDINARY * len(set(every))
    return len(both) if len(both) >= MIN_DAYS and mostly else 0


def trend(members: Sequence[_Memory]) -> tuple[list[str], list[_Memory]]:
    """What of a theme rises or falls at each of its times: "from 208 to 199 lb" for each unit, and the memories."""
    series: dict[str, list[tuple[float, str, _Memory]]] = {}
    for member in sorted(members, key=day_of):
        for unit, (value, shown) in _measures(member["content"]).items():
            series.setdefault(unit, []).append((value, shown, member))
    told: list[str] = []
    behind: list[_Memory] = []
    for unit, points in sorted(series.items()):
        values = [value for value, _, _ in points]
        rising = all(a < b for a, b in zip(values, values[1:], strict=False))
        falling = all(a > b for a, b in zip(values, values[1:], strict=False))
        if len(days_of(m for _, _, m in points)) >= MIN_DAYS and (rising or falling):
            told.append(f"from {points[0][1]} to {points[-1][1]} {unit}")
            behind += [m for _, _, m in points if m not in behind]
    return told, behind


def _measures(content: str) -> dict[str, tuple[float, str]]:
    """The amounts of a sentence by unit, as numbers and as written; an amount that is not the only one of its unit
    measures one knows not what."""
    found: dict[str, list[tuple[float, str]]] = {}
    bare = _SPELT.sub("", content)
    for match in _PACE.finditer(bare):
        found.setdefault(f"per {match[3]}", []).append((int(match[1]) + int(match[2]) / 60, match[0]))
    for figure in figures_in(_PACE.sub("", bare)):
        if figure.unit and figure.value is not None and figure.unit.title() not in MONTHS:
            found.setdefault(figure.unit, []).append((figure.value, figure.shown))
    return {unit: amounts[0] for unit, amounts in found.items() if len(amounts) == 1}


def ending(members: Sequence[_Memory]) -> tuple[list[_Memory], _Memory] | None:
    """The times of a theme before its last one, which denies it; None where the last one does not, or alone does."""
    ordered = sorted(members, key=day_of)
    before, last = ordered[:-1], ordered[-1]
    denied = [bool(negations(m["content"])) for m in ordered]
    if len(days_of(before)) < MIN_DAYS or not denied[-1] or any(denied[:-1]):
        return None
    return before, last


def span(members: Sequence[_Memory]) -> str:
    """ "between March and April", "in March": when a theme came up, without figures."""
    days = sorted(days_of(members))
    first, last = f"{days[0]:%B}", f"{days[-1]:%B}"
    return f"in {first}" if first == last else f"between {first} and {last}"
