"""What people mean by the times that they say, on several days and both ways."""

from __future__ import annotations

from datetime import datetime
from time import perf_counter
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_pipeline.language.times import TimeExpression, times

BERLIN = ZoneInfo("Europe/Berlin")
DENVER = ZoneInfo("America/Denver")
TUESDAY = datetime(2026, 3, 10, 9, 15, tzinfo=BERLIN)
SATURDAY = datetime(2026, 3, 14, 11, 0, tzinfo=BERLIN)
LAST_OF_JANUARY = datetime(2026, 1, 31, 12, 0, tzinfo=BERLIN)
LEAP_DAY = datetime(2028, 2, 29, 8, 0, tzinfo=BERLIN)
NEW_YEARS_EVE = datetime(2026, 12, 31, 23, 30, tzinfo=BERLIN)


def one(text: str, now: datetime, direction: str) -> TimeExpression:
    (found,) = times(text, now, BERLIN, direction)  # type: ignore[arg-type]
    assert found.text == text[found.start : found.end]
    return found


AHEAD = [  # text, its time, relation, first, last, grain, worded
    ("I'd call her on Saturday", "on Saturday", "on", "2026-03-14", "2026-03-14", "day", "on 14 March 2026"),
    ("Let's meet this Friday", "this Friday", "on", "2026-03-13", "2026-03-13", "day", "on 13 March 2026"),
    ("See you next Friday!", "next Friday", "on", "2026-03-20", "2026-03-20", "day", "on 20 March 2026"),
    ("He lands this coming Sunday", "this coming Sunday", "on", "2026-03-15", "2026-03-15", "day", "on 15 March 2026"),
    ("Sat works for me", "Sat", "on", "2026-03-14", "2026-03-14", "day", "on 14 March 2026"),
    ("see you on sat", "on sat", "on", "2026-03-14", "2026-03-14", "day", "on 14 March 2026"),
    ("Friday's fine", "Friday", "on", "2026-03-13", "2026-03-13", "day", "on 13 March 2026"),
    ("She arrives a week on Friday", "a week on Friday", "on", "2026-03-20", "2026-03-20", "day", "on 20 March 2026"),
    ("Friday week I fly out", "Friday week", "on", "2026-03-20", "2026-03-20", "day", "on 20 March 2026"),
    ("We leave two weeks from Saturday", "two weeks from Saturday", "on", "2026-03-28", "2026-03-28", "day",
     "on 28 March 2026"),
    ("It is due the day after tomorrow", "the day after tomorrow", "by", "2026-03-12", "2026-03-12", "day",
     "on 12 March 2026"),
    ("I'll send it by Friday", "by Friday", "by", "2026-03-13", "2026-03-13", "day", "by 13 March 2026"),
    ("Rent is due on the 1st of next month", "on the 1st of next month", "by", "2026-04-01", "2026-04-01", "day",
     "on 1 April 2026"),
    ("I must reply before the 3rd", "before the 3rd", "by", "2026-04-03", "2026-04-03", "day", "before 3 April 2026"),
    ("The dentist is on 12 Oct", "on 12 Oct", "on", "2026-10-12", "2026-10-12", "day", "on 12 October 2026"),
    ("Oct 12th is the exam", "Oct 12th", "on", "2026-10-12", "2026-10-12", "day", "on 12 October 2026"),
    ("The exam is on 12.10.2026", "on 12.10.2026", "on", "2026-10-12", "2026-10-12", "day", "on 12 October 2026"),
    ("The exam is on 13/10", "on 13/10", "on", "2026-10-13", "2026-10-13", "day", "on 13 October 2026"),
    ("It's on 2026-04-10", "on 2026-04-10", "on", "2026-04-10", "2026-04-10", "day", "on 10 April 2026"),
    ("The wedding: Saturday, 13 June 2026", "Saturday, 13 June 2026", "on", "2026-06-13", "2026-06-13", "day",
     "on 13 June 2026"),
    ("We're away April 15 to 17", "April 15 to 17", "on", "2026-04-15", "2026-04-17", "day",
     "from 15 to 17 April 2026"),
    ("I'm away from 3 March to 5 April 2027", "from 3 March to 5 April 2027", "on", "2027-03-03", "2027-04-05", "day",
     "from 3 March 2027 to 5 April 2027"),
    ("I'm in Rome from Monday to Friday", "from Monday to Friday", "on", "2026-03-16", "2026-03-20", "day",
     "from 16 March 2026 to 20 March 2026"),
    ("I'm off from the 15th to the 22nd of June", "from the 15th to the 22nd of June", "on", "2026-06-15", "2026-06-22",
     "day", "from 15 to 22 June 2026"),
    ("We travel between May and July", "between May and July", "on", "2026-05-01", "2026-07-31", "month",
     "between May 2026 and July 2026"),
    ("I start in two weeks", "in two weeks", "on", "2026-03-24", "2026-03-24", "week", "around 24 March 2026"),
    ("Back in 3 days' time", "in 3 days' time", "on", "2026-03-13", "2026-03-13", "day", "on 13 March 2026"),
    ("They want it within two weeks", "within two weeks", "by", "2026-03-24", "2026-03-24", "week", "by 24 March 2026"),
    ("We marry in two years", "in two years", "on", "2028-01-01", "2028-12-31", "year", "in 2028"),
    ("Hand it in by the end of the month", "by the end of the month", "by", "2026-03-21", "2026-03-31", "month",
     "by the end of March 2026"),
    ("It runs until the end of next week", "until the end of next week", "until", "2026-03-22", "2026-03-22", "week",
     "until the end of the week of 16 March 2026"),
    ("We want kids by the end of 2027", "by the end of 2027", "by", "2027-09-01", "2027-12-31", "year",
     "by the end of 2027"),
    ("The baby comes in mid-May", "in mid-May", "on", "2026-05-11", "2026-05-21", "month", "in mid-May 2026"),
    ("We move early June", "early June", "on", "2026-06-01", "2026-06-10", "month", "in early June 2026"),
    ("I'm hiking this weekend", "this weekend", "on", "2026-03-14", "2026-03-15", "day",
     "on the weekend of 14 March 2026"),
    ("We'll paint it over the weekend", "over the weekend", "on", "2026-03-14", "2026-03-15", "day",
     "over the weekend of 14 March 2026"),
    ("I graduate next spring", "next spring", "on", "2027-03-01", "2027-05-31", "season", "in spring 2027"),
    ("We launch in Q3", "in Q3", "on", "2026-07-01", "2026-09-30", "quarter", "in Q3 2026"),
    ("I go vegan from this month", "from this month", "since", "2026-03-01", "2026-03-31", "month", "since March 2026"),
    ("I'm on leave starting Monday", "starting Monday", "since", "2026-03-16", "2026-03-16", "day",
     "from 16 March 2026"),
    ("The lease runs until March 2027", "until March 2027", "until", "2027-03-01", "2027-03-31", "month",
     "until March 2027"),
    ("Mum visits at Easter", "at Easter", "on", "2026-04-05", "2026-04-05", "day", "at Easter 2026"),
    ("They come for Thanksgiving", "for Thanksgiving", "on", "2026-11-26", "2026-11-26", "day",
     "for Thanksgiving 2026"),
    ("Party on New Year's Eve", "on New Year's Eve", "on", "2026-12-31", "2026-12-31", "day", "on New Year's Eve 2026"),
    ("Voting is on the first Monday of May", "on the first Monday of May", "on", "2026-05-04", "2026-05-04", "day",
     "on 4 May 2026"),
    ("I'm nervous about tomorrow's exam", "about tomorrow's", "on", "2026-03-11", "2026-03-11", "day",
     "about the 11 March 2026"),
]  # fmt: skip
BEHIND = [
    ("I was born in 1988.", "in 1988", "on", "1988-01-01", "1988-12-31", "year", "in 1988"),
    ("My birthday is May 4th", "May 4th", "on", "2025-05-04", "2025-05-04", "day", "on 4 May"),
    ("my bday's on the 4th of may", "on the 4th of may", "on", "2025-05-04", "2025-05-04", "day", "on 4 May"),
    ("We met on Saturday", "on Saturday", "on", "2026-03-07", "2026-03-07", "day", "on 7 March 2026"),
    ("I got it a fortnight ago", "a fortnight ago", "on", "2026-02-24", "2026-02-24", "week",
     "around 24 February 2026"),
    ("I quit 3 yrs ago", "3 yrs ago", "on", "2023-01-01", "2023-12-31", "year", "in 2023"),
    ("I quit a month ago", "a month ago", "on", "2026-02-01", "2026-02-28", "month", "in February 2026"),
    ("We split half a year ago", "half a year ago", "on", "2025-09-01", "2025-09-30", "month", "around September 2025"),
    ("I saw him a few days ago", "a few days ago", "on", "2026-03-07", "2026-03-07", "day", "around 7 March 2026"),
    ("I've been vegan since last March", "since last March", "since", "2025-03-01", "2025-03-31", "month",
     "since March 2025"),
    ("I've lived here since 2019", "since 2019", "since", "2019-01-01", "2019-12-31", "year", "since 2019"),
    ("I worked there until 2019", "until 2019", "until", "2019-01-01", "2019-12-31", "year", "until 2019"),
    ("I lived in Rome from 2015 to 2019", "from 2015 to 2019", "on", "2015-01-01", "2019-12-31", "year",
     "from 2015 to 2019"),
    ("I've been sober for five years now", "for five years now", "since", "2021-01-01", "2026-03-10", "year",
     "since 2021"),
    ("My knee has hurt for the last 3 months", "for the last 3 months", "since", "2025-12-01", "2026-03-10", "month",
     "since December 2025"),
    ("I slept badly in the last two weeks", "in the last two weeks", "on", "2026-02-24", "2026-03-10", "week",
     "in the two weeks to 10 March 2026"),
    ("We drove to Spain over the summer", "over the summer", "on", "2025-06-01", "2025-08-31", "season",
     "over summer 2025"),
    ("He died in the summer of 2019", "in the summer of 2019", "on", "2019-06-01", "2019-08-31", "season",
     "in summer 2019"),
    ("I grew up in the early 80s", "in the early 80s", "on", "1980-01-01", "1982-12-31", "decade",
     "in the early 1980s"),
    ("She started the year before last", "the year before last", "on", "2024-01-01", "2024-12-31", "year", "in 2024"),
    ("I moved in Feb 2020", "in Feb 2020", "on", "2020-02-01", "2020-02-29", "month", "in February 2020"),
    ("I ran it in March", "in March", "on", "2026-03-01", "2026-03-31", "month", "in March 2026"),
    ("I moved here in September '22", "in September '22", "on", "2022-09-01", "2022-09-30", "month",
     "in September 2022"),
    ("I've been at Acme since '19", "since '19", "since", "2019-01-01", "2019-12-31", "year", "since 2019"),
    ("We dated from 2010-2014", "from 2010-2014", "on", "2010-01-01", "2014-12-31", "year", "from 2010 to 2014"),
    ("We married on 25/06/2019", "on 25/06/2019", "on", "2019-06-25", "2019-06-25", "day", "on 25 June 2019"),
]  # fmt: skip


