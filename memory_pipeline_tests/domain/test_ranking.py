from __future__ import annotations

import math
from dataclasses import replace

import pytest

from memory_pipeline.domain.reading import ranking
from memory_pipeline.settings import Settings

PROFILES = Settings.load().policies.profiles


def test_recency_by_profile() -> None:
    assert ranking.recency("linear", 365, 73) == pytest.approx(0.8)
    assert ranking.recency("linear", 365, 400) == 0
    assert ranking.recency("exponential", 0.01, 100) == pytest.approx(math.exp(-1))
    assert ranking.recency("exponential", 0.01, -5) == 1
    assert ranking.recency("none", 0, 3) == 0
    with pytest.raises(ValueError, match="sudden"):
        ranking.recency("sudden", 1, 1)


def test_knowlyr_half_life_is_about_69_days() -> None:
    assert ranking.recency("exponential", PROFILES["knowlyr"].recency_rate, 69.3) == pytest.approx(0.5, abs=0.001)


@pytest.mark.parametrize(("recalls", "value"), [(0, 0), (5, 0.25), (20, 1), (400, 1)])
def test_access_frequency_is_full_at_twenty(recalls: int, value: float) -> None:
    assert ranking.access_frequency(recalls) == value


@pytest.mark.parametrize(("days_left", "value"), [(-3, 1), (0, 1), (7, 0.5), (21, 0.25), (None, 0.25)])
def test_open_loops_grow_urgent(days_left: float | None, value: float) -> None:
    assert ranking.open_loop_urgency(days_left, 7) == value


def test_belief_is_sampled_until_five_recalls() -> None:
    assert ranking.belief(0, 0) == (1, 1)
    assert ranking.belief(4, 3) == (4, 2)
    assert ranking.belief(2, 5) == (6, 1)
    assert ranking.belief(5, 5) is None


def test_durable_adds_up_to_more_than_one_and_is_normalised() -> None:
    assert sum(PROFILES["durable"].weights.values()) == pytest.approx(1.10)
    weights = ranking.weights(PROFILES["durable"])
    assert sum(weights.values()) == pytest.approx(1)
    assert weights["similarity"] == pytest.approx(0.35 / 1.10)


def test_profiles_are_those_of_the_designs() -> None:
    assert ranking.weights(PROFILES["logicspike"]) == {
        "similarity": 0.40,
        "recency": 0.25,
        "importance": 0.20,
        "access_frequency": 0.10,
        "entity_match": 0.05,
    }
    assert ranking.weights(PROFILES["knowlyr"]) == {
        "keyword": 0.15,
        "similarity": 0.40,
        "q_value": 0.15,
        "importance": 0.15,
        "recency": 0.15,
    }
    assert ranking.weights(PROFILES["similarity"]) == {"similarity": 1.0}


def test_a_profile_with_an_unknown_signal_is_refused() -> None:
    with pytest.raises(ValueError, match="charm"):
        ranking.weights(replace(PROFILES["default"], weights={"charm": 1.0}))
    with pytest.raises(ValueError, match="more than 0"):
        ranking.weights(replace(PROFILES["default"], weights={}))
