from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_pipeline.domain.calendar import (
    Grain,
    Period,
    age,
    day_end,
    day_start,
    local_day,
    period_of,
    periods,
    zone,
)

ZONES = st.sampled_from(["UTC", "Europe/Berlin", "America/New_York", "Asia/Tokyo", "Pacific/Apia", "Asia/Kathmandu"])
DAYS = st.dates(date(2020, 1, 1), date(2035, 12, 31))


@given(st.datetimes(datetime(2020, 1, 1), datetime(2035, 12, 31)), ZONES)
def test_a_time_lies_in_its_local_day(at: datetime, name: str) -> None:
    at = at.replace(tzinfo=UTC)
    day = local_day(at, name)
    assert day_start(day, name) <= at < day_end(day, name)


@given(DAYS, ZONES)
def test_days_follow_each_other_without_a_gap(day: date, name: str) -> None:
    assert day_end(day, name) == day_start(day + timedelta(days=1), name)


def test_the_days_of_a_clock_change_are_an_hour_shorter_and_longer() -> None:
    def hours(day: date) -> float:
        return (day_end(day, "Europe/Berlin") - day_start(day, "Europe/Berlin")).total_seconds() / 3600

    assert hours(date(2026, 3, 29)) == 23
    assert hours(date(2026, 10, 25)) == 25


@given(DAYS, st.sampled_from(list(Grain)))
def test_a_period_holds_its_day_and_ends_where_the_next_begins(day: date, grain: Grain) -> None:
    period = period_of(grain, day)
    assert day in list(period.days())
    assert period_of(grain, period.end).start == period.end
    assert period_of(grain, period.end - timedelta(days=1)) == period
    assert (period.end - period.start).days <= grain.most_days


def test_labels() -> None:
    assert Period(Grain.DAY, date(2026, 3, 10)).label == "2026-03-10"
    assert period_of(Grain.WEEK, date(2026, 1, 1)).label == "2026-W01"
    assert period_of(Grain.WEEK, date(2027, 1, 1)).label == "2026-W53"
    assert period_of(Grain.MONTH, date(2026, 2, 28)).label == "2026-02"
    assert period_of(Grain.MONTH, date(2026, 2, 28)).end == date(2026, 3, 1)


def test_periods_are_named_once_in_order() -> None:
    found = periods(Grain.WEEK, [date(2026, 3, 17), date(2026, 3, 10), date(2026, 3, 11)])
    assert [p.start for p in found] == [date(2026, 3, 9), date(2026, 3, 16)]


def test_an_unknown_zone_is_named() -> None:
    with pytest.raises(ValueError, match="Mars/Olympus"):
        zone("Mars/Olympus")


@pytest.mark.parametrize(
    ("ago", "said"),
    [
        (timedelta(minutes=5), "just now"),
        (timedelta(hours=3), "3 hours ago"),
        (timedelta(days=1), "1 day ago"),
        (timedelta(days=3), "3 days ago"),
        (timedelta(days=15), "2 weeks ago"),
        (timedelta(days=70), "2 months ago"),
        (timedelta(days=800), "2 years ago"),
        (-timedelta(days=4), "in 4 days"),
    ],
)
def test_age(ago: timedelta, said: str) -> None:
    now = datetime(2026, 6, 1, tzinfo=UTC)
    assert age(now - ago, now) == said
