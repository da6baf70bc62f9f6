"""Nothing past ends the present, and what begins later takes effect then."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest

from memory_pipeline.domain.consolidation.supersession import Action, Candidate, Decision, decide
from memory_pipeline.domain.consolidation.tense import tells_past
from memory_pipeline.domain.ledger.lifecycle import advance
from memory_pipeline.domain.ledger.memory import MemoryVersion, Status
from memory_pipeline.domain.ledger.transition import apply
from memory_pipeline.domain.proposal import Operation, Proposal
from memory_pipeline_tests.factories import NOON, POLICY, RECORDED, memory, proposal, residence

LATER = NOON + timedelta(days=20)
BEGIN = datetime(2026, 5, 1, tzinfo=UTC)


def _apply(said: Proposal, decision: Decision, *known: MemoryVersion) -> dict[str, MemoryVersion]:
    state = {m.memory_id: m for m in known}
    made = apply(said, decision, state, POLICY, "run", RECORDED, "UTC")
    return state | {v.memory_id: v for v in made}


def _planned() -> tuple[MemoryVersion, MemoryVersion]:
    """Who lives in Lisbon, and moves to Porto on 1 May."""
    lives = memory(residence("Lisbon"))
    said = residence("Porto", LATER, valid_from=BEGIN, operation=Operation.UPDATE)
    state = _apply(said, Decision(Action.SUPERSEDE, (lives.memory_id,), "changed"), lives)
    (new,) = [m for m in state.values() if m.memory_id != lives.memory_id]
    return state[lives.memory_id], new


@pytest.mark.parametrize(
    ("content", "past"),
    [
        ("Was a baker for ten years.", True),
        ("Used to be a baker.", True),
        ("Arbeitete früher als Bäckerin.", True),
        ("Era panadero.", True),
        ("Was promoted to head baker.", False),
        ("Has worked as a baker since 2019.", False),
        ("Became a baker.", False),
        ("Works as a baker.", False),
    ],
)
def test_what_was_true_once_is_told_from_what_began(content: str, past: bool) -> None:
    assert tells_past(content, "occupation") is past
    assert not tells_past(content, "current_founder"), "who founded something still did"


def test_a_former_trade_stands_beside_the_present_one() -> None:
    teacher = memory(proposal("Works as a teacher.", attribute="occupation", value="teacher"))
    baker = proposal(
        "Was a baker for ten years.", LATER, attribute="occupation", value="baker", operation=Operation.UPDATE
    )
    assert decide(baker, [Candidate(teacher, 0.6)], POLICY.similarity).action is Action.ADD
    now = replace(baker, content="Works as a baker.")
    assert decide(now, [Candidate(teacher, 0.6)], POLICY.similarity).action is Action.SUPERSEDE


def test_the_present_holds_until_the_day_on_which_something_else_begins() -> None:
    lives, plan = _planned()
    assert (lives.status, lives.superseded_by, lives.valid_until) == (
        Status.ACTIVE,
        plan.memory_id,
        BEGIN - timedelta(seconds=1),
    )
    assert (plan.status, plan.valid_from) == (Status.ACTIVE, BEGIN)
    assert list(advance(lives, date(2026, 4, 30), POLICY.lifecycle)) == []
    (ended,) = advance(lives, BEGIN.date(), POLICY.lifecycle)
    assert (ended.status, ended.changed_at, ended.superseded_by) == (Status.SUPERSEDED, BEGIN, plan.memory_id)


def test_a_pinned_memory_is_replaced_on_that_day_too() -> None:
    lives, _ = _planned()
    (ended,) = advance(replace(lives, pinned=True), BEGIN.date(), POLICY.lifecycle)
    assert ended.status is Status.SUPERSEDED


def test_what_begins_the_same_day_takes_effect_at_once() -> None:
    lives = memory(residence("Lisbon"))
    said = residence("Porto", LATER, valid_from=LATER.replace(hour=0), operation=Operation.UPDATE)
    state = _apply(said, Decision(Action.SUPERSEDE, (lives.memory_id,), "changed"), lives)
    assert state[lives.memory_id].status is Status.SUPERSEDED


def test_quitting_in_the_message_that_tells_the_new_job_leaves_the_old_one_until_then() -> None:
    works = memory(proposal("Works at Philips.", attribute="employer", value="Philips"))
    start = proposal("Works at ASML.", LATER, attribute="employer", value="ASML", valid_from=BEGIN)
    quits = proposal("Works at Philips.", LATER, attribute="employer", value="Philips", operation=Operation.CONTRADICT)
    state = _apply(start, Decision(Action.SUPERSEDE, (works.memory_id,), "changed"), works)
    contradict = Decision(Action.CONTRADICT, (works.memory_id,), "quit")
    assert _apply(quits, contradict, *state.values())[works.memory_id].status is Status.ACTIVE
    other = replace(quits, evidence=(replace(quits.evidence[0], message_id="m-next-day"),))
    assert _apply(other, contradict, *state.values())[works.memory_id].status is Status.CONTRADICTED


def test_when_a_plan_is_called_off_the_present_holds_on() -> None:
    lives, plan = _planned()
    off = residence("Porto", LATER + timedelta(days=2), negated=True, operation=Operation.CONTRADICT)
    state = _apply(off, Decision(Action.CONTRADICT, (plan.memory_id,), "off"), lives, plan)
    held = state[lives.memory_id]
    assert (held.status, held.superseded_by, held.valid_until) == (Status.ACTIVE, None, None)


def test_when_a_plan_is_put_off_the_present_holds_until_the_new_day() -> None:
    lives, plan = _planned()
    june = datetime(2026, 6, 1, tzinfo=UTC)
    said = residence("Braga", LATER + timedelta(days=2), valid_from=june, operation=Operation.UPDATE)
    state = _apply(said, Decision(Action.SUPERSEDE, (plan.memory_id,), "changed"), lives, plan)
    assert state[plan.memory_id].status is Status.SUPERSEDED
    assert state[lives.memory_id].valid_until == june - timedelta(seconds=1)
    assert state[lives.memory_id].superseded_by == state[plan.memory_id].superseded_by
