from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from memory_pipeline.domain.ledger.fading import NEVER, Reads, pass_time, still_faded
from memory_pipeline.domain.ledger.memory import Cause, Change, MemoryVersion, Status
from memory_pipeline.domain.ledger.replay import carried, carry
from memory_pipeline.domain.proposal import MemoryType
from memory_pipeline_tests.factories import NOON, POLICY, memory, proposal

PRUNING = replace(POLICY, prune=replace(POLICY.prune, enabled=True))
DAY = NOON.date()
FADES = 201  # days after which 0.3 falls below 0.1 on the gentle curve


def _taste(importance: float = 0.3, **changes: Any) -> MemoryVersion:
    return memory(proposal("Likes sardines.", type=MemoryType.PREFERENCE, importance=importance), **changes)


def _after(one: MemoryVersion, days: int, reads: Reads = NEVER, policy: Any = POLICY) -> list[MemoryVersion]:
    return list(pass_time(one, DAY + timedelta(days=days), policy, reads))


def test_what_nobody_says_or_reads_is_archived_with_its_reason() -> None:
    assert _after(_taste(), FADES - 1) == []
    (faded,) = _after(_taste(), 4_000)
    assert (faded.change, faded.cause, faded.status) == (Change.FADE, Cause.FADING, Status.ARCHIVED)
    assert faded.day == DAY + timedelta(days=FADES)
    assert faded.reason == f"strength below 0.1 after {FADES} days without access"


def test_faint_from_the_start_it_still_gets_its_thirty_days() -> None:
    assert _after(_taste(0.05), 29) == []
    assert [v.day for v in _after(_taste(0.05), 4_000)] == [DAY + timedelta(days=30)]


def test_reads_keep_it() -> None:
    read = Reads(1, NOON + timedelta(days=FADES - 1))
    assert _after(_taste(), FADES + 150, read) == []
    (faded,) = _after(_taste(), 4_000, read)
    assert faded.day > DAY + timedelta(days=2 * FADES - 1), "a recall also slows forgetting a little"
    assert _after(_taste(), FADES, Reads(20, NOON)) == []


def test_confirmations_keep_it_longer() -> None:
    assert _after(_taste(reinforcements=1), 2 * FADES - 2) == []
    assert _after(_taste(reinforcements=1), 2 * FADES)


@pytest.mark.parametrize("policy", [POLICY, PRUNING], ids=["archived", "pruned"])
def test_pinned_memories_do_not_fade(policy: Any) -> None:
    assert _after(_taste(pinned=True), 20_000, policy=policy) == []


@pytest.mark.parametrize(
    "type_",
    [MemoryType.PROFILE_FACT, MemoryType.BOUNDARY, MemoryType.PROTOCOL, MemoryType.DECISION, MemoryType.PATTERN],
)
def test_what_matters_does_not_fade_however_little_it_weighs(type_: MemoryType) -> None:
    one = memory(proposal("Something worth a memory.", type=type_, importance=0.05))
    assert _after(one, 20_000, policy=PRUNING) == []


def test_where_days_decide_strength_does_not() -> None:
    passing = memory(proposal("Has a headache.", type=MemoryType.EPHEMERAL, importance=0.05))
    assert [v.change for v in _after(passing, 4_000)] == [Change.STALE, Change.ARCHIVE]


def test_expiring_comes_first_where_it_is_earlier_and_never_after_fading() -> None:
    early, late = (replace(_taste(), valid_until=NOON + timedelta(days=d)) for d in (50, 500))
    assert [v.change for v in _after(early, 4_000)] == [Change.EXPIRE]
    assert [v.change for v in _after(late, 4_000)] == [Change.FADE]


def test_pruning_is_opt_in_and_only_takes_what_is_archived_and_has_faded() -> None:
    faded, pruned = _after(_taste(), 4_000, policy=PRUNING)
    assert (faded.change, pruned.change, pruned.status) == (Change.FADE, Change.PRUNE, Status.ARCHIVED)
    assert pruned.previous_version_id == faded.version_id
    assert _after(pruned, 8_000, policy=PRUNING) == []
    event = memory(proposal("Went to the opera.", type=MemoryType.EPISODIC_EVENT, importance=0.2))
    assert [v.change for v in _after(event, 4_000, policy=PRUNING)] == [Change.STALE, Change.ARCHIVE]
    forgotten = replace(_taste(), status=Status.ARCHIVED, change=Change.FORGET)
    assert _after(forgotten, 4_000, policy=PRUNING) == []


def test_a_replay_takes_it_over_unless_the_memory_has_been_confirmed() -> None:
    one = _taste()
    faded, pruned = _after(one, 4_000, policy=PRUNING)
    assert carried(faded) and carried(pruned)
    assert carry(faded, one) == faded
    assert carry(pruned, faded) == pruned
    late = replace(one, referenced_at=NOON + timedelta(days=5))
    for stronger in (late, replace(one, reinforcements=1), replace(one, importance=0.4), replace(one, pinned=True)):
        assert not still_faded(faded, stronger)
        assert carry(faded, stronger) is None
    assert carry(faded, replace(one, status=Status.SUPERSEDED)) is None
    assert carry(pruned, replace(one, status=Status.ACTIVE)) is None
    assert carry(faded, None) is None
    other = replace(one, version_id="ver_other", content="Likes grilled sardines.")
    again = carry(faded, other)
    assert again is not None and (again.content, again.status) == (other.content, Status.ARCHIVED)
