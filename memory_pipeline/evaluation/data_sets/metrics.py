"""How much of the evidence a ranking holds, and how sure a mean is.

A ranking is a sequence of items, best first, each the set of evidence ids that it shows: one for a message, several for
a memory. An id counts at the first item that shows it.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

Ranking = Sequence[Collection[str]]


def recall(ranking: Ranking, gold: Collection[str], k: int) -> float:
    """Share of the gold ids among the first ``k`` items.

    Raises:
        ValueError: there is no gold id.
    """
    return len(_shown(ranking[:k], gold)) / len(set(gold))


def recall_any(ranking: Ranking, gold: Collection[str], k: int) -> float:
    """1 when a gold id is among the first ``k`` items, else 0.

    Raises:
        ValueError: there is no gold id.
    """
    return float(bool(_shown(ranking[:k], gold)))


def recall_all(ranking: Ranking, gold: Collection[str], k: int) -> float:
    """1 when all gold ids are among the first ``k`` items, else 0.

    Raises:
        ValueError: there is no gold id.
    """
    return float(len(_shown(ranking[:k], gold)) == len(set(gold)))


def reciprocal_rank(ranking: Ranking, gold: Collection[str]) -> float:
    """1 / the place of the first item with a gold id; 0 when there is none.

    Raises:
        ValueError: there is no gold id.
    """
    return next((1 / place for place, gain in enumerate(_gains(ranking, gold), 1) if gain), 0.0)


def ndcg(ranking: Ranking, gold: Collection[str], k: int) -> float:
    """Discounted cumulative gain over that of the best ranking; an item gains 1 when it shows a gold id first.

    Raises:
        ValueError: there is no gold id.
    """
    found = sum(gain / math.log2(place + 1) for place, gain in enumerate(_gains(ranking[:k], gold), 1))
    best = sum(1 / math.log2(place + 1) for place in range(1, min(len(set(gold)), k) + 1))
    return found / best if best else 0.0


def _gains(ranking: Ranking, gold: Collection[str]) -> Iterable[int]:
    wanted = _wanted(gold)
    for item in ranking:
        new = wanted.intersection(item)
        wanted -= new
        yield int(bool(new))


def _shown(items: Ranking, gold: Collection[str]) -> set[str]:
    return _wanted(gold).intersection(i for item in items for i in item)


def _wanted(gold: Collection[str]) -> set[str]:
    if not gold:
        raise ValueError("a question without evidence cannot be scored")
    return set(gold)


def distinct(ranking: Iterable[str], most: int | None = None) -> list[frozenset[str]]:
    """A ranking of sessions out of the sessions of ranked turns: each at its best turn."""
    return [frozenset({name}) for name in islice(dict.fromkeys(ranking), most)]


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean and the bounds of its confidence interval."""

    mean: float
    low: float
    high: float

    @property
    def margin(self) -> float:
        """Half the width."""
        return (self.high - self.low) / 2


def bootstrap_interval(
    values: Sequence[float], generator: np.random.Generator, *, confidence: float = 0.95, resamples: int = 2000
) -> Interval:
    """Percentile bootstrap of a mean.

    Args:
        values: one figure a question.
        generator: seeded by the caller: the same seed, the same interval.

    Raises:
        ValueError: there are no values.
    """
    import numpy as np

    if not len(values):
        raise ValueError("no values to take the mean of")
    found = np.asarray(values, dtype=np.float64)
    means = found[generator.integers(0, len(found), (resamples, len(found)))].mean(axis=1)
    low, high = np.quantile(means, [(1 - confidence) / 2, (1 + confidence) / 2])
    return Interval(float(found.mean()), float(low), float(high))
