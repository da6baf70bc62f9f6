"""Which of two values of one slot says more: a birthday with its year, a town beside its country, a named firm beside
"a bank". What says less never replaces what says more."""

from __future__ import annotations

import re
from functools import lru_cache

from memory_pipeline.domain.patterns import lazy
from memory_pipeline.domain.tables import table
from memory_pipeline.domain.text import normalise, words

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = r"(?P<month>jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?\b"
_YEAR = r"(?:,? (?:in )?(?P<year>(?:19|20)\d\d))?"
_DATES = (
    lazy(r"(?P<year>(?:19|20)\d\d)-(?P<number>\d\d)-(?P<day>\d\d)"),
    lazy(rf"(?:the )?{_DAY}(?: of)? {_MONTH}{_YEAR}"),
    lazy(rf"{_MONTH} (?:the )?{_DAY}{_YEAR}"),
    lazy(rf"{_MONTH}{_YEAR}"),
    lazy(r"(?P<year>(?:19|20)\d\d)"),
)
_CHANGED = lazy(
    r"\b(?:now|new|moved|moving|relocated|started|joined|became|become|switched|changed|just|recently|nowadays|these "
    r"days|instead|since|from now|back|again|not)\b",
    re.I,
)
_SOME = lazy(r"^(?:an?|the|some|their|his|her|our|my|one of)\s|^(?:with|near|close to|by)\s", re.I)
_OF_PLACES = frozenset({"residence", "hometown"})
_OF_NAMES = _OF_PLACES | {"employer", "team", "partner"}

Date = tuple[int | None, int | None, int | None]


@lru_cache(maxsize=4096)
def date_of(value: str) -> Date | None:
    """Year, month and day that a value is, as far as it says them; None where it is no date."""
    text = normalise(value)
    for pattern in _DATES:
        hit = pattern.fullmatch(text) or pattern.fullmatch(text.removeprefix("on ").removeprefix("in "))
        if hit:
            parts = hit.groupdict()
            month = parts.get("month")
            number = parts.get("number")
            return (
                int(parts["year"]) if parts.get("year") else None,
                _MONTHS.index(month) + 1 if month else int(number) if number else None,
                int(parts["day"]) if parts.get("day") else None,
            )
    return None


def same_date(a: str, b: str) -> bool | None:
    """Whether two dates agree in all that both say; None where one of them is no date."""
    left, right = date_of(a), date_of(b)
    if left is None or right is None:
        return None
    shared = [(x, y) for x, y in zip(left, right, strict=True) if x is not None and y is not None]
    return bool(shared) and all(x == y for x, y in shared)


def says_less(attribute: str, new: str, old: str, content: str) -> bool:
    """Whether a new value is only a vaguer word for the old one: its country, or "a bank" for a named one.

    Args:
        content: the sentence that states the new value: "now", "moved" make a change of it.
    """
    dates = date_of(new), date_of(old)
    if dates[0] is not None and dates[1] is not None:
        return bool(same_date(new, old)) and _told(dates[0]) < _told(dates[1])
    if attribute in _OF_PLACES and lies_in(old, new):
        return True
    if attribute not in _OF_NAMES or _CHANGED.search(content):
        return False
    if attribute in _OF_PLACES and is_country(new) and not is_country(old) and _country_of(old) is None:
        return True  # of a place that no table knows, nobody can say that it lies elsewhere
    return bool(_SOME.match(new)) and not _SOME.match(old)


def says_more(attribute: str, new: str, old: str) -> bool:
    """Whether a new value is the old one told more exactly: a town of the country, a birthday with its year."""
    dates = date_of(new), date_of(old)
    if dates[0] is not None and dates[1] is not None:
        return bool(same_date(new, old)) and _told(dates[0]) > _told(dates[1])
    return attribute in _OF_PLACES and lies_in(new, old)


def lies_in(place: str, region: str) -> bool:
    """Whether a place is known to lie in a country, or in Europe."""
    inside = _inside(_key(region))
    return bool(inside) and any(p in inside for p in _keys(place))


def is_country(value: str) -> bool:
    """Whether a value is a country."""
    return _key(value) in table("places")["countries"]


def _told(date: Date) -> int:
    return sum(part is not None for part in date)


def _country_of(value: str) -> str | None:
    keys = _keys(value)
    return next((c for c in table("places")["countries"] if any(k in _inside(c) for k in keys)), None)


@lru_cache(maxsize=1024)
def _inside(region: str) -> frozenset[str]:
    places = str(table("places")["countries"].get(region, "")).split()
    return frozenset(places).union(*(_inside(p) for p in places if p in table("places")["countries"]))


_SAME = {
    "united kingdom": "uk", "great britain": "uk", "britain": "uk", "united states": "usa", "us": "usa",
    "united states of america": "usa", "america": "usa", "the states": "usa", "holland": "netherlands",
    "czech republic": "czechia", "south korea": "korea", "türkiye": "turkey",
}  # fmt: skip


@lru_cache(maxsize=4096)
def _key(value: str) -> str:
    text = normalise(value).removeprefix("the ")
    return _SAME.get(text, text)


@lru_cache(maxsize=4096)
def _keys(value: str) -> frozenset[str]:
    """The parts of a place by which a table may know it: "Kreuzberg, Berlin" is in Berlin."""
    parts = [_key(part) for part in value.split(",")]
    return frozenset(parts) | frozenset(words(value)) - {"new", "san", "saint", "east", "west", "north", "south"}