@pytest.mark.parametrize("row", AHEAD, ids=lambda row: row[0])
def test_ahead_of_a_tuesday(row: tuple[str, ...]) -> None:
    found = one(row[0], TUESDAY, "future")
    assert (found.text, found.relation, found.first, found.last, found.grain, found.worded) == row[1:]


@pytest.mark.parametrize("row", BEHIND, ids=lambda row: row[0])
def test_behind_a_tuesday(row: tuple[str, ...]) -> None:
    found = one(row[0], TUESDAY, "past")
    assert (found.text, found.relation, found.first, found.last, found.grain, found.worded) == row[1:]


OTHER_DAYS = [
    (SATURDAY, "past", "It broke on Saturday", "2026-03-07"),
    (SATURDAY, "future", "I'd call her on Saturday", "2026-03-21"),
    (SATURDAY, "future", "by Saturday", "2026-03-14"),
    (SATURDAY, "future", "this Saturday", "2026-03-14"),
    (SATURDAY, "future", "over the weekend", "2026-03-14"),
    (SATURDAY, "past", "yesterday", "2026-03-13"),
    (SATURDAY, "past", "last Friday", "2026-03-13"),
    (SATURDAY, "future", "next week", "2026-03-16"),
    (LAST_OF_JANUARY, "future", "next month", "2026-02-01"),
    (LAST_OF_JANUARY, "future", "in a month", "2026-02-01"),
    (LAST_OF_JANUARY, "past", "two months ago", "2025-11-01"),
    (LAST_OF_JANUARY, "future", "on the 30th of next month", None),
    (LAST_OF_JANUARY, "future", "on the 1st", "2026-02-01"),
    (LAST_OF_JANUARY, "past", "in December", "2025-12-01"),
    (LAST_OF_JANUARY, "future", "in December", "2026-12-01"),
    (LEAP_DAY, "past", "a year ago", "2027-02-01"),
    (LEAP_DAY, "future", "in four years", "2032-01-01"),
    (LEAP_DAY, "future", "tomorrow", "2028-03-01"),
    (LEAP_DAY, "future", "on 29 Feb 2029", None),
    (NEW_YEARS_EVE, "future", "tomorrow", "2027-01-01"),
    (NEW_YEARS_EVE, "future", "next week", "2027-01-04"),
    (NEW_YEARS_EVE, "past", "this year", "2026-01-01"),
    (NEW_YEARS_EVE, "future", "in March", "2027-03-01"),
    (NEW_YEARS_EVE, "future", "at Christmas", "2027-12-25"),
]


