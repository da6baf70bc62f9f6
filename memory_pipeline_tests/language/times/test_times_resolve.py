"""Date phrases against a Tuesday in Berlin, forwards for plans and backwards for stories."""

from __future__ import annotations

from datetime import datetime, time

import pytest

from memory_pipeline.domain.calendar import zone
from memory_pipeline.language.times.days import Direction
from memory_pipeline.language.times.phrases import find
from memory_pipeline.language.times.resolve import dates, local

BERLIN = zone("Europe/Berlin")
TUESDAY = datetime(2026, 3, 10, 9, 15, tzinfo=BERLIN)

FUTURE = {  # phrase in a sentence: (first, last)
    "call mom today": ("2026-03-10", "2026-03-10"),
    "call mom tomorrow": ("2026-03-11", "2026-03-11"),
    "call her the day after tomorrow": ("2026-03-12", "2026-03-12"),
    "by Friday": ("2026-03-13", "2026-03-13"),
    "on Friday": ("2026-03-13", "2026-03-13"),
    "on Tuesday": ("2026-03-17", "2026-03-17"),
    "by Tuesday": ("2026-03-10", "2026-03-10"),
    "next Friday": ("2026-03-20", "2026-03-20"),
    "this Friday": ("2026-03-13", "2026-03-13"),
    "this coming Sunday": ("2026-03-15", "2026-03-15"),
    "this weekend": ("2026-03-14", "2026-03-15"),
    "next weekend": ("2026-03-21", "2026-03-22"),
    "next week": ("2026-03-16", "2026-03-22"),
    "next month": ("2026-04-01", "2026-04-30"),
    "this quarter": ("2026-01-01", "2026-03-31"),
    "next year": ("2027-01-01", "2027-12-31"),
    "in two weeks": ("2026-03-24", "2026-03-24"),
    "in 3 days": ("2026-03-13", "2026-03-13"),
    "a week from now": ("2026-03-17", "2026-03-17"),
    "until end of April": ("2026-04-30", "2026-04-30"),
    "by the end of the month": ("2026-03-31", "2026-03-31"),
    "by end of week": ("2026-03-15", "2026-03-15"),
    "until the end of the quarter": ("2026-03-31", "2026-03-31"),
    "on April 3": ("2026-04-03", "2026-04-03"),
    "on April 10th": ("2026-04-10", "2026-04-10"),
    "on the 10th of April": ("2026-04-10", "2026-04-10"),
    "on 10 April 2027": ("2027-04-10", "2027-04-10"),
    "on January 5": ("2027-01-05", "2027-01-05"),
    "from April 15 to 17": ("2026-04-15", "2026-04-17"),
    "on the 15th": ("2026-03-15", "2026-03-15"),
    "on the 5th": ("2026-04-05", "2026-04-05"),
    "due on 2026-04-10": ("2026-04-10", "2026-04-10"),
    "in May": ("2026-05-01", "2026-05-31"),
    "next summer": ("2026-06-01", "2026-08-31"),
    "on Christmas": ("2026-12-25", "2026-12-25"),
    "on February 29": ("2028-02-29", "2028-02-29"),
    "on 12/04/2026": ("2026-12-04", "2026-12-04"),
}
TIMED = {
    "tonight": "2026-03-10T20:00:00+01:00",
    "at 5pm": "2026-03-10T17:00:00+01:00",
    "tomorrow at 10:30 am": "2026-03-11T10:30:00+01:00",
    "on Friday at 17:45": "2026-03-13T17:45:00+01:00",
    "tomorrow morning": "2026-03-11T09:00:00+01:00",
    "on April 3 at noon": "2026-04-03T12:00:00+02:00",
    "on March 29 at 02:30": "2026-03-29T03:30:00+02:00",  # a time that the clock change skips
    "on October 25 at 12:00": "2026-10-25T12:00:00+01:00",
    "in 2 hours": "2026-03-10T11:15:00+01:00",
}
PAST = {
    "yesterday": ("2026-03-09", "2026-03-09"),
    "the day before yesterday": ("2026-03-08", "2026-03-08"),
    "last Friday": ("2026-03-06", "2026-03-06"),
    "on Tuesday": ("2026-03-03", "2026-03-03"),
    "last week": ("2026-03-02", "2026-03-08"),
    "last weekend": ("2026-03-07", "2026-03-08"),
    "last month": ("2026-02-01", "2026-02-28"),
    "3 days ago": ("2026-03-07", "2026-03-07"),
    "two weeks ago": ("2026-02-23", "2026-03-01"),
    "two months ago": ("2026-01-01", "2026-01-31"),
    "10 years ago": ("2016-01-01", "2016-12-31"),
    "last summer": ("2025-06-01", "2025-08-31"),
    "in December": ("2025-12-01", "2025-12-31"),
    "in 2019": ("2019-01-01", "2019-12-31"),
    "since March 2025": ("2025-03-01", "2025-03-31"),
    "on March 20": ("2025-03-20", "2025-03-20"),
    "last year": ("2025-01-01", "2025-12-31"),
}


