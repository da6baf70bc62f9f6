"""The time that a question speaks of."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from memory_pipeline.retrieval.scores.periods import QUESTION_CHARACTERS, Event, Window, asked

NOON = datetime(2023, 5, 10, 12, tzinfo=UTC)  # a Wednesday


def days(question: str, at: datetime = NOON, timezone: str = "UTC") -> tuple[str, str] | None:
    """The window as its first day and the day after its last, by the calendar of the zone."""
    found = asked(question, at, timezone)
    if found is None:
        return None
    assert isinstance(found, Window)
    return tuple(  # type: ignore[return-value]
        "" if math.isinf(edge) else datetime.fromtimestamp(edge, ZoneInfo(timezone)).strftime("%Y-%m-%d")
        for edge in (found.start, found.end)
    )


@pytest.mark.parametrize(
    ("question", "first", "after"),
    [
        ("What did I do yesterday?", "2023-05-09", "2023-05-10"),
        ("Where was I the day before yesterday?", "2023-05-08", "2023-05-09"),
        ("What did I eat today?", "2023-05-10", "2023-05-11"),
        ("What did I say this morning?", "2023-05-10", "2023-05-11"),
        ("Who called last night?", "2023-05-09", "2023-05-10"),
        ("What did I read last week?", "2023-05-01", "2023-05-08"),
        ("What did I read this week?", "2023-05-08", "2023-05-15"),
        ("Where did I go last weekend?", "2023-05-06", "2023-05-08"),
        ("Where did I go on the weekend of May 5?", "2023-05-06", "2023-05-08"),
        ("Which concert did I go to last month?", "2023-04-01", "2023-05-01"),
        ("What did I buy this month?", "2023-05-01", "2023-06-01"),
        ("Where did we travel last year?", "2022-01-01", "2023-01-01"),
        ("What have I learned this year?", "2023-01-01", "2024-01-01"),
        ("Who did I meet on Monday?", "2023-05-08", "2023-05-09"),
        ("Who did I meet last Monday?", "2023-05-08", "2023-05-09"),
        ("Who did I meet last Wednesday?", "2023-05-03", "2023-05-04"),
        ("Where was I in May?", "2023-05-01", "2023-06-01"),
        ("Where was I in June?", "2022-06-01", "2022-07-01"),
        ("Where was I in May 2021?", "2021-05-01", "2021-06-01"),
        ("What happened on 5 May?", "2023-05-05", "2023-05-06"),
        ("What happened on May 5th, 2021?", "2021-05-05", "2021-05-06"),
        ("What happened on 2021-05-06?", "2021-05-06", "2021-05-07"),
        ("What happened on 5/6/2021?", "2021-05-06", "2021-05-07"),
        ("What happened on 6.5.2021?", "2021-05-06", "2021-05-07"),
        ("What did I read in 2022?", "2022-01-01", "2023-01-01"),
        ("What did I read in the year 2022?", "2022-01-01", "2023-01-01"),
        ("Where was I for Christmas?", "2022-12-25", "2022-12-26"),
        ("What did I buy 10 days ago?", "2023-04-30", "2023-05-01"),
        ("What did I plant two weeks ago?", "2023-04-23", "2023-04-30"),
        ("What did I plant a week ago?", "2023-04-30", "2023-05-07"),
        ("Which museum did I see two months ago?", "2023-03-01", "2023-04-01"),
        ("What did I bake in the past two weeks?", "2023-04-26", "2023-05-11"),
        ("What did I bake the last three days?", "2023-05-07", "2023-05-11"),
        ("What did I bake in the last 30 days?", "2023-04-10", "2023-05-11"),
        ("How much did I spend in the past month?", "2023-04-10", "2023-05-11"),
        ("How much did I spend over the last week?", "2023-05-03", "2023-05-11"),
        ("What have I learned since March?", "2023-03-01", "2023-05-10"),
        ("What did I do before March?", "", "2023-03-01"),
        ("What did I do until March?", "", "2023-04-01"),
        ("What did I do after 3 March?", "2023-03-04", "2023-05-10"),
        ("Which airline did I fly with in March and April?", "2023-03-01", "2023-05-01"),
        ("Between March and April, where was I?", "2023-03-01", "2023-05-01"),
        ("What did I eat from 3 May to 9 May?", "2023-05-03", "2023-05-10"),
        ("What am I doing on Friday?", "2023-05-12", "2023-05-13"),
        ("What do I have next week?", "2023-05-15", "2023-05-22"),
        ("What did she finish last Friday, on 23 January 2022?", "2022-01-23", "2022-01-24"),
        ("When did Ann go camping in June?", "2022-06-01", "2022-07-01"),
    ],
)
def test_phrases(question: str, first: str, after: str) -> None:
    assert days(question) == (first, after)


@pytest.mark.parametrize(
    "question",
    [
        "",
        "?",
        "When did I move?",
        "When did I last see Ann?",
        "How many days ago did I read the book?",
        "How many days ago did I read the March 15th issue?",
        "How many days before my anniversary did Ann call?",
        "What have I been up to recently?",
        "May I have a cookie?",
        "I may be late.",
        "march on",
        "Did they march to the station?",
        "I had second thoughts.",
        "What is my May birthday cake?",
        "Have I been to Rome before?",
        "What may I do after gaming?",
        "What happened on 30 February 2023?",
        "What happened 9999 years ago?",
        "What did I do in the last 900 years, no, 999 years?" * 9,
        "Room 2022, where is it?",
        "昨日何をしましたか",
    ],
)
def test_no_time(question: str) -> None:
    assert asked(question, NOON, "UTC") is None


@pytest.mark.parametrize(
    ("question", "relation", "clause"),
    [
        ("What did I do before I moved to Lisbon?", "before", "I moved to Lisbon"),
        ("Before I moved to Lisbon, what did I do?", "before", "I moved to Lisbon"),
        ("What did I play until my son was born?", "before", "my son was born"),
        ("Where did we go after the wedding?", "after", "the wedding"),
        ("Whom have I met since I started at Acme?", "after", "I started at Acme"),
        ("How many pictures have I painted since starting classes?", "after", "starting classes"),
        ("What did Ann do after Bob left?", "after", "Bob left"),
    ],
)
def test_events(question: str, relation: str, clause: str) -> None:
    assert asked(question, NOON, "UTC") == Event(relation, clause)


def test_an_event_parts_time_in_two() -> None:
    moment, now = 1000.0, 5000.0
    assert Event("before", "").window(moment, now) == Window(-math.inf, moment)
    assert Event("after", "").window(moment, now) == Window(moment, now)
    assert Event("after", "").window(now + 1, now) == Window(now + 1, now + 1)


def test_the_day_is_that_of_the_users_zone() -> None:
    late = datetime(2023, 5, 10, 23, 30, tzinfo=UTC)
    assert days("What did I do yesterday?", late, "UTC") == ("2023-05-09", "2023-05-10")
    assert days("What did I do yesterday?", late, "Asia/Tokyo") == ("2023-05-10", "2023-05-11")
    assert days("What did I do yesterday?", late.replace(hour=3), "America/New_York") == ("2023-05-08", "2023-05-09")
    found = asked("What did I do yesterday?", late, "Asia/Tokyo")
    assert found == Window(
        datetime(2023, 5, 9, 15, tzinfo=UTC).timestamp(), datetime(2023, 5, 10, 15, tzinfo=UTC).timestamp()
    )


@pytest.mark.parametrize(("day", "hours"), [(26, 23), (25, 24)])
def test_a_day_of_a_clock_change_has_its_own_length(day: int, hours: int) -> None:
    found = asked("What did I do yesterday?", datetime(2023, 3, day + 1, 12, tzinfo=UTC), "Europe/Berlin")
    assert isinstance(found, Window)
    assert found.end - found.start == timedelta(hours=hours).total_seconds()


def test_leap_years() -> None:
    assert days("last month", datetime(2024, 3, 31, tzinfo=UTC)) == ("2024-02-01", "2024-03-01")
    assert days("in the past month", datetime(2024, 3, 31, tzinfo=UTC)) == ("2024-02-29", "2024-04-01")
    assert days("What did I do on 29 February?", NOON) == ("2020-02-29", "2020-03-01")


@pytest.mark.parametrize("weekday", range(7))
def test_weeks_begin_on_monday(weekday: int) -> None:
    asked_at = datetime(2023, 5, 8, 12, tzinfo=UTC) + timedelta(days=weekday)
    assert days("this week", asked_at) == ("2023-05-08", "2023-05-15")
    assert days("last week", asked_at) == ("2023-05-01", "2023-05-08")


def test_a_story_is_no_question() -> None:
    story = "I moved to Lisbon last month. " * (QUESTION_CHARACTERS // 30 + 1)
    assert len(story) > QUESTION_CHARACTERS
    assert asked(story, NOON, "UTC") is None


@pytest.mark.parametrize("timezone", ["Asia/Tokyo", "America/New_York"])
def test_a_day_outside_the_calendar_is_none(timezone: str) -> None:
    first, last = datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, 23, tzinfo=UTC)
    for question in ("What did I do last year?", "two weeks ago", "in the last 3 months", "the last 9 days"):
        assert asked(question, first, timezone) is None
    assert asked("What do I have next year?", last, timezone) is None
