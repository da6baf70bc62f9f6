from __future__ import annotations

import pytest

from memory_pipeline.language.normalisation.repair import sentences
from memory_pipeline.language.normalisation.rosters import roster


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "I've one boy, Mateo, six, he has epilepsy.",
            ["I have a boy called Mateo.", "My boy Mateo is six years old.", "My boy Mateo has epilepsy."],
        ),
        (
            "My kids: Nora (9, coeliac), Finn, 6, and the baby Ida",
            [
                "My child Nora is 9 years old.",
                "My child Nora is coeliac.",
                "My child Finn is 6 years old.",
                "My child is called Ida.",
            ],
        ),
        (
            "my mum, 74, type 2 diabetic, lives alone in Hull",
            ["My mum is 74 years old.", "My mum is type 2 diabetic.", "My mum lives alone in Hull."],
        ),
        (
            "Our landlord, Mr Petrov, lives downstairs, hates noise.",
            ["My landlord Mr Petrov lives downstairs.", "My landlord Mr Petrov hates noise."],
        ),
        ("Sam, my partner, has asthma", ["My partner Sam has asthma."]),
        ("My wife Anna, with a bad knee, is a nurse", ["My wife Anna has a bad knee.", "My wife Anna is a nurse."]),
    ],
)
def test_what_stands_beside_somebody_is_told_of_them(text: str, told: list[str]) -> None:
    assert roster(text) == (told, "")


def test_what_begins_anew_is_read_by_itself() -> None:
    assert roster("My dog, Rex, nine, so we take it slow") == (
        ["My dog Rex is nine years old."],
        "so we take it slow",
    )


@pytest.mark.parametrize(
    "text",
    [
        "My brother, John, and I went to Rome",
        "My friend, honestly, is a mess",
        "My wife Anna, the kids and I went to Rome",
        "My brother Max, his wife and the kids are visiting",
        "Mother: Parkinson's",
        "My mom, bless her, makes me lunch",
        "A nurse, two doctors and a cleaner",
        "He has epilepsy.",
    ],
)
def test_other_lists_stay_as_they_stand(text: str) -> None:
    assert roster(text) == ([], "")


def test_a_plan_that_is_given_up_stays_with_its_reason() -> None:
    text = "Forget the solar panels, we leave that, the roof is too weak."
    assert sentences(text) == [text]
