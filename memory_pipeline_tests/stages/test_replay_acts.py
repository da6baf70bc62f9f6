"""What the user does by hand, replayed: any history of statements and acts gives one state, from whatever day on."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory_pipeline.domain.ledger.curation import is_act
from memory_pipeline.domain.ledger.memory import RETIRED, Change, MemoryVersion, Status, standing
from memory_pipeline.domain.proposal import MemoryType, Operation, Proposal, Surface
from memory_pipeline.domain.scope import Classification
from memory_pipeline.errors import CurationError
from memory_pipeline.stages.hand.statement import Fact, first_version
from memory_pipeline.stages.hand.user_memories import Desk
from memory_pipeline_tests.factories import NOON, proposal, residence
from memory_pipeline_tests.stages.timeline import SCOPE, Timeline


@pytest.fixture
def life() -> Timeline:
    return Timeline()


def at(day: float) -> datetime:
    return NOON + timedelta(days=day)


def one(life: Timeline, content: str) -> MemoryVersion:
    (found,) = (m for m in life.memories if m.content == content)
    return found


def act(life: Timeline, day: float, memory: MemoryVersion, change: Change, **words: object) -> None:
    life.act(at(day), lambda desk: desk.act(desk.find(memory.memory_id), change, f"{change} by the user", words))


def edit(life: Timeline, day: float, memory: MemoryVersion, content: str, value: str | None = None) -> None:
    act(life, day, memory, Change.EDIT, content=content, value=value or memory.value)


def remember(life: Timeline, day: float, content: str) -> None:
    def do(desk: Desk) -> None:
        when, on = desk.moment(None, "UTC")
        desk.do(first_version(desk.ctx, SCOPE, Fact(content), when, on, "UTC"))

    life.act(at(day), do)


def stable(life: Timeline) -> None:
    """A replay from any day finds what stands."""
    for first in life.days:
        replay = life.replay(first, life.days[-1], at(400))
        assert not replay.asserted, (first, [(v.change, v.content) for v in replay.asserted])
        assert not replay.withdrawn, (first, [(v.change, v.content) for v in replay.withdrawn])


def dog(day: float, **given_: object) -> Proposal:
    return proposal("Has a dog called Max.", at(day), attribute="pet", value="Max", **given_)


def taste(attribute: str, when: datetime) -> Proposal:
    content = f"{attribute.capitalize()} cilantro."
    return proposal(content, when, type=MemoryType.PREFERENCE, attribute=attribute, value="cilantro")


# -- an act finds its memory again


def test_an_act_of_the_day_on_which_its_memory_came_to_be(life: Timeline) -> None:
    life.arrive([residence("Lisbon", at(0))], at(0.1))
    act(life, 0.2, one(life, "Lives in Lisbon."), Change.FORGET)
    stable(life)
    life.arrive([dog(0.3)], at(0.4))
    assert one(life, "Lives in Lisbon.").forgotten
    stable(life)


def test_an_act_stands_between_what_was_said_before_and_after_it(life: Timeline) -> None:
    life.arrive([residence("Lisbon", at(0))], at(0.1))
    act(life, 0.2, one(life, "Lives in Lisbon."), Change.FORGET)
    life.arrive([residence("Lisbon", at(0.3))], at(0.4))
    old, new = sorted((m for m in life.memories if m.content == "Lives in Lisbon."), key=lambda m: m.observed_at)
    assert old.forgotten and new.status is Status.ACTIVE and new.memory_id != old.memory_id
    stable(life)


def test_an_earlier_message_that_comes_late_takes_the_acts_along(life: Timeline) -> None:
    life.arrive([residence("Lisbon", at(5))], at(5.1))
    first = one(life, "Lives in Lisbon.")
    edit(life, 6, first, "Lives in Alfama, Lisbon.")
    act(life, 7, first, Change.PIN)
    life.arrive([residence("Lisbon", at(1))], at(8))
    (memory,) = life.memories
    assert memory.memory_id != first.memory_id
    assert (memory.content, memory.pinned, len(memory.evidence)) == ("Lives in Alfama, Lisbon.", True, 2)
    stable(life)


def test_another_wording_of_the_same_message_takes_the_acts_along(life: Timeline) -> None:
    said = proposal("Has a brown dog called Max.", at(0))
    life.arrive([said, proposal("Likes grilled sardines.", at(1))], at(1.1))
    act(life, 2, one(life, "Has a brown dog called Max."), Change.FORGET)
    again = replace(said, content="Owns a dog called Max.", proposal_id="other prompt")
    life.extract_again([again, life.said[1]], at(3))
    assert one(life, "Owns a dog called Max.").forgotten
    assert one(life, "Likes grilled sardines.").status is Status.ACTIVE
    stable(life)


@pytest.mark.parametrize("change", [Change.EDIT, Change.PIN, Change.FORGET, Change.SUPPRESS])
def test_what_was_done_to_a_vanished_memory_stays_and_is_there_when_it_returns(life: Timeline, change: Change) -> None:
    said = [residence("Lisbon", at(0)), dog(1)]
    life.arrive(said, at(1.1))
    words = {"content": "Lives in Alfama, Lisbon."} if change is Change.EDIT else {}
    act(life, 2, one(life, "Lives in Lisbon."), change, **words)
    before = life.memories
    life.extract_again(said[1:], at(3))
    (left,) = (m for m in life.memories if m.attribute == "residence")
    assert "no longer proposed" in left.reason
    stable(life)
    life.extract_again(said, at(4))
    assert [m.version_id for m in life.memories] == [m.version_id for m in before]
    stable(life)


def test_a_memory_that_nobody_touched_vanishes(life: Timeline) -> None:
    said = [residence("Lisbon", at(0)), dog(1)]
    life.arrive(said, at(1.1))
    life.extract_again(said[1:], at(3))
    assert [m.content for m in life.memories] == ["Has a dog called Max."]


# -- the user's words


def test_a_merge_does_not_overwrite_the_users_words(life: Timeline) -> None:
    life.arrive([dog(0)], at(0.1))
    edit(life, 1, one(life, "Has a dog called Max."), "Has a little dog called Max.")
    life.arrive([proposal("Has a little brown dog called Max.", at(2), attribute="pet", value="Max")], at(2.1))
    memory = one(life, "Has a little dog called Max.")
    assert (memory.change, memory.reinforcements) == (Change.REINFORCE, 1)
    stable(life)


def test_a_changed_fact_ends_an_edited_one(life: Timeline) -> None:
    life.arrive([residence("Lisbon", at(0))], at(0.1))
    edit(life, 1, one(life, "Lives in Lisbon."), "Lives in Alfama, Lisbon.")
    life.arrive([residence("Porto", at(2), operation=Operation.UPDATE)], at(2.1))
    assert one(life, "Lives in Alfama, Lisbon.").status is Status.SUPERSEDED
    stable(life)


def test_an_older_statement_that_comes_late_does_not_end_what_the_user_wrote_later(life: Timeline) -> None:
    life.arrive([residence("Lisbon", at(0))], at(0.1))
    edit(life, 9, one(life, "Lives in Lisbon."), "Lives in Alfama, Lisbon.")
    life.arrive([residence("Porto", at(4))], at(10))
    assert one(life, "Lives in Alfama, Lisbon.").status is Status.ACTIVE
    assert one(life, "Lives in Porto.").status is Status.SUPERSEDED
    stable(life)


def test_what_is_remembered_by_hand_ends_what_it_contradicts_also_when_that_comes_late(life: Timeline) -> None:
    life.arrive([residence("Lisbon", at(0))], at(0.1))
    remember(life, 5, "Lives in Porto.")
    (new,) = (m for m in life.memories if m.content == "Lives in Porto.")
    old = one(life, "Lives in Lisbon.")
    assert (old.status, old.superseded_by, new.lineage_id) == (Status.SUPERSEDED, new.memory_id, old.lineage_id)
    moved = [residence(city, at(n), operation=Operation.UPDATE) for city, n in (("Faro", 2), ("Porto", 3))]
    life.arrive(moved, at(6))
    assert {m.content: m.status for m in life.memories if m.status is Status.ACTIVE} == {"Lives in Porto.": "active"}
    assert one(life, "Lives in Faro.").status is Status.SUPERSEDED
    assert new.memory_id in {m.memory_id for m in life.memories}
    stable(life)


def test_a_forgotten_memory_takes_all_its_messages_back_however_many(life: Timeline) -> None:
    life.arrive([dog(n) for n in range(30)], at(30))
    act(life, 31, one(life, "Has a dog called Max."), Change.FORGET)
    memory = one(life, "Has a dog called Max.")
    assert len(memory.evidence) == 12
    assert {p.evidence[0].message_id for p in life.said} <= set(memory.taken_back)
    stable(life)


def test_what_was_forgotten_in_a_message_takes_all_its_messages_back(life: Timeline) -> None:
    life.arrive([dog(n) for n in range(20)], at(20))
    life.arrive([proposal("The dog Max.", at(21), operation=Operation.FORGET)], at(22))
    memory = one(life, "Has a dog called Max.")
    assert memory.forgotten
    assert {p.evidence[0].message_id for p in life.said[:20]} <= set(memory.taken_back)
    stable(life)


# -- time


def test_a_pinned_memory_does_not_age_and_an_unpinned_one_does_again(life: Timeline) -> None:
    def tired(day: float) -> Proposal:
        return proposal("Is tired this week.", at(day), type=MemoryType.EPHEMERAL, salience=0.9)

    life.arrive([tired(0)], at(0.1))
    act(life, 1, one(life, "Is tired this week."), Change.PIN)
    life.arrive([dog(20)], at(20.1))
    assert one(life, "Is tired this week.").status is Status.ACTIVE
    act(life, 21, one(life, "Is tired this week."), Change.UNPIN)
    assert one(life, "Is tired this week.").review_on == at(21).date()
    life.arrive([residence("Lisbon", at(30))], at(30.1))
    assert one(life, "Is tired this week.").status is Status.STALE
    stable(life)


def test_an_act_lets_time_pass_first(life: Timeline) -> None:
    life.arrive([proposal("Is tired this week.", at(0), type=MemoryType.EPHEMERAL, salience=0.9)], at(0.1))
    act(life, 10, one(life, "Is tired this week."), Change.PIN)
    chain = sorted(standing(life.ledger), key=lambda v: v.version)
    assert [(v.change, v.status) for v in chain] == [("add", "active"), ("stale", "stale"), ("pin", "active")]
    stable(life)


# -- any history


@dataclass(frozen=True)
class Step:
    """Something that happens: a statement that arrives some days after it was made, or an act."""

    hour: int
    kind: str
    which: int
    late: int


_SAYINGS = (
    lambda when: residence("Lisbon", when),
    lambda when: residence("Porto", when),
    lambda when: proposal("Has a dog called Max.", when, attribute="pet", value="Max"),
    lambda when: proposal("Has a brown dog called Max.", when, attribute="pet", value="Max"),
    lambda when: taste("likes", when),
    lambda when: taste("dislikes", when),
    lambda when: proposal("Is tired this week.", when, type=MemoryType.EPHEMERAL, salience=0.9),
    lambda when: proposal("The dog Max.", when, operation=Operation.FORGET),
    lambda when: proposal("Cilantro.", when, operation=Operation.SUPPRESS),
)
_EDITS = ("Lives in Faro.", "Has a terrier called Max.", "Likes fresh cilantro.", "Is tired this whole week.")
_REMEMBERED = ("Lives in Faro.", "Likes cilantro.", "Collects fountain pens.", "Lives in Lisbon.")
_ACTS = (
    Change.EDIT,
    Change.FORGET,
    Change.PIN,
    Change.UNPIN,
    Change.SUPPRESS,
    Change.REINFORCE,
    Change.ADD,
    Change.CLASSIFY,
)

steps = st.lists(
    st.builds(
        Step,
        hour=st.integers(0, 20 * 24),
        kind=st.sampled_from(["say", "say", "say", "act", "act", "undo", "extract"]),
        which=st.integers(0, 200),
        late=st.sampled_from([0, 0, 0, 30, 200]),
    ),
    min_size=1,
    max_size=14,
    unique_by=lambda step: step.hour,
)


def _played(life: Timeline, history: list[Step]) -> int:
    """Let a history happen in the order in which it reaches the pipeline. Returns how many acts were done."""
    acts = 0
    for step in sorted(history, key=lambda s: s.hour + s.late):
        when, arrives = at(step.hour / 24), at((step.hour + step.late) / 24 + 0.001)
        if step.kind == "say":
            life.arrive([_SAYINGS[step.which % len(_SAYINGS)](when)], arrives)
            continue
        if step.kind == "extract":
            if life.said:
                life.extract_again(_by_another_prompt(life.said, step.which), arrives)
            continue
        if step.kind == "undo":
            acts += _undone(life, arrives, step.which)
            continue
        change = _ACTS[step.which % len(_ACTS)]
        acts += _acted(life, (step.hour + step.late) / 24 + 0.002, change, step.which)
    return acts


def _by_another_prompt(said: list[Proposal], which: int) -> list[Proposal]:
    """Other ids for all, other words for some, and one of them not found any more."""
    found = [replace(p, proposal_id=f"{which}:{p.proposal_id}") for n, p in enumerate(said) if n != which % len(said)]
    return [replace(p, content=f"{p.content[:-1]} now.") if n % 3 == which % 3 else p for n, p in enumerate(found)]


def _undone(life: Timeline, when: datetime, which: int) -> bool:
    if not life.memories:
        return False
    try:
        life.undo(life.memories[which % len(life.memories)], when)
    except CurationError:
        return False
    return True


def _acted(life: Timeline, day: float, change: Change, which: int) -> bool:
    if change is Change.ADD:
        remember(life, day, _REMEMBERED[which % len(_REMEMBERED)])
        return True
    known = [m for m in life.memories if m.status not in RETIRED or (change is Change.FORGET and not m.forgotten)]
    if not known:
        return False
    memory = known[which % len(known)]
    words: dict[str, Any] = {"content": _EDITS[which % len(_EDITS)]} if change is Change.EDIT else {}
    if change is Change.CLASSIFY:
        words = {"classification": list(Classification)[which % 4]}
    act(life, day, memory, change, **words)
    return True


@given(steps)
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_history_is_the_same_from_whatever_day_it_is_replayed(history: list[Step]) -> None:
    life = Timeline()
    acts = _played(life, history)
    if life.days:
        stable(life)
    assert sum(map(is_act, standing(life.ledger))) == acts, "an act was lost or doubled"


@given(steps)
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_history_keeps_what_the_user_did(history: list[Step]) -> None:
    life = Timeline()
    _played(life, history)
    acts = [row for row in standing(life.ledger) if is_act(row)]
    for memory in life.memories:
        own = [row for row in acts if row.memory_id == memory.memory_id]
        if any(row.change is Change.FORGET for row in own):
            assert memory.forgotten and memory.status is Status.ARCHIVED
            assert {e.message_id for e in memory.evidence} <= set(memory.taken_back)
        written = [row for row in own if row.change in (Change.EDIT, Change.ADD)]
        if written:
            assert memory.content == max(written, key=lambda v: v.version).content
        if any(row.change is Change.SUPPRESS for row in own):
            assert memory.surface is Surface.AVOID
        classified = [row for row in own if row.change is Change.CLASSIFY]
        if classified and not any(row.change is Change.EDIT for row in own):
            assert memory.classification.permits(max(classified, key=lambda v: v.version).classification)
    overruled = {(row.memory_id, source) for row in acts if row.change is Change.UNDO for source in row.apart}
    assert not [row for row in standing(life.ledger) if (row.memory_id, row.proposal_id) in overruled]