@pytest.mark.parametrize(("now", "direction", "text", "first"), OTHER_DAYS)
def test_other_days(now: datetime, direction: str, text: str, first: str | None) -> None:
    found = times(text, now, BERLIN, direction)  # type: ignore[arg-type]
    assert [f.first for f in found] == ([first] if first else [])


CLOCKS = [
    ("call mom at 5 on Friday", "at 5 on Friday", "2026-03-13T17:00:00+01:00", "hour", "on 13 March 2026 at 17:00"),
    ("dinner with Sam tomorrow at 8", "tomorrow at 8", "2026-03-11T20:00:00+01:00", "hour",
     "on 11 March 2026 at 20:00"),
    ("tomorrow morning at 6", "tomorrow morning at 6", "2026-03-11T06:00:00+01:00", "hour",
     "on 11 March 2026 at 06:00"),
    ("I see her Thursday 19th at 10", "Thursday 19th at 10", "2026-03-19T10:00:00+01:00", "hour",
     "on 19 March 2026 at 10:00"),
    ("9am tomorrow", "9am tomorrow", "2026-03-11T09:00:00+01:00", "hour", "on 11 March 2026 at 09:00"),
    ("dentist sat at 9", "sat at 9", "2026-03-14T09:00:00+01:00", "hour", "on 14 March 2026 at 09:00"),
    ("ring me at 9:30 am", "at 9:30 am", "2026-03-10T09:30:00+01:00", "minute", "on 10 March 2026 at 09:30"),
    ("ring me at half past six", "at half past six", "2026-03-10T18:30:00+01:00", "minute",
     "on 10 March 2026 at 18:30"),
    ("ring me at 9", "at 9", "2026-03-11T09:00:00+01:00", "hour", "on 11 March 2026 at 09:00"),
    ("call her tonight", "tonight", "2026-03-10T20:00:00+01:00", "part", "on the evening of 10 March 2026"),
    ("Thursday night is fine", "Thursday night", "2026-03-12T20:00:00+01:00", "part", "on the night of 12 March 2026"),
    ("on March 29 at 02:30", "on March 29 at 02:30", "2026-03-29T03:30:00+02:00", "minute",
     "on 29 March 2026 at 02:30"),
    ("in half an hour", "in half an hour", "2026-03-10T09:45:00+01:00", "minute", "on 10 March 2026 at 09:45"),
    ("it has to be there by Friday at 5pm", "by Friday at 5pm", "2026-03-13T17:00:00+01:00", "hour",
     "by 13 March 2026 at 17:00"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "said", "first", "grain", "worded"), CLOCKS)
