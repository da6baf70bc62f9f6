from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from memory_pipeline.domain.consolidation.slots import Relation, Slot, relate
from memory_pipeline.domain.consolidation.supersession import Action, Candidate, Decision, decide
from memory_pipeline.domain.ledger.memory import Cause, MemoryVersion, Status
from memory_pipeline.domain.proposal import Evidence, MemoryType, Operation, Proposal, Surface
from memory_pipeline_tests.factories import NOON, POLICY, memory, proposal, residence

LATER = NOON + timedelta(days=20)


def _decide(said: Proposal, *known: MemoryVersion, similarity: float = 0.9) -> Decision:
    return decide(said, [Candidate(m, similarity) for m in known], POLICY.similarity)


@pytest.mark.parametrize(
    ("new", "old", "relation"),
    [
        (Slot("user", "residence", "Berlin"), Slot("user", "residence", "berlin"), Relation.SAME),
        (Slot("user", "residence", "Berlin"), Slot("user", "residence", "Barcelona"), Relation.CHANGED),
        (Slot("user", "residence", "Berlin", True), Slot("user", "residence", "Berlin"), Relation.DENIED),
        (Slot("brother", "residence", "Oslo"), Slot("user", "residence", "Berlin"), Relation.UNRELATED),
        (Slot("user", "pet", "dog Max"), Slot("user", "pet", "cat Mia"), Relation.SIBLING),
        (Slot("user", "likes", "coffee"), Slot("user", "dislikes", "coffee"), Relation.DENIED),
        (Slot("user", "likes", "coffee"), Slot("user", "dislikes", "tea"), Relation.UNRELATED),
        (Slot("user", "favorite_color", "red"), Slot("user", "favorite_color", "blue"), Relation.CHANGED),
        (Slot("user", "weight", "82 kg"), Slot("user", "weight", "80 kg"), Relation.CHANGED),
        (Slot("user", None, None), Slot("user", "residence", "Berlin"), Relation.UNRELATED),
    ],
)
def test_slots(new: Slot, old: Slot, relation: Relation) -> None:
    assert relate(new, old) is relation


def test_the_four_berlins() -> None:
    """Cosine cannot tell these apart (field measurement); slots do, at equal similarity."""
    lives = memory(residence("Berlin"))
    again = proposal("Is based in Berlin.", LATER, attribute="residence", value="Berlin")
    moved = residence("Barcelona", LATER)
    left = residence("Berlin", LATER, negated=True, operation=Operation.CONTRADICT)
    assert _decide(again, lives).action is Action.REINFORCE
    changed = Decision(Action.SUPERSEDE, (lives.memory_id,), "changed: Lives in Barcelona.")
    assert _decide(replace(moved, operation=Operation.UPDATE), lives) == changed
    assert _decide(moved, lives) == replace(changed, certain=False), (
        "what is told as a fact of its own, a judge decides"
    )
    assert _decide(left, lives).action is Action.CONTRADICT


def test_a_lifted_boundary_ends_and_what_it_kept_silent_may_be_said_but_not_what_was_suppressed_by_hand() -> None:
    plain = {"type": MemoryType.BOUNDARY, "attribute": "avoid_topic"}
    closed = memory(proposal("Does not want Bo to be brought up.", value="Bo", surface=Surface.AVOID, **plain))
    other = memory(proposal("Does not want Ed to be brought up.", value="Ed", surface=Surface.AVOID, **plain))
    dog, both = (replace(memory(proposal(t)), surface=Surface.AVOID) for t in ("Bo is a beagle.", "Bo bit Ed."))
    by_hand = replace(memory(proposal("Bo is ill.")), surface=Surface.AVOID, cause=Cause.MANUAL)
    said = proposal(
        "Does not mind Bo being brought up again.", LATER, value="Bo", operation=Operation.CONTRADICT, **plain
    )
    found = _decide(said, closed, other, dog, both, by_hand)
    assert (found.action, found.targets, found.reopens) == (Action.CONTRADICT, (closed.memory_id,), (dog.memory_id,))
    assert _decide(replace(said, value="Max", content="Does not mind Max being brought up."), closed).targets == ()


