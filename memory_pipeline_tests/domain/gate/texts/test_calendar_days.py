"""Dates and days of the week that nobody said, in the languages that people write them in."""

from __future__ import annotations

from datetime import date

import pytest

from memory_pipeline.domain.gate.texts.calendar_days import Day, days, other_weekdays, relative, unfounded

SENT = [date(2026, 3, 10)]


@pytest.mark.parametrize(
    ("text", "month", "day"),
    [
        ("on 17 May", 5, 17),
        ("May 17th, 2026", 5, 17),
        ("am 12. September", 9, 12),
        ("el 20 de junio de 2026", 6, 20),
        ("le 1er août", 8, 1),
        ("il 3 marzo", 3, 3),
        ("a 3 de março", 3, 3),
        ("2026-05-17", 5, 17),
        ("5月17日", 5, 17),
    ],
)
def test_a_day_is_read_however_it_is_written(text: str, month: int, day: int) -> None:
    assert days(text) == {Day(month, day)}


def test_what_is_no_day_is_none() -> None:
    for text in ("may 2026", "im August 80", "version 5.17.2", "at 10:30", "Marco 5"):
        assert days(text) == frozenset()


def test_another_day_than_was_said_is_unfounded() -> None:
    assert unfounded("Runs on 17 June 2026.", ["I run on 17 May"], SENT) == ["17/6"]
    assert unfounded("Runs on 17 May 2026.", ["I run on May 17"], SENT) == []
    assert unfounded("Läuft am 17. Mai.", ["Ich laufe am 17.5."], SENT) == []
    assert unfounded("Heiratet am 14. September.", ["Wir heiraten!"], SENT) == ["14/9"]


def test_a_day_may_follow_from_what_was_said() -> None:
    assert unfounded("Flies on 13 March 2026.", ["I fly on Friday"], SENT) == []
    assert unfounded("Fliegt am 13. März.", ["Ich fliege am Freitag"], SENT) == []
    assert unfounded("Sends it by 20 March.", ["I send it by the 20th"], SENT) == []
    assert unfounded("Flew on 10 March.", ["I flew"], SENT) == []
    assert relative("in zwei Wochen") and relative("la semana que viene") and not relative("I like tea")


def test_other_days_of_the_week_are_told() -> None:
    assert other_weekdays("Has choir on Tuesdays.", ["On Thursdays we sing"]) == ["Tuesday"]
    assert other_weekdays("Tiene ensayo los jueves.", ["Los jueves tengo ensayo"]) == []
    assert other_weekdays("Meets on Friday.", ["We meet the day after Thursday"]) == []
    assert other_weekdays("Meets on Friday.", ["We meet on 13 March, not on Thursday"]) == []
    assert other_weekdays("Meets on Friday.", ["We meet"]) == []
