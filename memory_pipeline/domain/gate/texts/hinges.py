"""What a text hinges on, whatever its grammar: the names, numbers and dates that it gives, and its telling words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from memory_pipeline.domain.gate.texts.conversation import MONTH, WEEKDAY, WIDE, fold
from memory_pipeline.domain.gate.texts.numerals import NUMBER
from memory_pipeline.domain.patterns import lazy
from memory_pipeline.domain.text import content_words

_DATE = lazy(
    r"\b\d{4}-\d{1,2}(?:-\d{1,2})?(?:[T ]\d{1,2}:\d{2}(?::\d{2})?)?\b|\b\d{1,2}[./]\d{1,2}[./](?:\d{4}|\d{2})\b"
    rf"|\b(?:{MONTH})\b\.?(?: (?:the )?(?:3[01]|[12]?\d)(?:st|nd|rd|th)?\b)?(?:,? (?:of )?\d{{4}}\b)?"
    rf"|\b\d{{1,2}}(?:st|nd|rd|th)?\.? (?:of )?(?:{MONTH})\b\.?(?:,? \d{{4}}\b)?|\b{WEEKDAY}\b|\b(?:19|"
    rf"20)\d\d(?![\d.,]\d)s?\b"
    r"|\b[QH][1-4]\b|\b\d{1,2}:\d{2}(?: ?[ap]\.?m\b)?",
    re.I,
)
_DATED = lazy(r"\d|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mon|tue|wed|thu|fri|sat|sun)", re.I)
# A month that is also a word counts as a date only beside a number.
_A_WORD = lazy(r"(?:may|march|mar|dec|jan|jun|sep|oct|nov)\.?$", re.I)
# "Ines is 8, not 7": an age is said without these words.
_AGED = lazy(r"(?<=\d) years? old\b", re.I)
_CAPITAL = lazy(r"(?<![\w'’])[A-Z\u00c0-\u00de\u0370-\u03ab\u0400-\u042f][\w'’&.+#-]*")
_BEFORE_SENTENCES = '.!?:;"“('


@dataclass(frozen=True, slots=True)
class Parts:
    """A text taken apart.

    Attributes:
        plain: the text with its dates and times blanked.
        dates: as written, in order.
    """

    plain: str
    dates: tuple[str, ...]


@lru_cache(maxsize=4096)
def parts(text: str) -> Parts:
    """A text's dates, and the text without them; English, and dates in figures."""
    if _DATED.search(text) is None:
        return Parts(text, ())
    found = tuple(m.group() for m in _DATE.finditer(text) if not _A_WORD.fullmatch(m.group()))
    return Parts(_DATE.sub(lambda m: " " * len(m.group()), text), found)


def capitals(text: str, *, sentence: bool) -> Iterator[str]:
    """Words written with a capital, folded.

    Args:
        sentence: the text is made of sentences, whose first words have a capital anyway.
    """
    plain = parts(text).plain
    for match in _CAPITAL.finditer(plain):
        word = match.group().rstrip(".'’-+#")
        before = plain[: match.start()].rstrip(" ")
        if len(word) > 1 and not (sentence and (not before or before[-1] in _BEFORE_SENTENCES)):
            yield fold(word).removesuffix("'s")


def figures(text: str) -> Iterator[str]:
    """The numbers in figures that are no part of a date, as written."""
    for number in NUMBER.findall(fold(parts(text).plain)):
        yield number.strip(".,:")


def telling(text: str) -> list[str]:
    """The words that are neither grammar, numbers nor dates; each character where a word has no borders."""
    words: list[str] = []
    for word in content_words(_AGED.sub(" ", parts(text).plain)):
        wide = () if word.isascii() else WIDE.findall(word)
        if wide:
            words += wide
        elif not word[0].isdigit() and word != "user":
            words.append(fold(word))
    return words
