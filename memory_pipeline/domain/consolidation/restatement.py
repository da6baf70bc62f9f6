"""What a memory says, found again in other texts: so that what is forgotten goes wherever it was said."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

from memory_pipeline.domain.inflection import stem
from memory_pipeline.domain.passage import Passage, beginning, beginning_with, passage
from memory_pipeline.domain.text import STOPWORDS, singular

T = TypeVar("T")
_SHORT = 3  # letters that a word of a value must have to tell something by itself


@dataclass(frozen=True, slots=True)
class Statement:
    """What one memory says, to find again in other words.

    Attributes:
        said: stems of all its content words.
        value: stems of its value.
    """

    said: frozenset[str]
    value: frozenset[str]

    @classmethod
    def of(cls, content: str, value: str | None) -> Statement:
        told = _meant(value or "")
        return cls(_meant(content), told if any(len(word) >= _SHORT for word in told) else frozenset())

    def __bool__(self) -> bool:
        return len(self.said) > 1

    @property
    def pattern(self) -> str:
        """A regular expression (RE2, case ignored) that is found in every text that may say it."""
        starts = {beginning(word) for word in (*_longest(self.said), *_longest(self.value))}
        return "|".join(map(beginning_with, sorted(starts)))

    def wanted(self, *, bare: bool) -> frozenset[str]:
        """The stems that a sentence must have.

        Args:
            bare: its value alone is enough, as where an assistant takes the fact up.
        """
        return self.value if bare and self.value else self.said

    def held(self, text: str | Passage, *, bare: bool = False) -> bool:
        """Whether a sentence of a text says it."""
        there, wanted = passage(text), self.wanted(bare=bare)
        return wanted <= there.stems and any(wanted <= sentence.stems for sentence in there.sentences)


class Statements(Generic[T]):
    """Statements to look for in many texts at once, each with what it stands for."""

    def __init__(self, statements: Iterable[tuple[Statement, T]]) -> None:
        self._by_word: dict[bool, dict[str, list[tuple[Statement, T]]]] = {True: {}, False: {}}
        for said, what in statements:
            for bare, by_word in self._by_word.items():
                for word in _longest(said.wanted(bare=bare)):
                    by_word.setdefault(word, []).append((said, what))

    def held(self, there: Passage, *, bare: bool) -> Iterator[T]:
        """What the statements that a text says stand for; ``bare`` as in :meth:`Statement.wanted`."""
        by_word = self._by_word[bare]
        for word in there.stems & by_word.keys():
            for said, what in by_word[word]:
                if said.held(there, bare=bare):
                    yield what


def _longest(stems: frozenset[str]) -> tuple[str, ...]:
    return (max(stems, key=lambda word: (len(word), word)),) if stems else ()


def _meant(text: str) -> frozenset[str]:
    return frozenset(stem(singular(word)) for word in Passage(text).words if word not in STOPWORDS)


__all__ = ["Statement", "Statements"]
