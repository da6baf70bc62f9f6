"""Decisions that the user overrules: what was merged stands by itself, what was ended stands again, from then on."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

import pytest

from memory_pipeline.domain.ledger.memory import FORGOTTEN_TOPIC, Change, MemoryVersion, Status
from memory_pipeline.domain.proposal import MemoryType, Operation, Proposal
from memory_pipeline.errors import CurationError
from memory_pipeline_tests.factories import proposal, residence
from memory_pipeline_tests.stages.test_replay_acts import act, at, dog, one, remember, stable
from memory_pipeline_tests.stages.timeline import Timeline


@pytest.fixture
def life() -> Timeline:
    return Timeline()


def moved(city: str, when: datetime) -> Proposal:
    return residence(city, when, operation=Operation.UPDATE)


def statuses(life: Timeline) -> dict[str, str]:
    return {m.content: str(m.status) for m in life.memories}


def by_another_prompt(said: Proposal) -> Proposal:
    return replace(said, proposal_id=f"again {said.proposal_id}", prompt_hash="another")


def merged(life: Timeline) -> MemoryVersion:
    more = proposal("Has a brown dog called Max.", at(3), attribute="pet", value="Max", importance=0.9)
    life.arrive([dog(0), residence("Lisbon", at(1)), more, moved("Porto", at(5))], at(5.1))
    memory = one(life, "Has a brown dog called Max.")
    assert memory.change is Change.MERGE and len(memory.evidence) == 2
    return memory


def test_a_merge_is_undone(life: Timeline) -> None:
    memory = merged(life)
    first = next(v for v in life.ledger if v.memory_id == memory.memory_id and v.version == 1)
    life.undo(memory, at(6))
    left, own = one(life, "Has a dog called Max."), one(life, "Has a brown dog called Max.")
    assert left.memory_id == memory.memory_id and own.memory_id != memory.memory_id
    assert (left.change, left.importance, left.evidence) == (Change.UNDO, first.importance, first.evidence)
    assert own.evidence[0].message_id == memory.evidence[1].message_id and own.version == 1
    assert "brown dog" in left.reason
    assert statuses(life)["Lives in Porto."] == "active"
    stable(life)


def test_nothing_is_deleted_by_an_undo(life: Timeline) -> None:
    memory = merged(life)
    before = {v.version_id for v in life.ledger}
    life.undo(memory, at(6))
    assert before <= {v.version_id for v in life.ledger}
    assert memory.version_id not in life.standing


def test_later_statements_go_on_from_what_was_undone(life: Timeline) -> None:
    life.undo(merged(life), at(6))
    life.arrive([dog(7)], at(8))
    assert one(life, "Has a dog called Max.").reinforcements == 1
    stable(life)


def test_an_undo_outlives_another_prompt(life: Timeline) -> None:
    life.undo(merged(life), at(6))
    life.extract_again([by_another_prompt(p) for p in life.said], at(7))
    assert statuses(life)["Has a dog called Max."] == statuses(life)["Has a brown dog called Max."] == "active"
    stable(life)


def test_what_is_said_anew_may_merge_again(life: Timeline) -> None:
    life.undo(merged(life), at(6))
    life.arrive([proposal("Has a brown dog called Max.", at(8), attribute="pet", value="Max")], at(8.1))
    assert len(life.memories) == 4
    stable(life)


def test_a_fact_that_did_not_end_stands_beside_its_successor(life: Timeline) -> None:
    life.arrive([residence("Lisbon", at(0)), moved("Porto", at(3)), dog(4)], at(4.1))
    old = one(life, "Lives in Lisbon.")
    assert old.status is Status.SUPERSEDED
    life.undo(old, at(5))
    assert statuses(life) == dict.fromkeys(("Lives in Lisbon.", "Lives in Porto.", "Has a dog called Max."), "active")
    assert one(life, "Lives in Lisbon.").valid_until is None
    stable(life)
    life.extract_again([by_another_prompt(p) for p in life.said], at(6))
    assert set(statuses(life).values()) == {"active"}
    life.arrive([moved("Faro", at(7))], at(7.1))
    assert [c for c, s in statuses(life).items() if s == "active" and "Lives" in c] == ["Lives in Faro."]
    stable(life)


def test_only_the_memory_that_is_named_is_spared(life: Timeline) -> None:
    life.arrive([residence("Lisbon", at(0)), moved("Porto", at(3))], at(3.1))
    lisbon = one(life, "Lives in Lisbon.")
    life.undo(lisbon, at(4))
    life.arrive([moved("Faro", at(5))], at(5.1))
    assert statuses(life)["Lives in Lisbon."] == statuses(life)["Lives in Porto."] == "superseded"
    life.undo(lisbon, at(6))
    assert statuses(life) == {
        "Lives in Lisbon.": "active",
        "Lives in Porto.": "superseded",
        "Lives in Faro.": "active",
    }
    stable(life)


def test_what_only_ended_something_leaves_nothing_behind(life: Timeline) -> None:
    loop = proposal("Needs to call mom.", at(0), type=MemoryType.OPEN_LOOP)
    done = proposal("Called mom.", at(1), operation=Operation.CLOSE_OPEN_LOOP, type=MemoryType.OPEN_LOOP)
    life.arrive([loop, done], at(1.1))
    assert one(life, "Needs to call mom.").status is Status.CLOSED
    life.undo(one(life, "Needs to call mom."), at(2))
    assert statuses(life) == {"Needs to call mom.": "active"}
    stable(life)


def test_a_forgetting_that_meant_something_else_is_undone(life: Timeline) -> None:
    life.arrive([dog(0), proposal("The dog Max.", at(1), operation=Operation.FORGET)], at(1.1))
    life.undo(one(life, "Has a dog called Max."), at(2))
    memory = one(life, "Has a dog called Max.")
    assert not memory.forgotten and memory.status is Status.ACTIVE and not memory.taken_back
    stable(life)


def pleaded(life: Timeline) -> MemoryVersion:
    plea = proposal("Anything about the dog Max.", at(2), operation=Operation.FORGET, value="dog Max")
    walks = proposal("Walks the dog Max at six.", at(1))
    life.arrive([dog(0), walks, plea], at(2.1))
    return next(m for m in life.memories if m.attribute == FORGOTTEN_TOPIC)


def test_a_plea_to_forget_is_put_on_record_with_its_words(life: Timeline) -> None:
    held = pleaded(life)
    assert (held.value, held.version, held.change, held.status) == ("dog Max", 1, Change.FORGET, Status.ARCHIVED)
    assert held.forgotten and held.evidence[0].quote == "Anything about the dog Max."
    assert held.evidence[0].message_id in held.taken_back
    assert all(m.forgotten for m in life.memories)
    stable(life)


def test_a_plea_of_which_nothing_is_remembered_is_put_on_record_too(life: Timeline) -> None:
    life.arrive([proposal("Anything about the clinic.", at(0), operation=Operation.FORGET, value="clinic")], at(0.1))
    (held,) = life.memories
    assert held.attribute == FORGOTTEN_TOPIC and held.forgotten
    stable(life)


def test_undoing_a_plea_brings_all_of_it_back(life: Timeline) -> None:
    life.undo(pleaded(life), at(3))
    held = next(m for m in life.memories if m.attribute == FORGOTTEN_TOPIC)
    assert (held.change, held.forgotten, held.taken_back) == (Change.UNDO, False, ())
    assert {m.content: str(m.status) for m in life.memories if m is not held} == {
        "Has a dog called Max.": "active",
        "Walks the dog Max at six.": "active",
    }
    stable(life)
    life.extract_again([by_another_prompt(p) for p in life.said], at(4))
    assert not any(m.forgotten for m in life.memories)
    stable(life)


def test_undoing_what_a_plea_did_to_one_memory_lets_go_of_its_topic(life: Timeline) -> None:
    pleaded(life)
    life.undo(one(life, "Has a dog called Max."), at(3))
    assert not any(m.attribute == FORGOTTEN_TOPIC and m.forgotten for m in life.memories)
    assert one(life, "Walks the dog Max at six.").forgotten
    stable(life)


def test_a_fact_of_the_users_own_hand_is_overruled_too(life: Timeline) -> None:
    life.arrive([residence("Lisbon", at(0))], at(0.1))
    remember(life, 1, "Lives in Porto.")
    life.undo(one(life, "Lives in Lisbon."), at(2))
    assert set(statuses(life).values()) == {"active"}
    stable(life)


def test_one_decision_after_another_can_be_undone(life: Timeline) -> None:
    memory = merged(life)
    more = proposal("Has a brown old dog called Max.", at(6), attribute="pet", value="Max")
    life.arrive([more], at(6.1))
    life.undo(memory, at(7))
    assert one(life, "Has a brown dog called Max.").memory_id == memory.memory_id
    life.undo(memory, at(8))
    assert one(life, "Has a dog called Max.").memory_id == memory.memory_id
    assert {"Has a brown dog called Max.", "Has a brown old dog called Max."} & set(statuses(life))
    stable(life)


def test_acts_stay_where_they_are_around_an_undo(life: Timeline) -> None:
    memory = merged(life)
    act(life, 6, memory, Change.PIN)
    life.undo(memory, at(7))
    assert one(life, "Has a dog called Max.").pinned
    stable(life)


@pytest.mark.parametrize("again", [False, True])
def test_where_there_is_nothing_to_undo(life: Timeline, again: bool) -> None:
    life.arrive([dog(0), *([dog(1)] if again else [])], at(1.1))
    with pytest.raises(CurationError, match="nothing to undo"):
        life.undo(one(life, "Has a dog called Max."), at(2))


def test_what_was_forgotten_by_hand_is_not_undone(life: Timeline) -> None:
    life.arrive([dog(0)], at(0.1))
    act(life, 1, one(life, "Has a dog called Max."), Change.FORGET)
    with pytest.raises(CurationError, match="remember"):
        life.undo(one(life, "Has a dog called Max."), at(2))


@pytest.mark.parametrize("change", [Change.FORGET, Change.SUPPRESS])
def test_what_the_user_did_to_an_ended_memory_is_not_taken_for_what_ended_it(life: Timeline, change: Change) -> None:
    life.arrive([proposal("Likes cilantro.", at(0), type=MemoryType.PREFERENCE)], at(0.1))
    remember(life, 1, "Likes cilantro.")
    (ended,) = (m for m in life.memories if m.status is Status.SUPERSEDED)
    act(life, 2, ended, change)
    memory = next(m for m in life.memories if m.memory_id == ended.memory_id)
    if change is Change.FORGET:
        with pytest.raises(CurationError, match="forgotten by hand"):
            life.undo(memory, at(3))
    else:
        life.undo(memory, at(3))
        assert next(m for m in life.memories if m.memory_id == ended.memory_id).status is Status.ACTIVE
    stable(life)