def test_a_late_older_fact_never_retires_a_newer_one() -> None:
    newer = memory(residence("Lisbon", LATER))
    assert _decide(residence("Berlin", NOON), newer).action is Action.ADD


def test_a_retired_memory_is_never_changed() -> None:
    old = memory(residence("Berlin"), status=Status.SUPERSEDED)
    assert _decide(residence("Berlin", LATER), old).action is Action.ADD


def test_more_detail_merges() -> None:
    dog = memory(proposal("Has a dog called Max.", attribute="pet", value="Max"))
    more = proposal("Has a brown dog called Max.", LATER, attribute="pet", value="Max")
    assert _decide(more, dog).action is Action.MERGE


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Runs 5 km every morning.", "Runs 10 km every morning."),
        ("Likes spicy food.", "Does not like spicy food."),
        ("Works with Anna on the billing service.", "Works with Boris on the search index."),
    ],
)
def test_numbers_names_and_negation_overrule_cosine(old: str, new: str) -> None:
    decision = _decide(proposal(new, LATER), memory(proposal(old)), similarity=0.97)
    assert decision.action not in (Action.REINFORCE, Action.MERGE)


def test_events_of_different_days_stay_apart() -> None:
    ran = memory(proposal("Ran in the park.", type=MemoryType.EPISODIC_EVENT))
    again = proposal("Ran in the park.", LATER, type=MemoryType.EPISODIC_EVENT)
    same_day = proposal("Ran in the park.", NOON + timedelta(hours=3), type=MemoryType.EPISODIC_EVENT)
    assert _decide(again, ran).action is Action.ADD
    assert _decide(same_day, ran).action is Action.REINFORCE


def test_closing_in_other_words() -> None:
    loop = memory(proposal("Needs to call mom.", type=MemoryType.OPEN_LOOP))
    other = memory(proposal("Needs to renew the passport.", type=MemoryType.OPEN_LOOP))
    done = proposal("Called mom.", LATER, type=MemoryType.OPEN_LOOP, operation=Operation.CLOSE_OPEN_LOOP)
    wanted = Decision(Action.CLOSE, (loop.memory_id,), "resolved: Called mom.", certain=False)
    assert _decide(done, loop, other) == wanted, "the judge has the last word on other words"


def test_closing_in_the_same_words() -> None:
    loop = memory(proposal("Needs to call mom.", type=MemoryType.OPEN_LOOP, value="call mom"))
    given = {"type": MemoryType.OPEN_LOOP, "operation": Operation.CLOSE_OPEN_LOOP, "value": "called mom"}
    kept, dropped = (proposal("Called mom.", LATER, **given, negated=negated) for negated in (False, True))
    assert _decide(kept, loop) == Decision(Action.CLOSE, (loop.memory_id,), "resolved: Called mom.")
    assert _decide(dropped, loop).reason == "cancelled: Called mom."


def test_an_unclear_closing_goes_to_the_judge() -> None:
    loop = memory(proposal("Needs to renew the passport.", type=MemoryType.OPEN_LOOP))
    done = proposal("It is finally done.", LATER, type=MemoryType.OPEN_LOOP, operation=Operation.CLOSE_OPEN_LOOP)
    assert _decide(done, loop) == Decision(Action.NONE, (), "no open loop clearly meant", certain=False)


def test_forget_names_what_it_means() -> None:
    shop = memory(proposal("Likes the coffee shop on Elm Street.", attribute="likes", value="Elm Street coffee shop"))
    tea = memory(proposal("Prefers green tea."))
    forget = proposal("That coffee shop.", LATER, operation=Operation.FORGET, value="coffee shop")
    assert _decide(forget, shop, tea).targets == (shop.memory_id,)


