"""Statements told back to the user."""

from __future__ import annotations

import pytest

from memory_pipeline.inference.builtin.answering.retelling import past, retold, second_person
from memory_pipeline_tests.inference.builtin.remembered import loop, memory


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("Has two cats and loves them.", "You have two cats and loves you."),
        ("Brother lives in Oslo.", "Your brother lives in Oslo."),
        ("They have two kids.", "You have two kids."),
        ("Their rent is 900.", "Your rent is 900."),
        ("Wants the assistant to answer in French.", "You want me to answer in French."),
        ("Rui plays chess.", "Rui plays chess."),
    ],
)
def test_second_person(content: str, told: str) -> None:
    assert second_person(content) == told


def test_dates_that_a_memory_does_not_say() -> None:
    assert retold(loop("Has to call Ann.", due="2026-12-03")) == (
        "You have to call Ann, due 3 December 2026 (you told me 2 months ago)."
    )
    said = loop("Has to call Ann by 3 December 2026.", due="2026-12-03")
    assert retold(said) == "You have to call Ann by 3 December 2026 (you told me 2 months ago)."
    assert "since 1 March 2026" in retold(memory("Lives in Porto.", since="2026-03-01"))


def test_what_is_over_is_told_in_the_past() -> None:
    assert past(memory("Is vegan.", until="2026-10-05")) == (
        "You were vegan (you told me 2 months ago; until 5 October 2026)."
    )
    assert past(memory("Brother Max lives in Oslo.", subject="brother max")) == (
        "Your brother Max lives in Oslo (you told me 2 months ago; that no longer holds)."
    )
