"""The words of time, from the table, and the pieces of patterns that are made of them."""

from __future__ import annotations

import re
from collections.abc import Iterable

from memory_pipeline.domain.patterns import lazy
from memory_pipeline.language.tables import read

_TABLE = read("times")
MONTHS: dict[str, int] = _TABLE["months"]
WEEKDAYS: dict[str, int] = _TABLE["weekdays"]
SEASONS: dict[str, int] = _TABLE["seasons"]
NUMBERS: dict[str, int] = _TABLE["numbers"]
ORDINALS: dict[str, int] = _TABLE["ordinals"]
DECADES: dict[str, int] = _TABLE["decades"]
PARTS: dict[str, str] = _TABLE["parts"]
UNITS: dict[str, str] = _TABLE["units"]
HOLIDAYS: dict[str, str] = _TABLE["holidays"]
PREPOSITIONS: dict[str, list[str]] = _TABLE["prepositions"]

WEEKDAY_NAMES = [name.capitalize() for name in WEEKDAYS][:7]
# The first name of each number is the full one.
MONTH_NAMES = {number: name.capitalize() for name, number in reversed(MONTHS.items())}
SEASON_NAMES = {number: name for name, number in reversed(SEASONS.items())}


def any_of(words: Iterable[str]) -> str:
    """A pattern for one of these words or phrases, the longest first; any white space between two words."""
    ordered = sorted(words, key=len, reverse=True)
    return "(?:" + "|".join(re.escape(w).replace(r"\ ", r"\s+").replace("'", "['’]") for w in ordered) + ")"


def full_year(said: str) -> int:
    """ "1988" and "'88" as a number."""
    digits = int(said.lstrip("'’"))
    if digits > 99:
        return digits
    return digits + (2000 if digits <= _LAST_OF_THIS_CENTURY else 1900)


def plain(said: str) -> str:
    """Lower-case, single spaces, straight apostrophes: as the table spells it."""
    return " ".join(said.lower().replace("’", "'").split())


MONTH = any_of(MONTHS)
WEEKDAY = any_of(WEEKDAYS)
SEASON = any_of(SEASONS)
PART = any_of(PARTS)
HOLIDAY = any_of(HOLIDAYS)
UNIT = any_of(UNITS)
YEAR = r"(?:(?:19|20)\d\d(?![\d,]\d|\d|[-/]\d)|['’]\d\d(?![\w'’]))"
_LAST_OF_THIS_CENTURY = 49  # "'49" is 2049, and "'50" is 1950
SUFFIX = r"(?:st|nd|rd|th)"
TO = r"(?:-|–|to|until|till|through|and)"
WHICH = r"(?:this\s+(?:coming|past)|the\s+(?:coming|following)|next|last|past|this|coming|following)"

_FOLLOW = lazy(rf"\s*(?:$|[,.;:!?)\]\"”–—\n-]|{any_of(_TABLE['context']['follow'])}(?![\w'’]))", re.I)
_COUNTED = lazy(rf"\s*(?:%|[$€£]|-?{any_of(_TABLE['context']['counted'])}\b)", re.I)
YEARLY = lazy(rf"\b{any_of(_TABLE['context']['yearly'])}\b", re.I)
REFUSED = lazy(rf"\b(?:{any_of(_TABLE['context']['refused'])})\s+(?:the\s+)?$", re.I)
MOVED = lazy(rf"\b(?:{any_of(_TABLE['context']['moved'])})\b[^.;!?]{{0,40}}$", re.I)

NUMBERED = any_of(_TABLE["context"]["numbered"])
EVENING = lazy(rf"\b{any_of(_TABLE['context']['evening'])}\b", re.I)
_PREDICATE = lazy(rf"\s+{any_of(_TABLE['context']['predicates'])}\b", re.I)


def ends_there(text: str, end: int) -> bool:
    """Whether nothing after a place is a noun that the words before it could describe."""
    if text[end : end + 2].lower() in {"'s", "’s"}:  # "Friday's fine"
        after = end + 2
        return bool(_FOLLOW.match(text, after) or _PREDICATE.match(text, after))
    return _FOLLOW.match(text, end) is not None


def counts_things(text: str, end: int) -> bool:
    """Whether the number that ends there counts the word after it: "2000 people"."""
    return _COUNTED.match(text, end) is not None


def owns(text: str, end: int) -> bool:
    """Whether an apostrophe follows that makes the words before it own a noun, and does not stand for "is"."""
    after = end + 2
    if text[end:after].lower() not in {"'s", "’s"} or not text[after : after + 1].isspace():
        return False
    return not (ends_there(text, after) or _PREDICATE.match(text, after))
