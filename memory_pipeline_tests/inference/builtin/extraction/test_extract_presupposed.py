"""What requests presuppose of whoever asks, doses without their medicine, and duties that others took over."""

from __future__ import annotations

import pytest

from memory_pipeline_tests.inference.builtin.extraction.extracting import brief, briefs, drafts, kept

ASKED = {
    "What tyres do I need for my 14-year-old Corolla?": "profile_fact possession=14-year-old Corolla",
    "How do I turn off the alarm on my pixel 7?": "profile_fact possession=pixel 7",
    "Recipe for my toddler please?": "profile_fact family=toddler",
    "Can you plan my UPSC study?": "profile_fact goal=UPSC",
    "Draft an email to my boss at Nationwide.": "profile_fact employer=Nationwide",
    "Can you write a note to my piano teacher?": "profile_fact hobby=piano lessons",
    "How do I split the gas bill, me and 2 flatmates in a flat in Leith?": "profile_fact residence=Leith",
    "Is grapefruit juice ok with sertraline? I'm on 50 mg every morning.": "profile_fact medication=sertraline",
    "Give me 5 questions for my interview at the museum on Friday?": "open_loop plan=interview at the museum",
    "My cat Juno has her booster on Saturday 28 March, she hates the carrier, tips?": "open_loop plan=booster",
    "todo list, make it tidy: - ring the electrician - cancel the milk": "open_loop Needs to ring the electrician.",
    "Gonna hand in my passport renewal on Friday.": "open_loop plan=None",
    "I'm building a shed.": "open_loop project=shed",
}
NOT_THEIRS = [
    "What tyres fit a Corolla?",
    "Is my old Corolla worth anything?",
    "What should my sister's toddler eat?",
    "Is grapefruit juice ok with sertraline or warfarin? I'm on 50 mg.",
    "What do people wear to the wedding on Friday?",
]


@pytest.mark.parametrize(("asked", "told"), ASKED.items(), ids=ASKED)
def test_what_a_request_presupposes(asked: str, told: str) -> None:
    assert told in [brief(d) for d in kept(drafts(asked))]


@pytest.mark.parametrize("asked", NOT_THEIRS)
def test_what_is_not_the_writers_is_not_presupposed(asked: str) -> None:
    slots = {"possession", "family", "medication", "plan"}
    assert [d for d in kept(drafts(asked)) if d.attribute in slots and d.subject == "user"] == []


@pytest.mark.parametrize(
    ("said", "over"),
    [
        ("My sister is giving the toast now, thank god.", "No longer has to give the toast."),
        ("My brother drove the van to the tip in the end.", "No longer has to drive the van."),
        ("My interview went really well.", "Their interview went well."),
    ],
)
def test_what_is_over_for_the_writer(said: str, over: str) -> None:
    assert over in [d.content for d in drafts(said) if d.operation == "close_open_loop"]


def test_what_others_do_for_themselves_closes_nothing() -> None:
    assert "No longer has to drive a van." not in " ".join(briefs("My brother drives a van."))
