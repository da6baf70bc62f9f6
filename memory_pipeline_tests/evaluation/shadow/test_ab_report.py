from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_pipeline.domain.policy import ShadowPolicy
from memory_pipeline.evaluation.shadow.ab_report import (
    FAULTS,
    ReadPair,
    SideOfRead,
    compare,
    overlap,
    percentile,
    rank_biased_overlap,
    verdict,
)

POLICY = ShadowPolicy(
    depth=10, lost_helpful=0.02, slower=1.5, latency_ms=5.0, latency_reads=4, valid_days=7, min_reads=1
)
rankings = st.lists(st.sampled_from("abcdefghijklmnop"), unique=True, max_size=12)
sides = st.builds(
    SideOfRead,
    keys=rankings.map(tuple),
    helpful=st.dictionaries(st.sampled_from("xyz"), st.integers(0, 9)),
    unhelpful=st.dictionaries(st.sampled_from("uvw"), st.integers(0, 9)),
    faults=st.just({}),
    ms=st.floats(0, 100),
    tokens=st.integers(0, 100),
)
pairs = st.lists(st.builds(ReadPair, st.sampled_from(["ada", "bo"]), sides, sides), min_size=1, max_size=8)


@given(rankings, rankings)
def test_overlaps_are_symmetric_and_between_0_and_1(one: list[str], other: list[str]) -> None:
    for measure in (lambda a, b: overlap(a, b, 5), rank_biased_overlap):
        assert 0.0 <= measure(one, other) <= 1.0
        assert measure(one, other) == pytest.approx(measure(other, one))


@given(rankings)
def test_equal_rankings_overlap_wholly(one: list[str]) -> None:
    assert overlap(one, one, 5) == 1.0
    assert rank_biased_overlap(one, one) == pytest.approx(1.0)


@given(rankings.filter(bool))
def test_rankings_with_nothing_in_common_do_not_overlap(one: list[str]) -> None:
    other = [name.upper() for name in one]
    assert overlap(one, other, 5) == 0.0
    assert rank_biased_overlap(one, other) == 0.0
    assert rank_biased_overlap(one, []) == 0.0


def test_the_first_places_count_most() -> None:
    ranking = list("abcdefgh")
    top, tail = [ranking[1], ranking[0], *ranking[2:]], [*ranking[:6], ranking[7], ranking[6]]
    assert rank_biased_overlap(ranking, top) < rank_biased_overlap(ranking, tail) < 1.0
    # Agreements 0, 1, 1 at depths 1 to 3 with p = 0.9: 0.1/0.9 * (0.81 + 0.729) + 0.729.
    assert rank_biased_overlap("abc", "bac") == pytest.approx(0.9)


def test_nearest_rank_percentiles() -> None:
    assert percentile([4, 1, 3, 2], 0.5) == 2
    assert percentile([4, 1, 3, 2], 0.95) == 4
    assert percentile([], 0.5) == 0


@given(pairs)
def test_what_is_kept_and_lost_is_what_was_there(found: list[ReadPair]) -> None:
    metrics = compare(found, POLICY)
    for name in ("helpful", "unhelpful"):
        assert metrics[f"{name}_kept"] + metrics[f"{name}_lost"] == metrics[f"{name}_base"]
        assert metrics[f"{name}_kept"] + metrics[f"{name}_gained"] == metrics[f"{name}_candidate"]
    assert metrics["reads"] == len(found)
    assert 0 <= metrics["mrr_base"] <= 1


@given(pairs)
def test_a_candidate_that_answers_the_same_passes(found: list[ReadPair]) -> None:
    metrics = compare([replace(pair, candidate=pair.base) for pair in found], POLICY)
    assert metrics["overlap@10"] == 1.0
    assert metrics["rank_biased_overlap"] == pytest.approx(1.0)
    assert metrics["reads_changed"] == metrics["gained"] == metrics["lost"] == 0
    assert verdict(metrics, POLICY) == []


@given(pairs, st.sampled_from(FAULTS))
def test_one_fault_blocks_whatever_else_is_better(found: list[ReadPair], fault: str) -> None:
    found = [replace(pair, candidate=pair.base) for pair in found]
    found[0] = replace(found[0], candidate=replace(found[0].candidate, faults={fault: 1}))
    assert len(verdict(compare(found, POLICY), POLICY)) == 1


def test_losing_what_had_helped_blocks_beyond_the_tolerance() -> None:
    kept = ReadPair("ada", SideOfRead(("m 1",), {"mem": 0}), SideOfRead(("m 1",), {"mem": 0}))
    gone = replace(kept, candidate=SideOfRead(("n 1",)))
    (reason,) = verdict(compare([kept] * 9 + [gone], POLICY), POLICY)
    assert reason.startswith("1 of 10 items that had helped are lost")
    assert verdict(compare([kept] * 49 + [gone], POLICY), POLICY) == []
    metrics = compare([kept, gone], POLICY)
    assert (metrics["mrr_base"], metrics["mrr_candidate"]) == (1.0, 0.5)


@pytest.mark.parametrize(("ms", "passes"), [(29.0, True), (31.0, False)])
def test_a_slower_median_blocks(ms: float, passes: bool) -> None:
    pair = ReadPair("ada", SideOfRead(("m 1",), ms=20.0), SideOfRead(("m 1",), ms=ms))
    assert (verdict(compare([pair] * 4, POLICY), POLICY) == []) is passes
    assert verdict(compare([pair] * 3, POLICY), POLICY) == []  # too few to tell it from noise


def test_a_slow_median_below_the_noise_does_not_block() -> None:
    pair = ReadPair("ada", SideOfRead(("m 1",), ms=1.0), SideOfRead(("m 1",), ms=4.9))
    assert verdict(compare([pair] * 4, POLICY), POLICY) == []


def test_too_few_reads_say_too_little() -> None:
    policy = replace(POLICY, min_reads=3)
    assert "at least 3 are needed" in verdict(compare([], policy), policy)[0]
