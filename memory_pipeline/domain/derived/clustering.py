"""Grouping memories by shared keywords: union-find over keyword overlap, with a guard against chains (KN-23)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from memory_pipeline.domain.keywords import Weights
from memory_pipeline.domain.policy import PatternPolicy


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


def clusters(every: Sequence[frozenset[str]], policy: PatternPolicy, minimum: int) -> list[list[int]]:
    """Groups of at least ``minimum`` memories that share a theme, by index (KN-23).

    Two whose telling keywords overlap enough are joined. Since a chain of pairs may lead from one thing to another,
    only those stay in a group of whose own keywords enough belong to its theme: the words that most of the group hold.

    Args:
        every: the keywords of each memory (``keywords.keywords``).
    """
    weights = Weights(every, policy.common_share, policy.common_from)
    telling = [weights.telling(found) for found in every]
    by_word: dict[str, list[int]] = defaultdict(list)
    for n, found in enumerate(telling):
        for word in sorted(found):
            by_word[word].append(n)
    sets = UnionFind(len(every))
    for members in by_word.values():
        for i, a in enumerate(members):
            for b in members[i + 1 :]:
                if sets.find(a) != sets.find(b) and weights.overlap(telling[a], telling[b]) >= policy.overlap:
                    sets.union(a, b)
    whole = [group for group in sets.groups() if len(group) >= minimum]
    kept = [_of_one_theme(group, telling, weights, policy) for group in whole]
    return [group for group in kept if len(group) >= minimum]


def _of_one_theme(
    group: list[int], telling: Sequence[frozenset[str]], weights: Weights, policy: PatternPolicy
) -> list[int]:
    """The members that belong to the theme of what is left, until nobody else drops out."""
    while group:
        counts = Counter(word for n in group for word in telling[n])
        theme = {word for word, count in counts.items() if count >= policy.theme_share * len(group)}
        fit = [n for n in group if weights.of(telling[n] & theme) >= policy.overlap * weights.of(telling[n])]
        if fit == group:
            break
        group = fit
    return group
