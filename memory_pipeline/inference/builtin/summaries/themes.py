"""What a sentence is about, for telling like from unlike: the stems of its content words, and its heading."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Any

from memory_pipeline.domain.text import content_words, words
from memory_pipeline.inference.stemming import stemmer
from memory_pipeline.language.tables import read
from memory_pipeline.language.wording.agreement import base, tense

MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
_COUNTS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


def count(number: int, other: str) -> str:
    """A small count in words; ``other`` for a larger one."""
    return _COUNTS[number] if number < len(_COUNTS) else other


@lru_cache(maxsize=8192)
def stem(word: str) -> str:
    """A lower-case word without inflection, irregular pasts included: "ran", "running" → "run"."""
    return str(stemmer().stemWord(base(word) if tense(word) is not None else word))


@lru_cache(maxsize=8192)
def stems(text: str) -> frozenset[str]:
    """The stems of the words that carry meaning."""
    meant = content_words(text)
    spelt = {word.removesuffix("'s") for word in words(text)}
    return frozenset(stem(word) for word in meant | (spelt & meant)) - {""}


def shared(a: frozenset[str], b: frozenset[str]) -> float:
    """The share of the smaller set that the other has too, 0 to 1."""
    return len(a & b) / min(len(a), len(b)) if a and b else 0.0


@cache
def headings() -> tuple[str, ...]:
    """The headings under which memories are told, in order."""
    return tuple(str(theme["name"]) for theme in read("summaries")["theme"])


@cache
def _by(kind: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for theme in read("summaries")["theme"]:
        for name in theme.get(kind, "").split():
            found.setdefault(name, str(theme["name"]))
    return found


def heading(memory: Mapping[str, Any]) -> str:
    """The heading of a listed memory: people by themselves, then by attribute, then by type."""
    if memory["type"] in {"open_loop", "ephemeral", "protocol"}:
        return _by("types")[memory["type"]]
    subject, attribute = memory.get("subject"), memory.get("attribute") or ""
    if subject not in {None, "user"}:
        return "People"
    by_type = _by("types").get(memory["type"], "About them")
    return _by("attributes").get(attribute, by_type)
