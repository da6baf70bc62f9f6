"""When a rate warns: above its limit, or far above what it was; never on a handful."""

from __future__ import annotations

import pytest

from memory_pipeline.domain.rates import Count, Rate, total, trend
from memory_pipeline.settings import Settings

POLICY = Settings.load().policies.rates


@pytest.mark.parametrize(
    ("now", "before", "ok", "told"),
    [
        (Count(10, 100), Count(10, 100), True, "10 of 100 (10.0%), 10.0% before"),
        (Count(51, 100), Count(45, 100), False, "above 50%"),
        (Count(25, 100), Count(10, 100), False, "more than 2 times what it was"),
        (Count(25, 100), Count(), True, "25 of 100 (25.0%)"),
        (Count(4, 100), Count(1, 100), True, "4.0%"),
        (Count(19, 19), Count(), True, "fewer than 20 tell nothing"),
        (Count(), Count(), True, "0 of 0 (0.0%)"),
    ],
)
def test_a_rate_is_judged(now: Count, before: Count, ok: bool, told: str) -> None:
    judged = trend(Rate.JUNK, now, before, POLICY)
    assert judged.ok is ok and told in judged.told


def test_every_rate_has_a_limit_and_a_meaning() -> None:
    assert set(POLICY.limits) == set(Rate) and all(rate.meaning for rate in Rate)


def test_days_weigh_by_what_was_counted() -> None:
    days = {n: Count(part, whole) for n, (part, whole) in enumerate([(1, 1), (0, 9), (5, 5)])}
    assert total(days, [0, 1, 7]) == Count(1, 10)  # type: ignore[arg-type]