def test_times_of_day(text: str, said: str, first: str, grain: str, worded: str) -> None:
    found = one(text, TUESDAY, "future")
    assert (found.text, found.first, found.last, found.grain, found.worded) == (said, first, first, grain, worded)


def test_a_span_of_hours() -> None:
    found = one("I'm at the office from 9am to 5pm", TUESDAY, "past")
    assert (found.worded, found.first, found.last) == (
        "from 09:00 to 17:00", "2026-03-10T09:00:00+01:00", "2026-03-10T17:00:00+01:00",
    )  # fmt: skip


def test_the_day_is_the_writers() -> None:
    (found,) = times("I fell yesterday", TUESDAY.replace(hour=3), DENVER, "past")
    assert found.first == "2026-03-08"


HABITS = [
    ("I swim every Tuesday", "every Tuesday", "every Tuesday"),
    ("I swim on Mondays", "on Mondays", "every Monday"),
    ("Mondays I swim", "Mondays", "every Monday"),
    ("I swim Tuesdays and Thursdays at 6pm", "Tuesdays and Thursdays at 6pm", "every Tuesday and Thursday at 18:00"),
    ("Swimming is on mon, wed and fridays", "on mon, wed and fridays", "every Monday, Wednesday and Friday"),
    ("I work Monday to Friday", "Monday to Friday", "Monday to Friday"),
    ("We meet every other week", "every other week", "every other week"),
    ("I get a shot every 3 months", "every 3 months", "every 3 months"),
    ("We go out most Fridays", "most Fridays", "most Fridays"),
    ("I'm paid on the first of every month", "on the first of every month", "on the first of every month"),
    ("We ski every Christmas", "every Christmas", "every Christmas"),
]


