from __future__ import annotations

import math
from collections.abc import Callable, Collection

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_pipeline.evaluation.data_sets import metrics

RANKING = [{"x"}, {"a"}, {"y"}, {"b", "c"}, {"a"}]
GOLD = ("a", "b", "z")
IDS = st.sampled_from("abcdefgh")
RANKINGS = st.lists(st.frozensets(IDS, max_size=3), max_size=12)
GOLDS = st.frozensets(IDS, min_size=1)
CUT = st.integers(1, 12)


@pytest.mark.parametrize(
    ("k", "share", "any_", "all_"), [(1, 0, 0, 0), (2, 1 / 3, 1, 0), (4, 2 / 3, 1, 0), (5, 2 / 3, 1, 0)]
)
def test_recall_by_hand(k: int, share: float, any_: float, all_: float) -> None:
    assert metrics.recall(RANKING, GOLD, k) == pytest.approx(share)
    assert metrics.recall_any(RANKING, GOLD, k) == any_
    assert metrics.recall_all(RANKING, GOLD, k) == all_
    assert metrics.recall_all(RANKING, ("a", "c"), 4) == 1


def test_rank_figures_by_hand() -> None:
    assert metrics.reciprocal_rank(RANKING, GOLD) == 1 / 2
    assert metrics.reciprocal_rank(RANKING, ("z",)) == 0
    found = 1 / math.log2(3) + 1 / math.log2(5)  # places 2 and 4; "a" at place 5 is known by then
    best = 1 + 1 / math.log2(3) + 1 / math.log2(4)
    assert metrics.ndcg(RANKING, GOLD, 10) == pytest.approx(found / best)
    assert metrics.ndcg(RANKING, GOLD, 3) == pytest.approx(1 / math.log2(3) / best)


def test_a_session_stands_at_its_best_turn() -> None:
    assert metrics.distinct(["s2", "s1", "s2", "s3"], 2) == [{"s2"}, {"s1"}]


@pytest.mark.parametrize("figure", [metrics.recall, metrics.recall_any, metrics.recall_all, metrics.ndcg])
def test_without_evidence_there_is_no_figure(figure: Callable[[metrics.Ranking, Collection[str], int], float]) -> None:
    with pytest.raises(ValueError, match="without evidence"):
        figure(RANKING, (), 5)


@given(RANKINGS, GOLDS, CUT)
def test_the_recalls_agree(ranking: list[frozenset[str]], gold: frozenset[str], k: int) -> None:
    share = metrics.recall(ranking, gold, k)
    assert 0 <= share <= metrics.recall(ranking, gold, k + 1) <= 1
    assert metrics.recall_any(ranking, gold, k) == (share > 0)
    assert metrics.recall_all(ranking, gold, k) == (share == 1)
    assert (metrics.reciprocal_rank(ranking[:k], gold) > 0) == (share > 0)


@given(RANKINGS, GOLDS, CUT)
def test_ndcg_is_a_share_and_full_for_the_best_order(
    ranking: list[frozenset[str]], gold: frozenset[str], k: int
) -> None:
    assert 0 <= metrics.ndcg(ranking, gold, k) <= 1 + 1e-9
    assert metrics.ndcg([{i} for i in sorted(gold)], gold, k) == pytest.approx(1)


class TestInterval:
    def test_is_the_same_for_the_same_seed(self) -> None:
        values = [0.0, 1.0, 1.0, 0.5] * 10
        first, second = (metrics.bootstrap_interval(values, np.random.default_rng(7)) for _ in range(2))
        assert first == second
        assert first.mean == pytest.approx(0.625)
        assert first.low < first.mean < first.high

    def test_is_near_the_textbook_for_shares(self) -> None:
        found = metrics.bootstrap_interval([1.0] * 50 + [0.0] * 50, np.random.default_rng(7))
        assert found.margin == pytest.approx(1.96 * math.sqrt(0.25 / 100), rel=0.1)

    def test_narrows_with_less_confidence(self) -> None:
        values = [0.0, 1.0] * 30
        wide, narrow = (
            metrics.bootstrap_interval(values, np.random.default_rng(7), confidence=c).margin for c in (0.99, 0.5)
        )
        assert narrow < wide / 2

    @given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
    def test_holds_the_mean_within_the_values(self, values: list[float]) -> None:
        found = metrics.bootstrap_interval(values, np.random.default_rng(1), resamples=50)
        assert min(values) - 1e-9 <= found.low <= found.high <= max(values) + 1e-9
        assert found.mean == pytest.approx(sum(values) / len(values))

    def test_needs_values(self) -> None:
        with pytest.raises(ValueError, match="no values"):
            metrics.bootstrap_interval([], np.random.default_rng(1))
