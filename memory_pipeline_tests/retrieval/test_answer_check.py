"""Names and numbers of an answer must stand in what it cites."""

from __future__ import annotations

from typing import Any

import pytest

from memory_pipeline.retrieval.answers.answer_check import supported

NOW = "2026-03-10T12:00:00+00:00"
ITEM: dict[str, Any] = {
    "content": "Moved to Lisbon with Anna in 2024, rent 1,240 euros.",
    "age": "3 days ago",
    "observed_at": "2026-03-07T12:00:00+00:00",
    "valid_from": None,
    "valid_until": None,
    "due_at": "2026-12-03T00:00:00+00:00",
}


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("You moved to Lisbon with Anna.", True),
        ("You pay 1240 euros.", True),
        ("You told me 3 days ago, on 7 March 2026.", True),
        ("That was 2 years ago.", True),
        ("It is due on Thursday, 3 December.", True),
        ("No, I don't think so: you live in Lisbon, I believe.", True),
        ("You moved to Porto.", False),
        ("You moved to Lisbon with Bernd.", False),
        ("You pay 1,300 euros.", False),
        ("You moved 17 years ago.", False),
        ("You moved in July.", False),
        ("Du bist nach Lissabon gezogen, mit Anna und dem Hund.", True),
        ("Du zahlst jetzt 1300 Euro Miete im Monat.", False),
    ],
)
def test_names_and_numbers(text: str, holds: bool) -> None:
    assert supported(text, [ITEM], "where did I move?", NOW) is holds


def test_what_the_question_says_may_be_said_again() -> None:
    assert supported("No, you do not live in Porto.", [ITEM], "Do I live in Porto?", NOW)
    assert not supported("No, you do not live in Porto.", [ITEM], "Do I live there?", NOW)


def test_items_may_be_counted() -> None:
    assert supported("You have 2 of them.", [ITEM, ITEM], "how many?", NOW)
    assert not supported("You have 5 of them.", [ITEM, ITEM], "how many?", NOW)
