"""What the writer's body reacts to, told together with what brings it on."""

from __future__ import annotations

import pytest

from memory_pipeline_tests.inference.builtin.extraction.extracting import drafts, kept

REACTIONS = {
    "shrimp makes my lips swell": "Their lips swell from shrimp.",
    "I can't eat hazelnuts by the way, my throat closes up.": "Their throat closes up from hazelnuts.",
    "I'm sensitive to hair dye, my face swells up.": "Their face swells up from hair dye.",
    "no bananas, my mouth goes itchy": "Their mouth goes itchy from bananas.",
    "I come out in hives if I touch latex.": "Comes out in hives if they touch latex.",
    "If I eat cashews my throat closes up.": "Their throat closes up if they eat cashews.",
    "my skin goes blotchy from wool": "Their skin goes blotchy from wool.",
}
NONE = [
    "I can't eat dinner now, my throat is sore.",
    "No meetings today, my throat hurts.",
    "My face is red from running.",
    "No flowers this time, my mother gets hives.",
    "My lips don't swell from shrimp.",
]


@pytest.mark.parametrize(("said", "told"), REACTIONS.items(), ids=REACTIONS)
def test_a_reaction_is_told_with_its_cause(said: str, told: str) -> None:
    assert [(d.content, d.attribute) for d in kept(drafts(said)) if d.content == told] == [(told, "health")]


@pytest.mark.parametrize("said", NONE)
def test_what_only_hurts_or_is_anothers_is_no_reaction_of_the_writers(said: str) -> None:
    assert not [d for d in drafts(said) if d.salience == 0.8 and d.confidence == 0.9]
