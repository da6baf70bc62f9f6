"""Whether a text may name any of a user's entities, told without making the entities out.

Most questions name nobody, and to read the names of some hundred memories takes longer than all else that answering
does. Every name that a :class:`Roster` knows consists of words of the fields that names are read from, of their first
letters, or of words for relations: a text that has none of these names nothing. The reverse does not hold.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from memory_pipeline.domain.entities.names import initial_letters, initials, marked_tokens, tokens
from memory_pipeline.domain.entities.relations import WORDS
from memory_pipeline.domain.text import STOPWORDS

_LONGEST = 6  # words of a name that a text spells out
_LETTERS = 2  # of the shortest initialism, but for what stands for "city" in it


class NameHints:
    """The words of a user's names, and more.

    Args:
        fields: what memories name things in: subjects, values and attributes of slots that name something, entities,
            and contents that say what something is called.
    """

    def __init__(self, fields: Iterable[str]) -> None:
        self._fields = sorted(set(fields))

    def may_name(self, text: str) -> bool:
        """Whether a roster of the same memories may find something in a text."""
        if not self._fields:
            return False
        if not text.isascii() or not self._words:
            return True
        words = [
            (token, possessive, written.lstrip("\"'(")[:1].isupper())
            for written in text.split()
            for token, possessive in marked_tokens(written)
        ]
        if any(token in WORDS or self._initialism(token) for token, *_ in words):
            return True
        known = [token in self._words for token, *_ in words]
        for n, (token, possessive, capital) in enumerate(words):
            common = token in STOPWORDS and not possessive and not (capital and n)
            if known[n] and (not common or (n and known[n - 1])):
                return True
        return self._spelt_out(words)

    @cached_property
    def _words(self) -> frozenset[str]:
        """Words of all fields; none where some field is in another script, of which anything may be said."""
        joined = "\n".join(self._fields)
        return frozenset(tokens(joined)) if joined.isascii() else frozenset()

    @cached_property
    def _letters(self) -> str:
        """First letters of the words of each field."""
        return "\n".join(letters for field in self._fields for letters in initial_letters(field) if len(letters) > 1)

    def _initialism(self, token: str) -> bool:
        if len(token) <= _LETTERS or not token.isalpha():
            return False
        return token in self._letters or (token.endswith("c") and token[:-1] in self._letters)

    def _spelt_out(self, words: list[tuple[str, bool, bool]]) -> bool:
        capitals = [n for n, (_, _, capital) in enumerate(words) if capital]
        return any(
            short in self._words or short in self._letters
            for first in capitals
            for last in capitals
            if first < last < first + _LONGEST
            for short in initials(" ".join(token for token, *_ in words[first : last + 1]))
        )
