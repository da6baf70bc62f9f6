"""What a memory is about: the words by which memories of one theme are found (KN-23)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from memory_pipeline.domain.text import NEGATIONS, STOPWORDS, figures, words

# Words of any theme: what is done with all things, when, how often and how much; and how work memories are announced.
_WORDS = """
have get take go make do be give put come see find say tell know think want need keep let use try start begin stop
buy bring send show look seem become happen work decide ask read write finding decision correction estimate lesson
day week month year hour minute second time morning afternoon evening night today yesterday tomorrow
monday tuesday wednesday thursday friday saturday sunday
january february march april may june july august september october november december
first last next new old good bad big small long short more most much many half third one once ever always often
still about because thing way lot people part side case number percent average
"""
_LIGHT = frozenset(_WORDS.split())
_SHORTEST = 3

Stem = Callable[[str], Sequence[str]]
"""A word, lower case → its lemma and its stem."""


def keywords(text: str, stem: Stem) -> frozenset[str]:
    """The stems of a text's content words: no grammar, no numbers, no words that go with any theme."""
    found = set()
    for word in words(text):
        word = word.removesuffix("'s")
        if word in STOPWORDS or word in NEGATIONS or word in _LIGHT or word[:1].isdigit() or figures(word):
            continue
        lemma, stemmed = stem(word)
        if lemma not in _LIGHT and len(lemma) >= _SHORTEST:
            found.add(stemmed)
    return frozenset(found)


class Weights:
    """How much words tell of a theme among some memories: the logarithm of how many of them hold it.

    A word of one memory weighs nothing, for a theme is what comes back; a word that nearly all of many memories hold
    tells none of them apart, and is left out.

    Args:
        common_share, common_from: share of so many memories or more from which on a word is one that nearly all hold.
    """

    def __init__(self, every: Sequence[frozenset[str]], common_share: float, common_from: int) -> None:
        counts = Counter(word for found in every for word in found)
        most = common_share * len(every) if len(every) >= common_from else len(every)
        self._weight: Mapping[str, float] = {w: math.log(n) for w, n in counts.items() if 1 < n <= most}

    def telling(self, found: Iterable[str]) -> frozenset[str]:
        """Those of some words that weigh anything."""
        return frozenset(word for word in found if word in self._weight)

    def of(self, found: Iterable[str]) -> float:
        """Summed weight of some words."""
        return math.fsum(self._weight.get(word, 0.0) for word in found)

    def overlap(self, a: frozenset[str], b: frozenset[str]) -> float:
        """Weighted Jaccard overlap of two sets of telling words, 0 to 1."""
        shared = a & b
        return self.of(shared) / self.of(a | b) if shared else 0.0
