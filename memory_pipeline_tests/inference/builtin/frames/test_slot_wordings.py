"""Slots read back out of the wordings of memories, without a parser."""

from __future__ import annotations

import pytest

from memory_pipeline.inference.builtin.frames.slot_wordings import worded_slots

WORDINGS = {  # sentence: subject.attribute=value
    "Lives in Berlin": "user.residence=Berlin",
    "Is based in Berlin": "user.residence=Berlin",
    "No longer lives in Berlin": "user.residence=not Berlin",
    "Does not live in Berlin": "user.residence=not Berlin",
    "Used to live in Oslo": "user.residence=not Oslo",
    "Brother lives in Oslo": "brother.residence=Oslo",
    "Brother Max lives in Oslo": "brother max.residence=Oslo",
    "Works at Figma": "user.employer=Figma",
    "Is allergic to peanuts": "user.allergy=peanuts",
    "Has a peanut allergy": "user.allergy=peanut",
    "Smokes": "user.smoking=smoker",
    "Does not smoke": "user.smoking=not smoker",
    "Used to be a smoker": "user.smoking=not smoker",
    "Is no longer vegetarian": "user.diet=not vegetarian",
    "Prefers tea over coffee": "user.preferred_drink=tea",
    "Prefers coffee again": "user.preferred_drink=coffee",
    "Likes olives": "user.likes=olives",
    "Does not like olives": "user.likes=not olives",
    "Their favourite color is green": "user.favorite_color=green",
    "Favorite color is green": "user.favorite_color=green",
    "Their rent is 900 euros": "user.current_rent=900 euros",
    "The capital of France is Paris": "France.current_capital=Paris",
    "Acme's owner is Jane Doe": "Acme.current_owner=Jane Doe",
    "Chanel was founded by Coco Chanel": "Chanel.current_founder=Coco Chanel",
    "Has a sister called Anna": "user.family=Anna",
}


@pytest.mark.parametrize(("text", "expected"), WORDINGS.items(), ids=WORDINGS)
def test_the_slot_of_a_wording(text: str, expected: str) -> None:
    assert [f"{s.subject}.{s.attribute}={'not ' * s.negated}{s.value}" for s in worded_slots(text)] == [expected]


@pytest.mark.parametrize(
    "text",
    [
        "Prefers working alone",
        "Keeps bees",
        "Ran a 10k on 9 March 2026",
        "Needs to call mom",
        "The problem of Acme is the price",
        "Max was born in 2019",
    ],
)
def test_what_fills_no_slot(text: str) -> None:
    assert worded_slots(text) == ()
