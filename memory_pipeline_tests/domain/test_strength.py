from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_pipeline.domain.ledger.strength import fades_after, slowing, strength
from memory_pipeline.domain.policy import CurvePolicy
from memory_pipeline.settings import Settings

POLICY = Settings.load().policies
CURVES = POLICY.curves
SAGE, SUBTRACT, GENTLE, NONE = (CURVES[name] for name in ("sage", "subtract", "gentle", "none"))
each = pytest.mark.parametrize("curve", CURVES.values(), ids=CURVES.keys())
units = st.floats(0, 1)


def test_without_a_curve_importance_stays() -> None:
    assert strength(0.7, 10_000, NONE) == 0.7


@pytest.mark.parametrize(
    ("days", "left"),
    [
        (0, 0.8),
        (30, 0.8),
        (31, 0.8 * 0.98),
        (90, 0.8 * 0.98**60),
        (91, 0.8 * 0.98**60 * 0.95),
        (100, 0.8 * 0.98**60 * 0.95**10),
        (1000, 0.1),
    ],
)
def test_stepped_curve_multiplies_by_the_day(days: float, left: float) -> None:
    assert strength(0.8, days, SAGE) == pytest.approx(left)


def test_stepped_curve_is_the_daily_job_that_it_stands_for() -> None:
    stored = 0.9
    for day in range(1, 200):
        if day > 90:
            stored = max(stored * 0.95, 0.1)
        elif day > 30:
            stored = max(stored * 0.98, 0.1)
        assert strength(0.9, day, SAGE) == pytest.approx(stored)


def test_subtracting_curve_is_the_periodic_job_that_it_stands_for() -> None:
    stored = 0.505
    for day in range(1, 100):
        if day > 7 and stored > 0.1:  # LS-21 leaves alone what is at 0.1 or below
            stored -= 0.01
        assert strength(0.505, day, SUBTRACT) == pytest.approx(stored, abs=0.0051)
    assert stored < 0.1


@pytest.mark.parametrize(("days", "left"), [(7, 0.5), (17, 0.4), (47, 0.1), (5000, 0.09)])
def test_subtracting_curve_takes_off_the_same_each_day(days: float, left: float) -> None:
    assert strength(0.5, days, SUBTRACT) == pytest.approx(left)


@pytest.mark.parametrize(("years", "left"), [(0, 0.9), (1 / 12, 0.51), (1, 0.23), (2, 0.15), (5, 0.05), (20, 0.05)])
def test_logarithmic_curve_falls_from_nine_tenths_to_almost_nothing_in_five_years(years: float, left: float) -> None:
    assert strength(0.9, 365 * years, GENTLE) == pytest.approx(left, abs=0.01)


@each
@given(units, st.floats(0, 4000), st.floats(0, 4000), st.floats(1, 10))
def test_strength_never_rises_with_time_and_stays_between_floor_and_importance(
    curve: CurvePolicy, importance: float, days: float, more: float, slowed: float
) -> None:
    now, later = strength(importance, days, curve, slowed), strength(importance, days + more, curve, slowed)
    assert min(curve.floor, importance) <= later <= now <= importance


def test_each_confirmation_slows_forgetting() -> None:
    assert strength(0.8, 120, SAGE, slowing(1, 0, POLICY.strength)) == pytest.approx(strength(0.8, 60, SAGE))
    assert strength(0.8, 120, SAGE, slowing(3, 0, POLICY.strength)) == 0.8


def test_a_recall_strengthens_slightly_and_many_no_more_than_a_confirmation() -> None:
    slowed = [slowing(0, recalls, POLICY.strength) for recalls in range(60)]
    assert slowed == sorted(slowed)
    assert slowed[:2] == [1.0, pytest.approx(1.05)]
    assert slowed[-1] == slowing(1, 0, POLICY.strength)
    once = strength(0.8, 100, SAGE, slowed[1])
    assert strength(0.8, 100, SAGE) < once < strength(0.8, 90, SAGE)


def test_a_time_before_the_last_access_counts_as_none() -> None:
    assert strength(0.8, -50, SUBTRACT) == 0.8


@each
@given(units, st.floats(0.02, 0.5), st.floats(1, 6))
def test_the_day_of_fading_is_the_first_below(
    curve: CurvePolicy, importance: float, below: float, slowed: float
) -> None:
    days = fades_after(importance, below, curve, slowed)
    if days is None:
        assert curve.kind == "none" or curve.floor >= below or strength(importance, 36_524, curve, slowed) >= below
    else:
        assert strength(importance, days, curve, slowed) < below
        assert days == 0 or strength(importance, days - 1, curve, slowed) >= below


def test_nothing_is_forgotten_totally_on_the_curve_that_says_so() -> None:
    assert fades_after(0.05, POLICY.prune.below, SAGE) is None  # KN-22
    assert fades_after(0.05, POLICY.prune.below, NONE) is None
    assert fades_after(0.5, POLICY.prune.below, replace(SAGE, floor=0.0)) == 98


def test_an_unknown_kind_is_refused_with_the_kinds_that_exist() -> None:
    curve = CurvePolicy(kind="cliff", floor=0, rate=1, after_days=0, late_rate=1, late_after_days=0)
    with pytest.raises(ValueError, match="cliff.*stepped.*logarithmic"):
        strength(0.5, 1, curve)
