"""Changes that are noted in passing, written out as statements."""

from __future__ import annotations

import pytest

from memory_pipeline.language.changes import changed

CHANGES = {
    "choir has moved to Mondays": "My choir is on Mondays now",
    "I'm in a small flat in Ghent now": "I live in Ghent now",
    "new job is Corvid Labs from 3 May": "I work at Corvid Labs from 3 May now",
    "first week at corvid done": "I started at Corvid",
    "Pastry chef at Lumo, start 3 May": "I work as a pastry chef at Lumo from 3 May",
    "our landlord changed, it's Mr Orban now": "My landlord is Mr Orban now",
    "Lea has pushed the audit, it is now for 3 May": "The audit was moved to 3 May",
    "they moved my exam to June instead of May": "they moved my exam to June",
    "no more cakes, only bread": "we no longer do cakes, we do only bread now",
    "down to 2 swims a week": "I swim 2 times a week now",
    "rowing now, twice a week": "I do rowing now, twice a week",
    "GP put the ramipril up to 10": "GP increased my ramipril to 10",
}
LEFT = ["no more questions", "we moved to Ghent", "I'm in Ghent now", "choir was lovely", "I'm in a hurry now"]


@pytest.mark.parametrize(("text", "statement"), CHANGES.items(), ids=CHANGES)
def test_a_noted_change_is_a_statement(text: str, statement: str) -> None:
    assert changed(text) == statement


@pytest.mark.parametrize("text", LEFT)
def test_other_sentences_are_left_alone(text: str) -> None:
    assert changed(text) == ""
