"""Remembered text as data: one line that can pass neither for a section of the block nor for an instruction."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

from memory_pipeline.domain.patterns import lazy

_JOINERS = "\u200c\u200d"  # format characters that scripts and pictographs need
# Variation selectors say how the character before them looks, and hide bytes behind it; pictographs need one.
_SELECTORS = lazy(
    "[\ufe00-\ufe0e\U000e0100-\U000e01ef]|(?<![\u00a9\u00ae\u203c-\u3299\U0001f000-\U0001faff#*0-9])\ufe0f"
)
_RULES = lazy(r"([=#~`*_-])\1{2,}")  # rules, headings and code fences
_TAG = lazy(r"<(?=[/!?|a-zA-Z])")
# A client that renders the reply would fetch it, with whatever its address carries.
_IMAGE = lazy(r"!\[([^\[\]]*)\]\s?(?:\([^()]*\)|\[[^\[\]]*\])")
_IMAGE_OPENS = lazy(r"!(?=\[)")
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
    text = _SELECTORS.sub("", text)
    if not text.isascii():
        plain = unicodedata.normalize("NFKC", text)
        if _structured(plain, titles):
            text = plain
    text = _IMAGE.sub(lambda m: f"(image: {m[1]})" if m[1].strip() else "(image)", text)
    text = _IMAGE_OPENS.sub("! ", text)
    text = _RULES.sub(r"\1", text)
    text = _TAG.sub("‹", text)
    text = _MARKER.sub(lambda m: f"({m[1]})" if m[1] else "›", text)
    for title in titles:
        text = re.sub(rf"({re.escape(title.rstrip(':'))})\s*[:：]", r"\1", text, flags=re.IGNORECASE)
    return " ".join(text.split())


def _structured(text: str, titles: tuple[str, ...]) -> bool:
    folded = text.casefold()
    return any(rule.search(text) for rule in (_RULES, _TAG, _MARKER, _IMAGE_OPENS)) or any(
        title.rstrip(":").casefold() in folded for title in titles
    )


def _printable(character: str) -> bool:
    return unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Zl", "Zp")
