from __future__ import annotations

import pytest

from memory_pipeline_tests.inference.builtin.extraction.extracting import briefs, drafts, kept


@pytest.mark.parametrize(
    ("text", "loop"),
    [
        ("I'm waiting on the surveyor's report.", "open_loop Is waiting on the surveyor's report."),
        ("Still waiting for the results of my biopsy.", "open_loop Is waiting for the results of their biopsy."),
        (
            "I should really get the boiler serviced before winter.",
            "open_loop Should get the boiler serviced before winter.",
        ),
        ("Must not forget Mum's birthday present.", "open_loop Must not forget Mum's birthday present."),
        ("I mustn't forget the parking permit.", "open_loop Must not forget the parking permit."),
        ("tax return by the 30th", "open_loop Tax return by 30 March 2026."),
    ],
)
def test_what_the_user_has_to_see_to_is_open(text: str, loop: str) -> None:
    assert loop in briefs(text)


def test_the_day_of_a_duty_without_a_verb_is_when_it_is_due() -> None:
    (loop,) = drafts("tax return by the 30th")
    assert loop.due_at is not None
    assert loop.due_at.startswith("2026-03-30")


@pytest.mark.parametrize(
    "text",
    ["I'm waiting for the bus.", "I should probably read a book.", "You should see the garden.", "Sunny by Friday!"],
)
def test_what_passes_or_binds_nobody_is_not_open(text: str) -> None:
    assert not [d for d in kept(drafts(text)) if d.type == "open_loop"]


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        ("My hair loss: act as if you never heard of it.", "hair loss"),
        ("My dad's trial - let's not.", "dad's trial"),
        ("My sister's drinking: not a word, please.", "sister's drinking"),
        ("My height stays taboo with you, please.", "height"),
        ("My weight is off the table as a topic.", "weight"),
    ],
)
def test_a_topic_is_closed_by_what_stands_behind_it(text: str, topic: str) -> None:
    assert f"boundary avoid_topic={topic}" in briefs(text)


@pytest.mark.parametrize(
    "text",
    ["Dinner: no onions please.", "The shop is closed now.", "Smoking is forbidden here.", "Groceries: nothing."],
)
def test_what_is_closed_or_left_out_is_no_topic(text: str) -> None:
    assert not [one for one in briefs(text) if "avoid_topic" in one]


def test_a_plan_that_is_given_up_is_closed_and_not_forgotten() -> None:
    (found,) = briefs("Forget the solar panels, we leave that, the roof is too weak.")
    assert found == "close_open_loop open_loop No longer plans the solar panels."
    (plea,) = briefs("Forget what I said about the solar panels.")
    assert plea.startswith("forget")


def test_each_of_several_duties_is_open_by_itself() -> None:
    assert briefs("I need to send Karin the slides, ring the vet about Pip and find a plumber.") == [
        "open_loop Needs to send Karin the slides.",
        "open_loop Needs to ring the vet about Pip.",
        "open_loop Needs to find a plumber.",
    ]


def test_what_has_not_been_answered_is_open() -> None:
    assert "open_loop Still has to reply to the headmaster." in briefs("I haven't replied to the headmaster yet.")