def test_forget_of_something_unknown_is_put_on_record() -> None:
    forget = proposal("The sailing boat.", LATER, operation=Operation.FORGET, value="sailing boat")
    decision = _decide(forget, memory(residence("Berlin")))
    assert (decision.action, decision.targets, decision.holds) == (Action.FORGET, (), True)
    assert _decide(replace(forget, value="thing"), memory(residence("Berlin"))).action is Action.NONE


def test_forget_reaches_what_says_it_in_other_words() -> None:
    stone = memory(proposal("Has a therapist called Dr. Stone.", attribute="current_therapist", value="Dr. Stone"))
    group = memory(proposal("Goes to group therapy on Mondays."))
    snake = memory(proposal("Has a snake.", evidence=(Evidence("m-1", "I have a snake from my therapist."),)))
    studio = memory(proposal("Has a studio in Hackney."))
    forget = proposal("Anything about therapy.", LATER, operation=Operation.FORGET, value="therapy")
    found = _decide(forget, stone, group, snake, studio)
    assert set(found.targets) == {stone.memory_id, group.memory_id, snake.memory_id} and found.holds
    before = replace(forget, observed_at=NOON - timedelta(days=1))
    assert _decide(before, stone).targets == ()


def test_a_boundary_said_with_the_plea_stays() -> None:
    said = proposal("Does not want the clinic brought up.", LATER, type=MemoryType.BOUNDARY, value="clinic")
    forget = proposal("Anything about the clinic.", LATER, operation=Operation.FORGET, value="clinic")
    assert _decide(forget, memory(said)).targets == ()


def _takes(dose: str, medicine: str, at: datetime = NOON, **given: Any) -> Proposal:
    return proposal(f"Takes {medicine} {dose}.", at, attribute="medication", value=medicine, **given)


@pytest.mark.parametrize(
    ("before", "said", "action"),
    [
        (_takes("4 mg every evening", "warfarin"), _takes("3 mg", "warfarin", LATER), Action.SUPERSEDE),
        (_takes("75 mcg", "levothyroxine"), _takes("100", "thyroid tablets", LATER), Action.SUPERSEDE),
        (_takes("4 mg every evening", "warfarin"), _takes("at 8", "warfarin", LATER), Action.ADD),
        (_takes("4 mg every evening", "warfarin"), _takes("4 mg", "warfarin", LATER), Action.REINFORCE),
        (_takes("4 mg", "warfarin"), _takes("3 mg", "warfarin", LATER, subject="mother"), Action.ADD),
    ],
)
def test_the_same_medicine_in_another_dose_is_a_change(before: Proposal, said: Proposal, action: Action) -> None:
    assert _decide(said, memory(before)).action is action


def test_two_doses_of_one_message_stand_side_by_side() -> None:
    morning = _takes("20 mg in the morning", "citalopram")
    night = replace(_takes("40 mg at night", "citalopram"), evidence=morning.evidence)
    assert _decide(night, memory(morning)).action is Action.ADD


def test_what_is_changed_from_may_be_named_beside_it() -> None:
    aviva = memory(
        proposal("Their car insurance is with Aviva.", NOON, attribute="current_car_insurance", value="Aviva")
    )
    quote = (Evidence("m-9", "Aviva wanted 900 so I switched to Hastings"),)
    switched = proposal(
        "Uses Hastings.", LATER, operation=Operation.UPDATE, attribute="tool", value="Hastings", evidence=quote
    )
    assert _decide(switched, aviva).action is Action.SUPERSEDE
    silent = replace(switched, evidence=(Evidence("m-9", "I switched to Hastings"),))
    assert _decide(silent, aviva).action is Action.ADD


def test_an_end_told_again_of_another_still_ends_what_it_names() -> None:
    first = memory(proposal("Broke up with Sarah.", NOON, attribute="relationship_status", value="single"))
    tie = memory(proposal("Is dating Clara.", NOON + timedelta(days=5), attribute="partner", value="Clara"))
    over = proposal(
        "Broke up with Clara.",
        LATER,
        operation=Operation.UPDATE,
        attribute="relationship_status",
        value="single",
    )
    assert _decide(over, first, tie).targets == (tie.memory_id,)
