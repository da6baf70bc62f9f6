from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from memory_pipeline.domain.consolidation.supersession import Action, Decision
from memory_pipeline.domain.ledger.memory import Change, MemoryVersion, Status
from memory_pipeline.domain.ledger.transition import apply
from memory_pipeline.domain.proposal import MemoryType, Operation, Proposal, Surface
from memory_pipeline_tests.factories import NOON, POLICY, RECORDED, memory, proposal, residence

LATER = NOON + timedelta(days=20)


def _apply(said: Proposal, action: Action, *known: MemoryVersion, reason: str = "because") -> list[MemoryVersion]:
    decision = Decision(action, tuple(m.memory_id for m in known), reason)
    return apply(said, decision, {m.memory_id: m for m in known}, POLICY, "run-2", RECORDED, "UTC")


def test_add_starts_a_lineage() -> None:
    (made,) = _apply(residence("Lisbon"), Action.ADD)
    assert (made.version, made.change, made.status) == (1, Change.ADD, Status.ACTIVE)
    assert made.lineage_id == made.memory_id
    assert made.observed_at == NOON and made.recorded_at == RECORDED


def test_supersede_ends_the_old_and_continues_its_lineage() -> None:
    old = memory(residence("Lisbon"))
    ended, made = _apply(residence("Porto", LATER), Action.SUPERSEDE, old)
    assert (ended.memory_id, ended.status, ended.superseded_by) == (old.memory_id, Status.SUPERSEDED, made.memory_id)
    assert ended.valid_until == LATER
    assert (made.status, made.lineage_id, made.content) == (Status.ACTIVE, old.lineage_id, "Lives in Porto.")


def test_a_future_change_is_valid_from_its_own_date() -> None:
    starts = datetime(2026, 5, 1, tzinfo=UTC)
    ended, made = _apply(residence("Porto", LATER, valid_from=starts), Action.SUPERSEDE, memory(residence("Lisbon")))
    assert ended.valid_until == starts - timedelta(seconds=1) and made.valid_from == starts
    assert (ended.status, ended.superseded_by) == (Status.ACTIVE, made.memory_id), "until that day the old one holds"


def test_a_bare_denial_leaves_nothing_new() -> None:
    old = memory(residence("Lisbon"))
    said = residence("Lisbon", LATER, negated=True, operation=Operation.CONTRADICT)
    (ended,) = _apply(said, Action.CONTRADICT, old, reason="left")
    assert (ended.status, ended.superseded_by, ended.reason) == (Status.CONTRADICTED, None, "left")


def test_reinforcing_counts_and_strengthens() -> None:
    old = memory(residence("Lisbon"))
    (made,) = _apply(residence("Lisbon", LATER), Action.REINFORCE, old)
    assert (made.memory_id, made.version, made.reinforcements) == (old.memory_id, 2, 1)
    assert made.observed_at == NOON and made.referenced_at == LATER
    assert made.confidence > old.confidence and len(made.evidence) == 2


def test_mentioning_a_stale_memory_revives_it() -> None:
    (made,) = _apply(residence("Lisbon", LATER), Action.REINFORCE, memory(residence("Lisbon"), status=Status.STALE))
    assert (made.change, made.status) == (Change.REVIVE, Status.ACTIVE)


def test_merging_keeps_the_more_specific_text_and_raises_importance() -> None:
    old = memory(proposal("Has a dog called Max."))
    (made,) = _apply(proposal("Has a brown dog called Max.", LATER, importance=0.5), Action.MERGE, old)
    assert made.content == "Has a brown dog called Max."
    assert made.importance == round(max(old.importance, 0.5) + POLICY.consolidation.merge_importance, 4)


def test_a_lifted_boundary_leaves_no_wish_and_what_it_kept_silent_is_spoken_of_again() -> None:
    plain = {"type": MemoryType.BOUNDARY, "attribute": "avoid_topic", "value": "Bo"}
    closed = memory(proposal("Does not want Bo to be brought up.", **plain))
    dog = replace(memory(proposal("Bo is a beagle.")), surface=Surface.AVOID)
    said = proposal("Does not mind Bo being brought up again.", LATER, operation=Operation.CONTRADICT, **plain)
    decision = Decision(Action.CONTRADICT, (closed.memory_id,), "lifted", reopens=(dog.memory_id,))
    state = {m.memory_id: m for m in (closed, dog)}
    ended, again = apply(said, decision, state, POLICY, "run", LATER, "UTC")
    assert (ended.memory_id, ended.status) == (closed.memory_id, Status.CONTRADICTED)
    assert (again.memory_id, again.surface, again.change) == (dog.memory_id, Surface.SPEAK, Change.REVIVE)


def test_suppressing_keeps_the_fact_and_forbids_speaking() -> None:
    old = memory(proposal("Was married to Tom."))
    (made,) = _apply(proposal("Tom.", LATER, operation=Operation.SUPPRESS), Action.SUPPRESS, old)
    assert (made.status, made.surface) == (Status.ACTIVE, Surface.AVOID)


def test_nothing_depends_on_the_run_but_its_name_and_time() -> None:
    said, old = residence("Porto", LATER), memory(residence("Lisbon"))
    decision = Decision(Action.SUPERSEDE, (old.memory_id,), "moved")
    one = apply(said, decision, {old.memory_id: old}, POLICY, "a", RECORDED, "UTC")
    two = apply(said, decision, {old.memory_id: old}, POLICY, "b", RECORDED + timedelta(days=9), "UTC")
    assert [v.version_id for v in one] == [v.version_id for v in two]
