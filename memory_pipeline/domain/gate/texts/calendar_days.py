"""The days of the calendar that a text names, and whether one may follow from what was said."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from functools import cache, lru_cache

from memory_pipeline.domain.gate.texts.language import plain
from memory_pipeline.domain.patterns import lazy
from memory_pipeline.domain.tables import table, wordset

_YEAR = 12  # months
_WEEK = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_ENGLISH = "january february march april may june july august september october november december"
_SHORT = "jan feb mar apr may jun jul aug sept oct nov dec"
_FIGURES = lazy(
    r"(?<![\d.,/:-])(?:(\d{4})-(\d{1,2})-(\d{1,2})|(\d{1,2})[./](\d{1,2})(?:[./](?:\d{4}|\d{2}))?)(?![\d/:-]|[.,]\d)"
)
_WIDE = lazy(r"(\d{1,2}) ?[月월] ?(\d{1,2}) ?[日일号]")
_WORD = lazy(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_RELATIVE = lazy(
    r"\b(?:yesterday|today|tonight|tomorrow|ago|last|next|coming|past|recently|lately|soon|since|weekend|weeks?|days?|"
    r"months?|years?|morning|evening|afternoon|night|quarter|anniversary|birthday|christmas|easter|summer|spring|"
    r"autumn|winter|(?:mon|tues|wednes|thurs|fri|satur|sun)days?)\b"
)


@dataclass(frozen=True, slots=True)
class Day:
    """A day of a month, of whatever year."""

    month: int
    day: int


@lru_cache(maxsize=4096)
def days(text: str) -> frozenset[Day]:
    """The days that a text names by day and month: "17 May", "12. September", "20 de junio", "2026-05-17"."""
    folded = plain(text)
    if not any(c.isdigit() for c in folded):
        return frozenset()
    found = {(_months()[m["after"] or m["before"]], int(m["last"] or m["first"])) for m in _named().finditer(folded)}
    for _, month, day, one, other in _FIGURES.findall(folded):
        pairs = [(month, day)] if month else [(one, other), (other, one)]  # 5/6 is either of two days
        found |= {(int(m), int(d)) for m, d in pairs}
    found |= {(int(m), int(d)) for m, d in _WIDE.findall(folded)}
    return frozenset(Day(m, d) for m, d in found if 1 <= m <= _YEAR and 1 <= d <= 31)


@lru_cache(maxsize=4096)
def relative(text: str) -> bool:
    """Whether a text places something in time otherwise than by a date: "next Friday", "in zwei Wochen"."""
    folded = plain(text)
    if _RELATIVE.search(folded) or any(sign in text for sign in wordset("languages", "relative_signs")):
        return True
    return not wordset("languages", "relative").isdisjoint(_WORD.findall(folded))


def unfounded(content: str, said: Iterable[str], sent: Iterable[date]) -> list[str]:
    """The days of a content that nobody said, and that cannot be reckoned from what was said.

    Args:
        said: the texts that it may rest on.
        sent: the local days on which these were sent.
    """
    wanted = days(content)
    if not wanted:
        return []
    texts = list(said)
    named = frozenset().union(*map(days, texts))
    own = {Day(day.month, day.day) for day in sent}
    reckoned = any(map(relative, texts))
    missing = [
        day
        for day in wanted - named - own
        if any(day.day == other.day for other in named)  # "17 May" is not "17 June"
        or not (reckoned or not named and _numbered(day.day, texts))
    ]
    return [f"{day.day}/{day.month}" for day in sorted(missing, key=lambda day: (day.month, day.day))]


def other_weekdays(content: str, said: Iterable[str]) -> list[str]:
    """The days of the week that a content names, where the texts that it rests on name others and no date."""
    wanted = _weekdays(content)
    if not wanted:
        return []
    texts = list(said)
    named = frozenset().union(*map(_weekdays, texts))
    if not named or any(map(days, texts)) or any(map(_reckoned, texts)):
        return []
    return [_WEEK[day] for day in sorted(wanted - named)]


@lru_cache(maxsize=4096)
def _weekdays(text: str) -> frozenset[int]:
    known = _week()
    return frozenset(known[word] for word in _WORD.findall(plain(text)) if word in known)


def _reckoned(text: str) -> bool:
    """Whether a text places something in time otherwise than by a day of the week."""
    known = _week()
    return relative(" ".join(word for word in _WORD.findall(text) if plain(word) not in known))


@cache
def _week() -> dict[str, int]:
    lines = str(table("languages")["weekdays"]).splitlines()
    return {word: n for line in lines for n, word in enumerate(line.split())}


def _numbered(day: int, texts: Iterable[str]) -> bool:
    pattern = lazy(rf"(?<!\d){day}(?!\d)")
    return any(pattern.search(text) for text in texts)


@cache
def _months() -> dict[str, int]:
    lines = [line.split() for line in str(table("languages")["months"]).splitlines()]
    names = [*(words for line in lines if (words := line)), _ENGLISH.split(), _SHORT.split()]
    found = {name: n % _YEAR + 1 for words in names for n, name in enumerate(words)}
    return found | {"sep": 9}


@cache
def _named() -> re.Pattern[str]:
    month = "|".join(sorted(_months(), key=len, reverse=True))
    english = "|".join(sorted(f"{_ENGLISH} {_SHORT} sep".split(), key=len, reverse=True))
    return lazy(
        rf"\b(?P<first>\d{{1,2}})(?:st|nd|rd|th|\.|er)? ?(?:of |de |di )?(?P<after>{month})\b"
        rf"|\b(?P<before>{english})\b\.? (?:the )?(?P<last>\d{{1,2}})(?:st|nd|rd|th)?\b(?![:.]\d)"
    )
