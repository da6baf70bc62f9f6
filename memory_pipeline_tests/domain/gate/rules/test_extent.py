"""How much a content says: no more cases than its quote, no detail and no cause that nobody gave."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from memory_pipeline.domain.gate import GateInput
from memory_pipeline.domain.gate.rules.extent import embellished, widened
from memory_pipeline.domain.proposal import Evidence, MemoryType
from memory_pipeline.language.claims import claimed, quoted
from memory_pipeline_tests.factories import POLICY, message, proposal


def given(said: str, content: str, kind: MemoryType = MemoryType.PROFILE_FACT, **fields: Any) -> GateInput:
    stated = proposal(content, type=kind, evidence=(Evidence("m", said),), model="gpt")
    read = {"content": claimed(content), "quotes": (quoted(said, said),)}
    cited = {"m": message(said, message_id="m")}
    return GateInput(stated, cited, POLICY.gate, extracted=True, **{"hosted": True, **read, **fields})


def passes(rule: Any, told: GateInput) -> bool:
    found = rule(told)
    return found is not None and bool(found.passed)


@pytest.mark.parametrize(
    ("said", "content"),
    [
        ("A few of my neighbours have solar panels.", "All of the neighbours have solar panels."),
        ("I don't eat fish on weekdays.", "Does not eat fish."),
        ("I can't stand strawberry ice cream.", "Dislikes ice cream."),
    ],
)
def test_of_more_cases_than_the_quote_nothing_is_said(said: str, content: str) -> None:
    assert not passes(widened, given(said, content))
    assert passes(widened, given(said, said)), "what was said may be repeated"


def test_what_is_affirmed_may_be_told_with_less_detail() -> None:
    assert passes(widened, given("I swim in the lake on Sundays.", "Swims in the lake."))


def test_a_wish_about_one_text_is_none_about_all() -> None:
    told = given("Make this poem rhyme.", "Wants answers that rhyme.", MemoryType.PROTOCOL)
    assert not passes(widened, told)
    always = given("From now on always rhyme, this poem too.", "Wants answers that rhyme.", MemoryType.PROTOCOL)
    assert passes(widened, always)


@pytest.mark.parametrize(
    ("said", "content"),
    [
        ("I sold the boat.", "Sold the boat because of debts."),
        ("I sold the boat.", "Sold the wooden boat."),
        ("I drive a lorry.", "Drives a refrigerated lorry."),
    ],
)
def test_no_detail_and_no_cause_is_added(said: str, content: str) -> None:
    assert not passes(embellished, given(said, content))


@pytest.mark.parametrize(
    ("said", "content"),
    [
        ("I sold the boat because the mooring got too expensive.", "Sold the boat because of the mooring fees."),
        ("I drive a lorry.", "Drives a lorry for a job."),
        ("I keep bees on the roof.", "Is a beekeeper."),
    ],
)
def test_other_words_for_what_was_said_are_no_addition(said: str, content: str) -> None:
    assert passes(embellished, given(said, content))


def test_what_the_user_said_before_is_no_addition() -> None:
    told = given("I sold the boat.", "Sold the wooden boat.")
    assert passes(embellished, replace(told, known=frozenset({"wooden"})))


def test_what_the_embedded_model_writes_is_not_judged() -> None:
    told = given("I sold the boat.", "Sold the wooden boat.", hosted=False)
    assert widened(told) is None and embellished(told) is None
