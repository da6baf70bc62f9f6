"""A quote stands in its message in a row: what does not change its words is allowed, a changed word is not."""

from __future__ import annotations

import pytest

from memory_pipeline.domain.gate import GateInput
from memory_pipeline.domain.gate.rules.grounding import grounded, grounding
from memory_pipeline.domain.message import Role
from memory_pipeline.domain.proposal import Evidence
from memory_pipeline_tests.factories import POLICY, message, proposal

SAID = "I'm allergic to penicillin, and I live in Rotterdam with my **husband** Pieter\nand our two cats — really."


@pytest.mark.parametrize(
    "quote",
    [
        "I'm allergic to penicillin",
        "i’m allergic to  PENICILLIN",
        "Im allergic to penicillin.",
        "I live in Rotterdam with my husband Pieter and our two cats",
        "I'm allergic to penicillin ... and our two cats",
        "I'm allergic […] two cats",
        "…with my husband Pieter…",
        "“two cats, really”",
    ],
)
def test_the_words_as_they_were_said(quote: str) -> None:
    assert grounded(quote, SAID) == 1.0


@pytest.mark.parametrize(
    "quote",
    [
        "I'm not allergic to penicillin",
        "I live in Amsterdam with my husband Pieter and our two cats",
        "I live in Rotterdam with my husband Pieter and our three cats",
        "our two cats … I'm allergic to penicillin",
        "I live with my husband in Rotterdam",
        "allergic to Pieter",
        "",
        "…",
    ],
)
def test_a_word_put_in_changed_or_moved(quote: str) -> None:
    assert grounded(quote, SAID) < POLICY.gate.grounding_overlap


def test_the_figure_is_the_share_that_stands_in_a_row() -> None:
    assert grounded("I live in Amsterdam", SAID) == 0.75
    assert grounded("nothing of the kind", SAID) == 0.0


def test_the_quote_stands_in_the_users_own_message_where_one_is_cited() -> None:
    mine = message("Yes, right.", message_id="mine")
    other = message("You live in Rome.", message_id="other", role=Role.ASSISTANT)
    stated = proposal(
        "Lives in Rome.", evidence=(Evidence("other", "You live in Rome"), Evidence("mine", "I live in Rome"))
    )
    found = grounding(GateInput(stated, {"mine": mine, "other": other}, POLICY.gate))
    assert not found.passed