def _span(text: str, direction: Direction, now: datetime = TUESDAY) -> list[tuple[str, str]]:
    return [(when.first, when.last) for when in dates(text, now, BERLIN, direction)]


@pytest.mark.parametrize(("text", "expected"), FUTURE.items(), ids=FUTURE)
def test_ahead(text: str, expected: tuple[str, str]) -> None:
    assert _span(f"I must do it {text}", "future") == [expected]


@pytest.mark.parametrize(("text", "expected"), TIMED.items(), ids=TIMED)
def test_time_of_day_has_the_offset_of_that_day(text: str, expected: str) -> None:
    assert _span(f"I must do it {text}", "future") == [(expected, expected)]


@pytest.mark.parametrize(("text", "expected"), PAST.items(), ids=PAST)
def test_back(text: str, expected: tuple[str, str]) -> None:
    assert _span(f"I did it {text}", "past") == [expected]


MONTH_ENDS = [
    ("2026-01-31T12:00:00+01:00", "next month", "2026-02-01", "2026-02-28"),
    ("2028-01-31T12:00:00+01:00", "by the end of next month", "2028-02-29", "2028-02-29"),
    ("2026-12-31T12:00:00+01:00", "tomorrow", "2027-01-01", "2027-01-01"),
    ("2026-01-31T12:00:00+01:00", "a month from now", "2026-02-28", "2026-02-28"),
    ("2026-11-30T12:00:00+01:00", "next quarter", "2027-01-01", "2027-03-31"),
]


@pytest.mark.parametrize(("now", "text", "first", "last"), MONTH_ENDS)
def test_month_ends(now: str, text: str, first: str, last: str) -> None:
    assert _span(f"I must do it {text}", "future", datetime.fromisoformat(now).astimezone(BERLIN)) == [(first, last)]


@pytest.mark.parametrize("text", ["on February 30", "on 31 April", "on the 42nd of May", "on 2026-13-01"])
def test_days_that_do_not_exist(text: str) -> None:
    assert _span(f"I must do it {text}", "future") == []


NO_DATES = [
    "I may go",
    "I march on",
    "I love Sunday roast",
    "I run every Sunday",
    "on Mondays and Thursdays",
    "a November 10 course",
    "I bought 2019 stickers",
    "from 9 to 5",
    "version 2.4.1",
    "my 30-day experiment",
]


@pytest.mark.parametrize("text", NO_DATES)
def test_no_date(text: str) -> None:
    assert find(text) == []


def test_the_preposition_belongs_to_the_phrase() -> None:
    (phrase,) = find("I have to call the bank no later than Friday, please")
    assert (phrase.text, phrase.relation) == ("no later than Friday", "by")


@pytest.mark.parametrize(
    ("text", "wording"),
    [
        ("I did it yesterday", "on 9 March 2026"),
        ("I did it last week", "in the week of 2 March 2026"),
        ("I did it last summer", "in summer 2025"),
        ("I do it since March 2025", "since March 2025"),
    ],
)
def test_wording(text: str, wording: str) -> None:
    assert [str(when) for when in dates(text, TUESDAY, BERLIN, "past")] == [wording]


def test_a_skipped_hour_moves_on_and_a_repeated_one_is_the_first() -> None:
    assert local(datetime(2026, 3, 29).date(), time(2, 30), BERLIN).isoformat() == "2026-03-29T03:30:00+02:00"
    assert local(datetime(2026, 10, 25).date(), time(2, 30), BERLIN).isoformat() == "2026-10-25T02:30:00+02:00"