@pytest.mark.parametrize(("text", "said", "worded"), HABITS)
def test_habits(text: str, said: str, worded: str) -> None:
    found = one(text, TUESDAY, "past")
    assert (found.text, found.worded, found.relation) == (said, worded, "every")
    assert (found.first, found.last, found.grain) == (None, None, "none")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("I lived there for five years", "for five years"),
        ("I was off work for two weeks", "for two weeks"),
        ("I taught maths for over 20 years", "for over 20 years"),
        ("I trained for ages", "for ages"),
        ("I wrote it in two weeks", "in two weeks"),
    ],
)
def test_lengths(text: str, said: str) -> None:
    found = one(text, TUESDAY, "past")
    assert (found.text, found.worded, found.relation, found.first) == (said, said, "for", None)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("It's the 11th not the 12th", "the 11th"),
        ("It's on the 11th, not on the 12th", "on the 11th"),
        ("Not this Friday but next Friday", "next Friday"),
        ("Friday rather than Saturday", "Friday"),
        ("Friday instead of Saturday", "Friday"),
        ("They moved it from the 12th to the 13th", "to the 13th"),
        ("The call got pushed from Friday to Monday", "to Monday"),
    ],
)
def test_a_time_that_does_not_hold_is_none(text: str, said: str) -> None:
    assert one(text, TUESDAY, "future").text == said


