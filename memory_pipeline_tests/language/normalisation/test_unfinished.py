"""Notes of what is still to do, or done, written out as statements."""

from __future__ import annotations

import pytest

from memory_pipeline.language.normalisation.repair import sentences
from memory_pipeline.language.normalisation.unfinished import (
    another_duty,
    asks_for_list,
    done,
    heads_to_do,
    to_do,
    undone,
)

LISTS = {
    "to do: ring the vet, post the parcel": ["I need to ring the vet.", "I need to post the parcel."],
    "need to: descale the kettle, print the map": ["I need to descale the kettle.", "I need to print the map."],
    "two jobs for this week: rotate the keys, write to Lena about her invoice": [
        "I need to rotate the keys.",
        "I need to write to Lena about her invoice.",
    ],
    "Still to do: stamps and the gas meter": [
        "I need to take care of stamps.",
        "I need to take care of the gas meter.",
    ],
    "On my list: buy milk, eggs and bread": ["I need to buy milk, eggs and bread."],
    "things I keep forgetting: new inhaler (the old one runs out, soon) and the pool fee": [
        "I need to take care of new inhaler (the old one runs out, soon).",
        "I need to take care of the pool fee.",
    ],
}
NO_LISTS = [
    "I have to say: she is right",
    "Allergies: bees, wasps",
    "my favourite things: jazz, tea",
    "write a list of chores for teenagers",
    "Recipe: chop the onions, fry them",
]
UNDONE = {
    "It's on me to bring the drinks.": "I have to bring the drinks",
    "I'd better get the tyres changed": "I need to get the tyres changed",
    "There's a form to return by Thursday": "I need to return a form by Thursday",
    "Next week I have the parents' evening to prepare": "I need to prepare the parents' evening Next week",
    "The resignation has to be in by Tuesday": "I have to get my resignation in by Tuesday",
    "Gave my word to Jo that I'd fix her sink": "I promised to fix her sink",
    "Next is to book the check-up": "I need to book the check-up",
    "the visa form is still open": "I need to take care of the visa form",
    "dentist still to do": "I need to take care of dentist",
    "the invoice I keep putting off": "I need to take care of the invoice",
    "I keep forgetting to call the bank": "I need to call the bank",
    "I still have the rent to pay": "I need to pay the rent",
    "still haven't found a plumber": "I still haven't found a plumber",
    "the boiler needs fixing by Friday": "I need to fix my boiler by Friday",
    "my plan is to repaint the fence": "I plan to repaint the fence",
    "gave Tom my word I'd drive him": "I promised to drive him",
}
NOT_UNDONE = [
    "that is still open", "two things left", "I promised Kim a cake, not even started", "the shop is still open late",
]  # fmt: skip
DONE = {
    "tickets bought": "tickets are bought",
    "Swimming fee paid.": "Swimming fee is paid.",
    "dishes done": "dishes are done",
    "the report sent yesterday": "the report is sent yesterday",
}
NOT_DONE = ["Ana called", "mum rang", "we moved", "it worked", "the tickets were bought", "nobody paid"]


@pytest.mark.parametrize(("text", "items"), LISTS.items(), ids=LISTS)
def test_a_list_of_what_is_to_be_done_is_a_duty_each(text: str, items: list[str]) -> None:
    assert to_do(text) == items == sentences(text, listed=True)


def test_the_items_below_a_heading_are_duties() -> None:
    assert sentences("fix the porch light", listed=True, heading="stuff to do when I get home") == [
        "I need to fix the porch light."
    ]
    assert sentences("fix the porch light", listed=True, heading="about me") != ["I need to fix the porch light."]


@pytest.mark.parametrize("text", NO_LISTS)
def test_other_lists_are_none(text: str) -> None:
    assert to_do(text) == []


@pytest.mark.parametrize("text", ["to do", "Things left for today", "next steps:", "before we fly"])
def test_a_heading_of_duties(text: str) -> None:
    assert heads_to_do(text)


@pytest.mark.parametrize("text", ["about me", "ingredients", "what I like", "hello"])
def test_other_headings(text: str) -> None:
    assert not heads_to_do(text)


@pytest.mark.parametrize(("text", "statement"), UNDONE.items(), ids=UNDONE)
def test_what_is_told_to_be_undone_is_a_duty(text: str, statement: str) -> None:
    assert undone(text) == statement


@pytest.mark.parametrize("text", NOT_UNDONE)
def test_what_names_nothing_is_no_duty(text: str) -> None:
    assert undone(text) == ""


@pytest.mark.parametrize(("text", "statement"), DONE.items(), ids=DONE)
def test_what_is_noted_as_done_is_a_statement(text: str, statement: str) -> None:
    assert done(text) == statement


@pytest.mark.parametrize("text", NOT_DONE)
def test_what_somebody_did_is_left_as_it_is(text: str) -> None:
    assert done(text) == ""


def test_another_duty_behind_one() -> None:
    assert another_duty("and review the draft") == "I need to review the draft."
    assert another_duty("and write me a poem") == ""
    assert another_duty("and it rained") == ""


def test_a_turn_that_asks_what_there_is_to_do() -> None:
    assert asks_for_list("Good. What are your three next steps?")
    assert not asks_for_list("Your next steps are clear. Do you like jazz?")
