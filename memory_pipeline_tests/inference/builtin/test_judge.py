"""The judge against one neighbour, and against open loops."""

from __future__ import annotations

from typing import Any

import pytest

from memory_pipeline.inference.builtin.judge import judge
from memory_pipeline.inference.builtin.likeness import likeness, slots
from memory_pipeline.inference.replies import Judgement

EARLIER, LATER = "2026-03-01T10:00:00+01:00", "2026-03-10T10:00:00+01:00"


def judged(
    new: str,
    *neighbours: dict[str, Any],
    operation: str = "add",
    type_: str = "profile_fact",
    loops: tuple[dict[str, Any], ...] = (),
    at: str = LATER,
) -> Judgement:
    candidate = {"candidate": "c1", "operation": operation, "type": type_, "content": new, "observed_at": at}
    given = {
        "timezone": "Europe/Berlin",
        "candidates": [{**candidate, "neighbours": list(neighbours)}],
        "open_loops": list(loops),
    }
    (judgement,) = judge(given).judgements
    return judgement


def neighbour(content: str, alias: str = "k1", **changes: Any) -> dict[str, Any]:
    given = {"memory": alias, "type": "profile_fact", "status": "active", "content": content}
    return {**given, "observed_at": EARLIER, "similarity": 0.83, **changes}


def loop(content: str, alias: str = "k1", **changes: Any) -> dict[str, Any]:
    return {"memory": alias, "content": content, "due_at": None, "observed_at": EARLIER, **changes}


FACTS = [  # new, old, action
    ("Is based in Berlin.", "Lives in Berlin.", "reinforce"),
    ("Lives in Barcelona.", "Lives in Berlin.", "supersede"),
    ("No longer lives in Berlin.", "Lives in Berlin.", "contradict"),
    ("Does not live in Berlin.", "Lives in Berlin.", "contradict"),
    ("Lives in Berlin.", "No longer lives in Berlin.", "supersede"),
    ("Lives in Berlin with their wife.", "Lives in Berlin.", "merge"),
    ("Lives in Berlin.", "Lives in Berlin with their wife.", "reinforce"),
    ("Brother lives in Berlin.", "Lives in Berlin.", "add"),
    ("Lives in Berlin.", "Brother lives in Barcelona.", "add"),
    ("The user lives in Porto.", "Lives in Lisbon.", "supersede"),
    ("Works at Google.", "Works at Figma.", "supersede"),
    ("No longer works at Figma.", "Works at Figma.", "contradict"),
    ("Is 35 years old.", "Is 34 years old.", "supersede"),
    ("Is allergic to peanuts.", "Has a peanut allergy.", "reinforce"),
    ("Is allergic to peanuts.", "Is allergic to shellfish.", "add"),
    ("Prefers coffee again.", "Prefers tea over coffee.", "supersede"),
    ("Likes olives.", "Dislikes olives.", "supersede"),
    ("Does not like olives.", "Likes olives.", "contradict"),
    ("Loves hiking.", "Enjoys hiking in the mountains.", "reinforce"),
    ("Likes tea.", "Likes coffee.", "add"),
    ("Has a dog called Rex.", "Has a cat called Tom.", "add"),
    ("Uses vim.", "Uses emacs.", "add"),
    ("No longer uses vim.", "Uses vim.", "contradict"),
    ("Is no longer vegetarian.", "Is vegetarian.", "contradict"),
    ("Used to be a smoker.", "Is a smoker.", "contradict"),
    ("Favorite color is green.", "Favorite color is blue.", "supersede"),
    ("Wants to be called Al.", "Wants to be called Ali.", "supersede"),
    ("Does not want the assistant to use emojis.", "Wants the assistant to use emojis.", "contradict"),
    ("The capital of France is Lyon.", "The capital of France is Paris.", "supersede"),
    ("The capital of France is Paris.", "The capital of Spain is Madrid.", "add"),
    ("Has a sister called Anna.", "Has a brother called Ben.", "add"),
    ("The cache is invalidated by the writer.", "The cache is not invalidated by the writer.", "supersede"),
    (
        "Teaches chemistry at the evening school in Graz.",
        "Teaches chemistry at the evening school in Graz.",
        "reinforce",
    ),
    ("Keeps bees.", "Sails small boats.", "add"),
]


@pytest.mark.parametrize(("new", "old", "action"), FACTS, ids=[f"{n} | {o}" for n, o, _ in FACTS])
def test_fact(new: str, old: str, action: str) -> None:
    judgement = judged(new, neighbour(old))
    assert judgement.action == action
    assert judgement.target == (None if action == "add" else "k1")
    assert len(judgement.reason) >= 8


def test_another_figure_replaces_in_the_same_words_or_as_an_update() -> None:
    old = neighbour("Keeps 3 hives of bees in the garden.")
    assert judged("Keeps 5 hives of bees in the garden.", old).action == "supersede"
    assert judged("Keeps 5 bee hives in the back garden.", old).action == "add"
    assert judged("Keeps 5 bee hives in the garden.", old, operation="update").action == "supersede"


def test_an_older_statement_retires_nothing() -> None:
    newer = neighbour("Lives in Berlin.", observed_at=LATER)
    assert judged("Lives in Barcelona.", newer, at=EARLIER).action == "none"
    assert judged("No longer lives in Berlin.", newer, operation="contradict", at=EARLIER).action == "none"


@pytest.mark.parametrize("status", ["superseded", "contradicted", "closed", "archived"])
def test_a_retired_neighbour_is_left_alone(status: str) -> None:
    assert judged("Lives in Berlin.", neighbour("Lives in Berlin.", status=status)).action == "add"


