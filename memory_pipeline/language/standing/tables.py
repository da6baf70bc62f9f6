"""The vocabulary of standing, read once: word lists, and patterns made of rows that refer to them."""

from __future__ import annotations

import re
from functools import cache

from memory_pipeline.domain.patterns import lazy
from memory_pipeline.language.tables import read

_REFERENCE = lazy(r"\{([a-z_]+)\}")
_APOSTROPHES = str.maketrans({"'": "’", "‘": "’", "`": "’"})


@cache
def words(name: str) -> frozenset[str]:
    """The plain words of a list, with ’ for every apostrophe."""
    return frozenset(word.translate(_APOSTROPHES) for word in read("standing")["words"][name])


@cache
def any_word(name: str) -> str:
    """An alternative of the expressions of a list, longest first so that none hides another."""
    listed = sorted((w.translate(_APOSTROPHES) for w in read("standing")["words"][name]), key=len, reverse=True)
    return f"(?:{'|'.join(listed)})"


@cache
def row(name: str) -> re.Pattern[str]:
    """The rows of a group as one pattern, to be searched in text that :func:`folded` has made."""
    rows = read("standing")["rows"][name]
    return lazy("|".join(_REFERENCE.sub(lambda ref: any_word(ref.group(1)), line) for line in rows))


def folded(text: str) -> str:
    """The text in lower case with one kind of apostrophe, character for character as long as before."""
    low = text.lower()
    if len(low) != len(text):
        low = "".join(c.lower() if len(c.lower()) == 1 else c for c in text)
    return low.translate(_APOSTROPHES)
