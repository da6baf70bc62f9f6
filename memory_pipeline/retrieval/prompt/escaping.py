"""Remembered text as data: one line that can pass neither for a section of the block nor for an instruction."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

from memory_pipeline.domain.patterns import lazy

_JOINERS = "\u200c\u200d"  # format characters that scripts and pictographs need
_RULES = lazy(r"([=#~`*_-])\1{2,}")  # rules, headings and code fences
_TAG = lazy(r"<(?=[/!?|a-zA-Z])")
_MARKER = lazy(r"\[(/?(?:inst|system|user|assistant)\w*)\]|\|>", re.IGNORECASE)


def fenced(text: str, titles: Iterable[str] = ()) -> str:
    """The text on one line, without control characters, and with what structures a prompt made harmless.

    Args:
        titles: section titles of the block; where one stands in the text it loses its colon.
    """
    return _fenced(text, tuple(titles))


@lru_cache(maxsize=4096)  # the same memories come into block after block
def _fenced(text: str, titles: tuple[str, ...]) -> str:
    text = "".join(" " if c.isspace() else c for c in text if c.isspace() or c in _JOINERS or _printable(c))
    text = _RULES.sub(r"\1", text)
    text = _TAG.sub("‹", text)
    text = _MARKER.sub(lambda m: f"({m[1]})" if m[1] else "›", text)
    for title in titles:
        text = re.sub(rf"({re.escape(title.rstrip(':'))})\s*[:：]", r"\1", text, flags=re.IGNORECASE)
    return " ".join(text.split())


def _printable(character: str) -> bool:
    return unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Zl", "Zp")