NONE = [
    "I may go", "May I ask you something?", "only 4 may attend", "I march on", "we march 10 miles", "I sat down",
    "the sun is out", "the second one, please", "the fall was hard", "We wed in a church",
    "June is my sister", "My daughter April called", "when I was ten", "in my 30s", "I love Sunday roast",
    "the Christmas party", "a November 10 course", "the March 15th issue", "my 2020 laptop models", "the 2019 Honda",
    "I work 24/7", "server 10.12.20.26", "version 2.4.12 or 2.5.1", "call 030 2019 2020", "+49 30 1988 2019",
    "it costs $2019", "by 2000 people", "twice a week", "three times a month", "the price is 12.50", "I scored 9/10",
    "the 5th floor", "the 21st century", "John 3:16", "ran 5k in 25:30", "live at 20 May Street", "from 9 to 5",
    "I went to June's house", "my 30-day plan", "on February 30", "on the 42nd of May", "on 2026-13-01",
    "the exam is on 12/10", "I'm 45 and weigh 80 kg",
]  # fmt: skip


@pytest.mark.parametrize("text", NONE)
@pytest.mark.parametrize("direction", ["past", "future"])
def test_no_time(text: str, direction: str) -> None:
    assert times(text, TUESDAY, BERLIN, direction) == []  # type: ignore[arg-type]


def test_open_is_what_the_direction_chose() -> None:
    assert one("on Friday", TUESDAY, "future").open
    assert one("on 4 May", TUESDAY, "future").open
    assert not one("on 4 May 2026", TUESDAY, "future").open
    assert not one("next Friday", TUESDAY, "future").open
    assert not one("two weeks ago", TUESDAY, "past").open


_VOCABULARY = """
I on in by since until from to the a of and at not every next last this end mid early May march Friday sat Mon
2019 1988 12 3rd 11th 31 12/10 9:30 pm 5pm noon tonight tomorrow week weeks month year years ago two half for
Christmas Easter summer 90s Q3 morning weekend 's , . ; – - 2026-02-30 Feb 29 13.13.2026 0 99 999 1st Mondays
between her over day before yesterday quarter past six EOD first Monday 2032
"""
_WORDS = st.sampled_from(_VOCABULARY.split())
_NOWS = st.datetimes(datetime(1995, 1, 1), datetime(2060, 1, 1)).map(lambda at: at.replace(tzinfo=BERLIN))


@given(st.lists(_WORDS, max_size=14).map(" ".join), _NOWS, st.sampled_from(["past", "future"]))
def test_spans_lie_in_the_text_in_order(text: str, now: datetime, direction: str) -> None:
    end = 0
    for found in times(text, now, BERLIN, direction):  # type: ignore[arg-type]
        assert end <= found.start < found.end <= len(text)
        assert text[found.start : found.end] == found.text
        assert found.worded == found.worded.strip() != ""
        if found.first and found.last:
            assert datetime.fromisoformat(found.first) <= datetime.fromisoformat(found.last)
        assert (found.first is None) == (found.relation in {"for", "every"})
        end = found.end


@given(st.text(max_size=60), st.sampled_from(["past", "future"]))
def test_any_text_is_read(text: str, direction: str) -> None:
    for found in times(text, TUESDAY, BERLIN, direction):  # type: ignore[arg-type]
        assert 0 <= found.start < found.end <= len(text)


def test_a_sentence_without_a_time_costs_little() -> None:
    text = (
        "Honestly I think the new place is great because my sister lives around the corner and she cooks for all of us"
    )
    best = min(_seconds(text) for _ in range(20))
    assert best < 0.00015


def _seconds(text: str) -> float:
    began = perf_counter()
    for _ in range(20):
        times(text, TUESDAY, BERLIN, "past")
    return (perf_counter() - began) / 20


@pytest.mark.parametrize("piece", ["1 ", "12:30 ", "the ", "May ", "Monday, ", "a week ", "every "])
def test_the_cost_grows_with_the_length_of_the_text_and_no_faster(piece: str) -> None:
    began = perf_counter()
    times(piece * 2000, TUESDAY, BERLIN, "past")
    assert perf_counter() - began < 5


def test_hours_past_midnight_end_on_the_next_day() -> None:
    found = one("I'm on shift from 10pm to 6am", TUESDAY, "past")
    assert (found.worded, found.last) == ("from 22:00 to 06:00", "2026-03-11T06:00:00+01:00")
