"""What the judge's word is heeded for: the candidate's own words must bear it."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from memory_pipeline.domain.consolidation.judgement import covered_by, keeps, may_close, may_retire, merged
from memory_pipeline.domain.proposal import MemoryType, Operation
from memory_pipeline_tests.factories import NOON, memory, proposal, residence

LATER = NOON + timedelta(days=20)


@pytest.mark.parametrize(
    ("new", "old", "given", "may"),
    [
        ("Uses SQLite.", "Likes tea.", {}, False),
        ("Likes coffee.", "Likes tea.", {"attribute": "likes", "value": "coffee"}, False),
        ("Her dog Sixten died on 19 April.", "Has a dog called Sixten.", {}, True),
        ("The knee pain is fixed by new shoes.", "Has pain in the left knee.", {}, True),
        ("Bruder Emre arbeitet bei AVL.", "Der Bruder arbeitet bei Magna.", {"subject": "Emre"}, False),
        ("The price of the rent is 9 euros.", "The price of the phone is 3 euros.", {"subject": "rent"}, False),
    ],
)
def test_a_judge_retires_only_what_the_words_of_the_candidate_meet(
    new: str, old: str, given: dict[str, str], may: bool
) -> None:
    subject = {"subject": "phone"} if "phone" in old else {"subject": "Bruder"} if "Bruder" in old else {}
    slot = {"attribute": "likes", "value": "tea"} if "attribute" in given else {}
    known = memory(proposal(old, NOON, **subject, **slot))
    assert may_retire(proposal(new, LATER, **given), known) is may


def test_what_was_true_once_retires_nothing() -> None:
    lives = memory(residence("Ghent"))
    once = proposal("Lived in Paris in the past.", LATER, attribute="residence", value="Paris")
    assert not may_retire(once, lives)
    assert not may_retire(replace(residence("Paris", LATER), valid_until=NOON), lives)
    assert may_retire(residence("Paris", LATER), lives)


def test_my_brother_may_be_my_brother_max() -> None:
    max_ = memory(proposal("Brother Max lives in Berlin.", subject="Max", attribute="residence", value="Berlin"))
    moved = proposal("Brother lives in Paris.", LATER, subject="brother", attribute="residence", value="Paris")
    assert may_retire(moved, max_)
    assert not may_retire(replace(moved, subject="sister", content="Sister lives in Paris."), max_)


def test_a_loop_is_closed_by_words_that_meet_it_in_any_script() -> None:
    wish = memory(proposal("猫を病院に連れて行く予定。", type=MemoryType.OPEN_LOOP))
    assert may_close(proposal("猫を病院に連れて行った。", LATER), wish)
    assert not may_close(proposal("大阪に住んでいる。", LATER), wish)
    passport = memory(proposal("Has to renew the passport.", type=MemoryType.OPEN_LOOP))
    assert may_close(proposal("Picked up the passports.", LATER), passport)
    assert not may_close(proposal("The Redis switch is live.", LATER), passport)


def test_covered_is_what_misses_no_name_no_figure_and_no_denial() -> None:
    known = memory(proposal("Works at Philips in Eindhoven since 2019."))
    assert covered_by(proposal("Works at Philips."), known)
    assert not covered_by(proposal("Works at ASML."), known)
    assert not covered_by(proposal("Has worked at Philips for 3 years."), known)
    assert not covered_by(proposal("Does not work at Philips."), known)


def test_a_text_keeps_an_older_one_but_for_what_it_gives_more_exactly() -> None:
    assert not keeps("Lives in Lisbon.", "Lives in Portugal since 2019.")
    assert not keeps("Lives in Lisbon.", "Lives in Portugal since 2019.", but="Portugal")
    assert keeps("Lives in Lisbon since 2019.", "Lives in Portugal since 2019.", but="Portugal")


def test_the_merged_sentence_says_all_of_both_and_nothing_else() -> None:
    known = memory(proposal("Has a dog called Rex."))
    new = proposal("The dog is 3 years old.", LATER)
    good = "Has a dog called Rex, 3 years old."
    assert merged(good, new, known) == good
    for bad in ("Has a dog.", "Has a dog called Rex.", "Has a dog called Rex, 3 years old, that bites Ann.", "", None):
        assert merged(bad, new, known) is None, bad
    whole = replace(new, content="The dog Rex is 3 years old.", operation=Operation.ADD)
    assert merged(None, whole, known) == whole.content
