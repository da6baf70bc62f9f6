"""The tables of ``answers.toml``, and patterns made of their phrases."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import Any

from memory_pipeline.domain.patterns import lazy
from memory_pipeline.language.tables import read


def table(section: str) -> dict[str, Any]:
    """A section of ``tables/answers.toml``: lists of phrases, or words with their forms."""
    section_: dict[str, Any] = read("answers")[section]
    return section_


@cache
def words(section: str, name: str) -> frozenset[str]:
    """A list of words as a set."""
    return frozenset(table(section)[name])


def alternatives(phrases: Iterable[str], between: str = r"[\s,]+") -> str:
    """A pattern that matches any of the phrases, the longest first, each as whole words with ``between`` in between."""
    ordered = sorted(phrases, key=len, reverse=True)
    return "(?:" + "|".join(re.escape(p).replace(r"\ ", between) for p in ordered) + r")(?![\w'])"


@cache
def opening(section: str, name: str) -> re.Pattern[str]:
    """A pattern for one of a list of phrases at the place where it is tried, marks before it included."""
    # "no, one cat" is not "no one": what looks like a yes or no without being one stands without a comma.
    between = r"\s+" if name == "nothing" else r"[\s,]+"
    return lazy(r"[\W_]*" + alternatives(table(section)[name], between), re.I)


@cache
def closing(section: str, name: str) -> re.Pattern[str]:
    """A pattern for one of a list of phrases at the end of a text, with the marks around it."""
    return lazy(r"[\s,;–—-]+" + alternatives(table(section)[name]) + r"[\s.!?,;:)]*$", re.I)


def plain(text: str) -> str:
    """Straight apostrophes for curly ones; no place in the text moves."""
    return text.replace("’", "'").replace("‘", "'")
