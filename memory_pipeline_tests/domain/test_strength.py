from __future__ import annotations

import math

import pytest

from memory_pipeline.domain.policy import CurvePolicy
from memory_pipeline.domain.strength import strength
from memory_pipeline.settings import Settings

CURVES = Settings.load().policies.curves
SAGE, SUBTRACT, GENTLE, NONE = (CURVES[name] for name in ("sage", "subtract", "gentle", "none"))


def test_without_a_curve_importance_stays() -> None:
    assert strength(0.7, 0, 10_000, NONE) == 0.7


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
    assert strength(0.8, 0, days, SAGE) == pytest.approx(left)


@pytest.mark.parametrize(("days", "left"), [(7, 0.5), (17, 0.4), (57, 0.0), (5000, 0.0)])
def test_subtracting_curve_takes_off_the_same_each_day(days: float, left: float) -> None:
    assert strength(0.5, 0, days, SUBTRACT) == pytest.approx(left)


def test_logarithmic_curve_falls_from_nine_tenths_to_almost_nothing_in_five_years() -> None:
    assert strength(0.9, 0, 1, GENTLE) == 0.9
    assert strength(0.9, 0, 31, GENTLE) == pytest.approx(0.9 - 0.11 * math.log(31))
    assert 0.05 <= strength(0.9, 0, 5 * 365, GENTLE) < 0.08


@pytest.mark.parametrize("curve", CURVES.values(), ids=CURVES.keys())
def test_strength_never_rises_with_time_and_never_exceeds_importance(curve: CurvePolicy) -> None:
    for importance in (0.0, 0.02, 0.1, 0.5, 1.0):
        found = [strength(importance, 0, days, curve) for days in range(0, 800, 5)]
        assert found == sorted(found, reverse=True)
        assert found[0] == importance
        assert found[-1] >= min(curve.floor, importance)


def test_each_confirmation_slows_forgetting() -> None:
    assert strength(0.8, 1, 120, SAGE) == pytest.approx(strength(0.8, 0, 60, SAGE))
    assert strength(0.8, 3, 120, SAGE) == 0.8


def test_a_time_before_the_last_access_counts_as_none() -> None:
    assert strength(0.8, 0, -50, SUBTRACT) == 0.8


def test_an_unknown_kind_is_refused_with_the_kinds_that_exist() -> None:
    curve = CurvePolicy(kind="cliff", floor=0, rate=1, after_days=0, late_rate=1, late_after_days=0)
    with pytest.raises(ValueError, match="cliff.*stepped.*logarithmic"):
        strength(0.5, 0, 1, curve)
