from __future__ import annotations

import pytest

from memory_pipeline.inference.builtin.facts.coverage import Residue, alone
from memory_pipeline.language.english import parser
from memory_pipeline_tests.inference.builtin.extraction.extracting import drafts, kept, message, window


def contents(text: str) -> list[str]:
    return [d.content for d in kept(drafts(text))]


def left(text: str, told: str) -> Residue:
    ((sentence,),) = parser().parse([text])
    return Residue.of(sentence, told)


def test_what_a_fact_tells_is_not_left() -> None:
    rest = left("I bought gifts for Mrs. Johnson and three cousins.", "has three cousins.")
    assert [t.text for t in rest.named] == ["Mrs.", "Johnson"]
    assert not rest.counted


def test_names_left_out_are_told_with_their_sentence() -> None:
    text = "I've bought gifts for my sister's birthday, my mom and my neighbor Mrs. Johnson."
    assert any("Mrs. Johnson" in c and "birthday" in c for c in contents(text))


@pytest.mark.parametrize(
    "text",
    [
        "Expanding outreach involves strategic partnerships and focusing on underrepresented communities.",
        "The room was electric with energy and support.",
        "Yeah Mel, let's spread love and understanding!",
    ],
)
def test_what_is_so_of_nobody_in_particular_is_not_kept(text: str) -> None:
    assert contents(text) == []


def test_a_verb_that_has_the_form_of_an_illness_tells_of_none() -> None:
    assert [d for d in drafts("The blue adds so much to it.") if d.attribute == "health"] == []
    assert any("ADD" in c for c in contents("My son has ADD."))


def test_she_is_whom_the_message_named_last() -> None:
    found = window(message("Went to see Dora. She is allergic to cats and carries an inhaler."))
    told = next(d for d in kept(found) if "allergic" in d.content)
    assert (told.subject, told.content) == ("Dora", "Dora is allergic to cats and carries an inhaler.")


def test_he_of_whom_nobody_was_named_is_nobody() -> None:
    assert contents("He has epilepsy and takes levetiracetam since he was four years old.") == []
    later = window(message("Went to see Dora."), message("She is allergic to cats.", "m2"))
    assert not any("allergic" in d.content for d in kept(later))


def test_an_illness_that_is_over_is_told_with_its_time() -> None:
    assert "The kids had chickenpox in February 2026." in contents("The kids had chickenpox last month.")


def test_a_part_that_hangs_on_the_rest_is_told_with_it() -> None:
    said = "Between the asthma and the cats, spring is hell for me."
    assert "Between the asthma and the cats, spring is hell for them." in contents(said)
    assert alone("so we moved to Hull") == "we moved to Hull"
    assert alone("because the roof leaks") == ""


def test_a_roster_is_told_of_those_it_lists() -> None:
    assert set(contents("I've one boy, Mateo, six, he has epilepsy.")) == {
        "Has a son called Mateo.",
        "Son Mateo is six years old.",
        "Their boy Mateo has epilepsy.",
    }


def test_a_she_is_the_only_one_whom_the_message_names() -> None:
    assert any("Dora" in c for c in contents("Went to see Dora. She is allergic to cats and carries an inhaler."))
    two = contents("Saw Dora and Karl at the lake on Sunday. She is allergic to cats and carries an inhaler.")
    assert not any(c.startswith("Karl is allergic") for c in two)