def test_an_event_never_retires_a_fact() -> None:
    assert judged("Moved to Barcelona.", neighbour("Lives in Berlin."), type_="episodic_event").action == "add"


def test_the_same_event_on_another_day_is_another_event() -> None:
    old = neighbour("Ran 10 km along the river.", type="episodic_event")
    assert judged("Ran 12 km along the river.", old, type_="episodic_event").action == "add"


def test_contradicting_what_nobody_said_is_nothing() -> None:
    assert judged("No longer lives in Rome.", neighbour("Likes tea."), operation="contradict").action == "none"


def test_the_stronger_relation_wins() -> None:
    same, changed = neighbour("Lives in Lisbon.", "k1"), neighbour("Lives in Berlin.", "k2")
    assert judged("Lives in Lisbon.", same, changed).target == "k2"


CLOSED = [  # said, open loop
    ("Called mom.", "Call mom"),
    ("Called mom (kept).", "Needs to call mom by 13 March 2026."),
    ("Phoned mom.", "Wants to call mom on 26 March 2026 at 19:00."),
    ("Went to the dentist.", "Has a dentist appointment on 3 April 2026."),
    ("Bought milk.", "Needs to buy milk."),
    ("Sent the report to Sam (kept).", "Has to send Sam the report by 10 March 2026."),
    ("Paid the rent.", "Has to pay rent by 1 April 2026."),
    ("Met Sam.", "Has a meeting with Sam on 11 March 2026 at 15:00."),
    ("Wrote the letter to the bank.", "Needs to write a letter to the bank."),
    ("Ran a marathon.", "Plans to run a marathon in 2026."),
    ("Did the laundry.", "Has to do the laundry."),
    ("Finished the treehouse (kept).", "Wants to build a treehouse for their daughter Ellie."),
    ("Booked the flight.", "Needs to book a flight to Lisbon."),
    ("Filed the taxes (kept).", "Has to file their taxes by 15 April 2026."),
    ("Cancelled the trip to Rome (dropped).", "Plans to go to Rome in May 2026."),
    ("No longer plans to go to the conference (dropped).", "Plans to go to the UX conference in Oslo."),
]
STILL_OPEN = [
    ("Called Anna.", "Needs to call Bob."),
    ("Called dad.", "Needs to call mom."),
    ("Bought milk.", "Needs to buy bread."),
    ("Called the dentist (kept).", "Has a dentist appointment on 3 April 2026."),
    ("Finished the report.", "Needs to call mom."),
    ("Paid 200 euros of rent.", "Has to pay 900 euros of rent."),
]


@pytest.mark.parametrize(("said", "open_loop"), CLOSED, ids=[s for s, _ in CLOSED])
def test_closing(said: str, open_loop: str) -> None:
    other = loop("Needs to repaint the fence.", "k2")
    judgement = judged(said, operation="close_open_loop", type_="open_loop", loops=(other, loop(open_loop)))
    assert (judgement.action, judgement.target) == ("close", "k1")


@pytest.mark.parametrize(
    ("said", "ends"),
    [
        ("The dentist appointment is off.", "cancels"),
        ("Their dentist appointment got cancelled.", "cancels"),
        ("Cancelled the dentist appointment.", "cancels"),
        ("Went to the dentist.", "resolves"),
    ],
)
def test_whether_it_was_kept_or_dropped_is_told(said: str, ends: str) -> None:
    appointment = loop("Has a dentist appointment on 13 March 2026.")
    judgement = judged(said, operation="close_open_loop", type_="open_loop", loops=(appointment,))
    assert judgement.action == "close"
    assert ends in judgement.reason


@pytest.mark.parametrize(("said", "open_loop"), STILL_OPEN, ids=[s for s, _ in STILL_OPEN])
def test_not_closing(said: str, open_loop: str) -> None:
    judgement = judged(said, operation="close_open_loop", type_="open_loop", loops=(loop(open_loop),))
    assert (judgement.action, judgement.target) == ("none", None)


def test_two_loops_that_fit_alike_stay_open() -> None:
    loops = (loop("Needs to write a letter to the bank.", "k1"), loop("Needs to write a letter to Anna.", "k2"))
    assert judged("Wrote the letter.", operation="close_open_loop", type_="open_loop", loops=loops).action == "none"


def test_a_loop_opened_later_is_not_closed() -> None:
    later = loop("Needs to call mom.", observed_at=LATER)
    said = judged("Called mom.", operation="close_open_loop", type_="open_loop", loops=(later,), at=EARLIER)
    assert said.action == "none"


def test_slots_are_read_back_from_wording() -> None:
    assert [(s.subject, s.attribute, s.value, s.negated) for s in slots("No longer lives in Berlin.")] == [
        ("user", "residence", "Berlin", True)
    ]
    assert slots("Brother lives in Oslo.")[0].subject == "brother"
    assert slots("Keeps bees.") == ()


def test_likeness_ignores_tense_and_framing() -> None:
    assert likeness("Needs to call mom by 13 March 2026.").stems == likeness("Called mum (kept).").stems


@pytest.mark.parametrize(
    ("said", "closed"),
    [
        ("No longer wants to be a vet.", ["k1"]),
        ("Does not want to be a vet.", ["k1"]),
        ("Does not like the vet.", []),
        ("No longer wants to be a nurse.", []),
    ],
)
def test_a_wish_that_is_one_no_more_is_closed(said: str, closed: list[str]) -> None:
    assert judged(said, loops=(loop("Wants to be a vet."),)).closes == closed
