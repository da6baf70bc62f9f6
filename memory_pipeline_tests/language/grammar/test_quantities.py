"""Numbers with their units, in the spellings of chats."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_pipeline.language.grammar.quantities import quantities

ONE = [
    ("I take 500 mg of metformin", "500 mg", 500, "mg"),
    ("now 1000mg", "1000mg", 1000, "mg"),
    ("up to 1,000 mg", "1,000 mg", 1000, "mg"),
    ("I weigh 200.4 lb", "200.4 lb", 200.4, "lb"),
    ("down to 81,5 kg", "81,5 kg", 81.5, "kg"),
    ("I lost 5 kilos", "5 kilos", 5, "kg"),
    ("a 10-mile run", "10-mile", 10, "mi"),
    ("I ran 12 km", "12 km", 12, "km"),
    ("my pace is 5:30 min/km", "5:30 min/km", 5.5, "min/km"),
    ("my pace is 8:15 /mile", "8:15 /mile", 8.25, "min/mi"),
    ("rent is €1,250 a month", "€1,250 a month", 1250, "EUR/month"),
    ("I pay $45.50", "$45.50", 45.5, "USD"),
    ("I pay 45 €", "45 €", 45, "EUR"),
    ("I pay 900 euros per month", "900 euros per month", 900, "EUR/month"),
    ("they offered $95k", "$95k", 95_000, "USD"),
    ("a budget of £2.5 million", "£2.5 million", 2_500_000, "GBP"),
    ("savings at 70k", "70k", 70_000, ""),
    ("body fat is 18%", "18%", 18, "%"),
    ("I swim three times a week", "three times a week", 3, "times/week"),
    ("I swim twice a week", "twice a week", 2, "times/week"),
    ("pills once daily", "once daily", 1, "times/day"),
    ("I sleep 6.5 h a night", "6.5 h a night", 6.5, "h/day"),
    ("about 40 hours per week", "40 hours per week", 40, "h/week"),
    ("10,000 steps a day", "10,000 steps a day", 10_000, "steps/day"),
    ("a resting pulse of 58 bpm", "58 bpm", 58, "bpm"),
    ("swam 100 m", "100 m", 100, "m"),
    ("it has 16 GB", "16 GB", 16, "GB"),
]


@pytest.mark.parametrize(("text", "said", "number", "unit"), ONE)
def test_a_quantity(text: str, said: str, number: float, unit: str) -> None:
    (found,) = quantities(text)
    assert (found.text, found.unit) == (said, unit)
    assert math.isclose(found.number, number)
    assert text[found.start : found.end] == said


@pytest.mark.parametrize("text", ["BP was 131/84 this morning", "it read 131/84 mmHg"])
def test_a_blood_pressure_is_two_values(text: str) -> None:
    found = quantities(text)
    assert [(q.number, q.unit, q.text) for q in found] == [(131, "mmHg systolic", "131"), (84, "mmHg diastolic", "84")]


def test_several() -> None:
    found = quantities("from 500 mg to 1000 mg, and 82 kg instead of 85 kg")
    assert [(q.number, q.unit) for q in found] == [(500, "mg"), (1000, "mg"), (82, "kg"), (85, "kg")]


@pytest.mark.parametrize(
    "text",
    [
        "I have 3",
        "version 2.4.12",
        "on 12/10",
        "at 9:30",
        "call 030 2019 2020",
        "10.0.0.12",
        "the 2019 Honda",
        "one of us",
    ],
)
def test_none(text: str) -> None:
    assert quantities(text) == []


@given(st.text(alphabet="0123456789.,:/ $€%kmghlb-onceperawk", max_size=40))
def test_places_lie_in_the_text_in_order(text: str) -> None:
    end = 0
    for found in quantities(text):
        assert end <= found.start < found.end <= len(text)
        assert text[found.start : found.end] == found.text
        assert found.number >= 0
        end = found.end
