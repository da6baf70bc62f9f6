"""Grouping memories by shared keywords: union-find over word overlap (KN-23)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from memory_pipeline.domain.text import content_words, overlap


class UnionFind:
    """Disjoint sets over 0 … n-1, with path halving and union by size."""

    def __init__(self, size: int) -> None:
        self._parent = list(range(size))
        self._size = [1] * size

    def find(self, item: int) -> int:
        """The representative of an item's set."""
        while self._parent[item] != item:
            self._parent[item] = self._parent[self._parent[item]]
            item = self._parent[item]
        return item

    def union(self, a: int, b: int) -> None:
        """Join the sets of two items."""
        a, b = self.find(a), self.find(b)
        if a == b:
            return
        if self._size[a] < self._size[b]:
            a, b = b, a
        self._parent[b] = a
        self._size[a] += self._size[b]

    def groups(self) -> list[list[int]]:
        """All sets, members in order, sets by their first member."""
        found: dict[int, list[int]] = defaultdict(list)
        for item in range(len(self._parent)):
            found[self.find(item)].append(item)
        return sorted(found.values())


def clusters(texts: Sequence[str], threshold: float, minimum: int) -> list[list[int]]:
    """Groups of at least ``minimum`` texts whose content words overlap by at least ``threshold`` (Jaccard), by index.

    Only texts that share a word are compared.
    """
    words = [content_words(text) for text in texts]
    by_word: dict[str, list[int]] = defaultdict(list)
    for n, found in enumerate(words):
        for word in found:
            by_word[word].append(n)
    sets = UnionFind(len(texts))
    for members in by_word.values():
        for i, a in enumerate(members):
            for b in members[i + 1 :]:
                if sets.find(a) != sets.find(b) and overlap(words[a], words[b]) >= threshold:
                    sets.union(a, b)
    return [group for group in sets.groups() if len(group) >= minimum]
