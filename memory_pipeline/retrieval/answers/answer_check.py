"""Whether what a model answers stands in the items that it cites: its names and its numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from itertools import combinations
from typing import Any

from memory_pipeline.domain.patterns import lazy
from memory_pipeline.domain.text import numbers, singular, words
from memory_pipeline.language.identify import ENGLISH, clear_language

_DATES = ("observed_at", "valid_from", "valid_until", "due_at")
_YEAR = lazy(r"\b(?:19|20)\d\d\b")
_CAPITAL = lazy(r"(?<=[\w,;)] )(?!I\b|I')[A-Z][\w'-]+")  # within a sentence
_SPANS = (365.25, 30.44, 7, 1)  # days of a year, a month, a week, a day


def supported(text: str, cited: Sequence[Mapping[str, Any]], question: str, now: str) -> bool:
    """Whether every name and number of an answer stands in the cited items, the question or their dates.

    Numbers may also count the items, or tell the time between two of the dates. Names are looked at in English alone:
    elsewhere a capital may be any noun's.

    Args:
        cited: items as the task ``answer`` has them.
        now: moment of the question, ISO 8601.
    """
    dates = [datetime.fromisoformat(at) for at in (now, *(str(i[key]) for i in cited for key in _DATES if i.get(key)))]
    told = " ".join(
        [question, *(f"{i['content']} {i['age']}" for i in cited), *(f"{d:%-d %B %Y %A %H:%M}" for d in dates)]
    )
    known = numbers(told) | {n.lstrip("0") for n in numbers(told)} | set(_reckoned(told, dates, len(cited)))
    if any(n not in known and n.replace(".", "") not in {k.replace(".", "") for k in known} for n in numbers(text)):
        return False
    if clear_language(text) not in (None, ENGLISH):
        return True
    said = {singular(w.removesuffix("'s")) for w in words(told)}
    return all(singular(name.lower().removesuffix("'s")) in said for name in _CAPITAL.findall(text.replace("’", "'")))


def _reckoned(told: str, dates: Sequence[datetime], items: int) -> Iterator[str]:
    """Numbers that follow from the items: how many they are, and the time between two of their dates."""
    yield from (str(n) for n in range(items + 1))
    years = {d.year for d in dates} | {int(year) for year in _YEAR.findall(told)}
    for one, other in combinations(sorted(years), 2):
        yield from (str(other - one), str(other - one - 1))
    for first, second in combinations(dates, 2):
        days = abs((first - second).total_seconds()) / 86_400
        for size in _SPANS:
            yield from (str(int(days / size)), str(round(days / size)))
