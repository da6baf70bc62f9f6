"""Numbers that follow from numbers: "2.8x" from "14 ms" and "5 ms" (LS-22).

A number of a derived statement follows when a member states it, when it counts members, or when it is what simple
arithmetic makes of the members' numbers of one unit, rounded to the digits that are shown.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from memory_pipeline.domain.gate.texts.numerals import forms, numbers_of, spelled
from memory_pipeline.domain.patterns import lazy
from memory_pipeline.domain.text import figures, normalise, numbers, singular, words

_FIGURE = lazy(
    r"(?P<money>[$€£¥])? ?(?<![\w.,:])(?P<number>\d+(?:[.,:]\d+)*)(?P<unit> ?[%‰×€$£°]| ?[^\W\d_]+|)", re.UNICODE
)
_TIMES = frozenset({"x", "×", "times", "fold"})
_PERCENT = frozenset({"%", "percent", "per"})
_POINTS = frozenset({"%", "percent", "point", "pp"})
_RANGE = lazy(r" ?(?:to|and|or|[-–—→]) ?[$€£¥]? ?")
# What stands after a number without being its unit.
_AFTER = "of and or to in at by on from for with than as is are was were the a an per when while if after before"
_NO_UNIT = frozenset(["", *_AFTER.split()])


@dataclass(frozen=True, slots=True)
class Figure:
    """A number as it stands in a text.

    Attributes:
        shown: as written. unit: lower case and singular, "" where none follows.
    """

    shown: str
    unit: str

    @property
    def value(self) -> float | None:
        """None for times and other numbers that are no quantity ("12:30", "1.2.3")."""
        plain = re.sub(r"(?<=\d),(?=\d{3}(?!\d))", "", self.shown).replace(",", ".")
        return float(plain) if plain.count(".") <= 1 and ":" not in plain else None

    @property
    def step(self) -> float:
        """The smallest difference that its digits can show."""
        _, _, decimals = self.shown.partition(".")
        return float(10 ** -len(decimals))


def figures_in(text: str) -> list[Figure]:
    """The numbers of a text with their units, in order; the first of a range ("14 to 5 ms") has that of the second."""
    found: list[Figure] = []
    matches = list(_FIGURE.finditer(text))
    for n in reversed(range(len(matches))):
        match = matches[n]
        unit = singular((match["money"] or match["unit"]).strip().casefold())
        if unit in _NO_UNIT:
            following = matches[n + 1] if n + 1 < len(matches) else None
            ranged = following and _RANGE.fullmatch(text, match.end("number"), following.start("number"))
            unit = found[-1].unit if ranged else ""
        found.append(Figure(match["number"].rstrip(".,:"), unit))
    return found[::-1]


def underived(content: str, members: Sequence[str]) -> list[str]:
    """The numbers of a statement that do not follow from its members, as written.

    Args:
        members: what it is derived from.
    """
    stated = set().union(*(numbers_of(normalise(m)) | set(spelled(words(m))) for m in members)) if members else set()
    amounts = [(f.unit, f.value) for m in members for f in figures_in(m) if f.value is not None]
    spelt = [Figure(n, "") for n in sorted(figures(content) - numbers(content))]
    return [
        figure.shown
        for figure in (*figures_in(content), *spelt)
        if stated.isdisjoint(forms(figure.shown))
        and not _counts(figure, len(members))
        and not any(_shows(figure, value) for value in _consequences(figure.unit, amounts, len(members)))
    ]


def _counts(figure: Figure, members: int) -> bool:
    """Whether it may count members: a whole number, and no measure."""
    value = figure.value
    measure = figure.unit in _TIMES | _PERCENT or not (figure.unit == "" or len(figure.unit) > 3)
    return value is not None and value == int(value) and value <= members and not measure


def _shows(figure: Figure, value: float) -> bool:
    shown = figure.value
    return shown is not None and abs(shown - value) <= figure.step / 2 + 1e-9 * max(1.0, abs(value))


def _consequences(unit: str, amounts: Iterable[tuple[str, float]], members: int) -> Iterator[float]:
    """What arithmetic makes of the members' amounts that can have a unit."""
    by_unit: dict[str, list[float]] = defaultdict(list)
    for own, value in amounts:
        by_unit[own].append(value)
    if unit in _PERCENT:
        yield from (100 * n / members for n in range(members + 1) if members)
    for own, values in by_unit.items():
        for a, b in combinations(values, 2):
            if unit in _TIMES or unit in _PERCENT:
                yield from _ratios(a, b, percent=unit in _PERCENT)
        if own == unit or unit == "" or own == "" or (own in _POINTS and unit in _POINTS):
            yield from _sums(values)


def _ratios(a: float, b: float, *, percent: bool) -> Iterator[float]:
    for low, high in ((a, b), (b, a)):
        if low:
            yield 100 * high / low if percent else high / low
            if percent:
                yield 100 * abs(high - low) / low


def _sums(values: Sequence[float]) -> Iterator[float]:
    yield sum(values)
    yield sum(values) / len(values)
    for a, b in combinations(values, 2):
        yield a + b
        yield abs(a - b)
        yield (a + b) / 2
