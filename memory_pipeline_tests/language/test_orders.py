"""What somebody orders without a verb states nothing of them."""

from __future__ import annotations

import pytest

from memory_pipeline.language.english import parser
from memory_pipeline.language.orders import ordered

ORDERED = [
    "Playlist for a long drive, mostly 80s",
    "Two riddles about the sea, easy",
    "Dinner ideas, quick and cheap",
    "Cover letter for a barista job",
    "400 words max",
    "No more than 5 slides",
    "Wedding speech, five minutes, funny",
    "Stretch routine for stiff hips",
    "Chore rota for 4 people.",
    "Ser vs estar please, short.",
]
STATED = [
    "going freelance for 8 clients",
    "Hauling cattle for a ranch in Amarillo",
    "Nurse for twelve years",
    "Insulin for the diabetes, twice a day",
    "Vegan for three years",
    "Antibiotics for a week",
    "Physio for a torn ligament",
    "Flat in Lisbon, third floor, no lift",
    "A dog called Bruno and two cats",
    "Deadline for the grant: 3 December",
    "My limit is 1500 kcal max",
    "A letter about my divorce",
    "The playlist is short",
]


@pytest.mark.parametrize("text", ORDERED)
def test_an_order_without_a_verb_is_known(text: str) -> None:
    assert all(ordered(sentence, text) for sentence in parser().parse([text])[0])


@pytest.mark.parametrize("text", STATED)
def test_what_tells_of_somebody_is_no_order(text: str) -> None:
    assert not any(ordered(sentence, text) for sentence in parser().parse([text])[0])
