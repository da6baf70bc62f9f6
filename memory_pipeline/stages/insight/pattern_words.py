"""The words by which memories go together: their keywords, and those of them that nearly all memories share (KN-23)."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache

from memory_pipeline.domain.keywords import keywords
from memory_pipeline.domain.ledger.memory import MemoryVersion
from memory_pipeline.domain.policy import PatternPolicy
from memory_pipeline.domain.proposal import DERIVED_TYPES
from memory_pipeline.inference.stemming import stemmer


class WordCounts:
    """How many of a user's memories hold each keyword, kept up to date one version at a time."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._memories = 0

    def replace(self, old: MemoryVersion | None, new: MemoryVersion) -> None:
        """A memory has come to be what it is, or another version of it; what is derived does not count."""
        if old is not None and old.content == new.content and old.type is new.type:
            return
        for version, sign in ((old, -1), (new, 1)):
            if version is not None and version.type not in DERIVED_TYPES:
                self._memories += sign
                for word in keywords_of(version.content):
                    self._counts[word] += sign

    def everywhere(self, figures: PatternPolicy) -> frozenset[str]:
        """The words that nearly all memories share, whatever they are about: the user's own name."""
        if self._memories < figures.common_from:
            return frozenset()
        return frozenset(word for word, n in self._counts.items() if n > figures.common_share * self._memories)


@lru_cache(maxsize=65536)
def keywords_of(content: str) -> frozenset[str]:
    """The stems of what a sentence is about."""
    return keywords(content, stem)


@lru_cache(maxsize=65536)
def stem(word: str) -> tuple[str, str]:
    """A lower-case word → its lemma and its stem (English)."""
    from memory_pipeline.inference.builtin.verbs import lemma

    base = lemma(word)
    return base, str(stemmer().stemWord(base))
