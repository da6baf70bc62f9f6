"""A text taken apart for comparison: its words, their stems, its sentences and clauses."""

from __future__ import annotations

import re
from functools import cached_property
from itertools import pairwise

from memory_pipeline.domain.inflection import stem
from memory_pipeline.domain.patterns import lazy
from memory_pipeline.domain.text import normalise, singular

_WORD = lazy(r"[^\W_]+(?:['’][^\W_]+)*", re.UNICODE)
_SENTENCE = lazy(r"(?<=[.!?…])\s+|\n+")
# "Ana and I moved" is one clause, "I left the bank and opened a school" are two.
_CLAUSE = lazy(
    r"(?<=[.!?…,;:])\s+|\n+|\s+[-–—]\s+|\s+(?:but|because|while|so)\s+|\s+and\s+(?!(?:i|me|my|we|our)\b)", re.I
)
_Y = 3  # letters of a word from which on its forms may have lost a "y"


class Passage:
    """A text to look for topics in; what is made of its words is made once."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def plain(self) -> str:
        """The text as words are compared."""
        return normalise(self.text)

    @cached_property
    def words(self) -> tuple[str, ...]:
        """Lower-case words in order, without the possessive."""
        return tuple(word.removesuffix("'s") for word in _WORD.findall(self.plain))

    @cached_property
    def line(self) -> str:
        """The words between spaces."""
        return f" {' '.join(self.words)} "

    @cached_property
    def said(self) -> frozenset[str]:
        """The words and their singulars."""
        return frozenset(self.words) | frozenset(map(singular, self.words))

    @cached_property
    def stems(self) -> frozenset[str]:
        """The stems of the words."""
        return frozenset(stem(singular(word)) for word in self.words)

    @cached_property
    def sentences(self) -> list[Passage]:
        """The sentences, each by itself."""
        parts = _SENTENCE.split(self.text)
        return [Passage(part) for part in parts] if len(parts) > 1 else [self]

    @cached_property
    def neighbours(self) -> list[Passage]:
        """Each sentence with the one behind it."""
        if len(self.sentences) < 3:
            return [self]
        return [Passage(f"{a.text} {b.text}") for a, b in pairwise(self.sentences)]


def passage(text: str | Passage) -> Passage:
    """A text as a passage."""
    return text if isinstance(text, Passage) else Passage(text)


def source(content: str, text: str) -> str:
    """The clause of a message that a memory was read out of: the one that shares most words with it."""
    wanted = Passage(content).stems
    return max(_CLAUSE.split(text), key=lambda clause: len(wanted & Passage(clause).stems), default="")


def beginning(word: str) -> str:
    """What every form of a word or phrase begins with."""
    first = re.split(r"[ -]", word)[0]
    return first.removesuffix("y") if len(first) > _Y else first


def beginning_with(start: str) -> str:
    """A regular expression (RE2) for words that begin so; its word boundaries know ASCII alone."""
    return rf"\b{re.escape(start)}" if start[:1].isascii() and start[:1].isalpha() else re.escape(start)


__all__ = ["Passage", "beginning", "beginning_with", "passage", "source"]
