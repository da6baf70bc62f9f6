from __future__ import annotations

from datetime import date, timedelta

import pytest

from memory_pipeline.domain.lifecycle import advance, review_on
from memory_pipeline.domain.memory import Change, MemoryVersion, Status
from memory_pipeline.domain.proposal import MemoryType
from memory_pipeline_tests.factories import NOON, POLICY, memory, proposal

DAY = NOON.date()


def _of(type_: MemoryType, **given: object) -> MemoryVersion:
    return memory(proposal("Something worth a memory.", type=type_, **given))


def _after(one: MemoryVersion, days: int) -> list[MemoryVersion]:
    return list(advance(one, DAY + timedelta(days=days), POLICY.lifecycle))


@pytest.mark.parametrize(
    ("type_", "quiet", "status"),
    [
        (MemoryType.EPHEMERAL, 2, None),
        (MemoryType.EPHEMERAL, 3, Status.STALE),
        (MemoryType.EPHEMERAL, 33, Status.ARCHIVED),
        (MemoryType.EPISODIC_EVENT, 29, None),
        (MemoryType.EPISODIC_EVENT, 30, Status.STALE),
        (MemoryType.EPISODIC_EVENT, 210, Status.ARCHIVED),
        (MemoryType.OPEN_LOOP, 59, None),
        (MemoryType.OPEN_LOOP, 60, Status.CLOSED),
        (MemoryType.PROFILE_FACT, 4000, None),
        (MemoryType.BOUNDARY, 4000, None),
    ],
)
def test_the_policy_table(type_: MemoryType, quiet: int, status: Status | None) -> None:
    made = _after(_of(type_), quiet)
    assert (made[-1].status if made else None) is status


def test_an_open_loop_closes_after_its_due_date_and_grace() -> None:
    loop = _of(MemoryType.OPEN_LOOP, due_at=NOON + timedelta(days=5))
    grace = POLICY.lifecycle["open_loop"].grace
    assert _after(loop, 5 + grace) == []
    (closed,) = _after(loop, 6 + grace)
    assert (closed.change, closed.reason, closed.day) == (
        Change.CLOSE,
        "due date passed",
        DAY + timedelta(days=6 + grace),
    )


def test_a_validity_that_ends_archives_even_what_is_pinned() -> None:
    fact = memory(proposal("Is on the pricing team.", valid_until=NOON + timedelta(days=10)), pinned=True)
    assert [v.change for v in _after(fact, 11)] == [Change.EXPIRE]


def test_pinned_memories_do_not_age() -> None:
    assert _after(memory(proposal("x" * 10, type=MemoryType.EPHEMERAL), pinned=True), 4000) == []


def test_transitions_are_dated_by_the_policy_not_by_the_run() -> None:
    late = _after(_of(MemoryType.EPHEMERAL), 300)
    step_by_step: list[MemoryVersion] = []
    current = _of(MemoryType.EPHEMERAL)
    for n in range(301):
        for version in _after(current, n):
            step_by_step.append(version)
            current = version
    assert [v.version_id for v in late] == [v.version_id for v in step_by_step]
    assert [v.day for v in late] == [DAY + timedelta(days=3), DAY + timedelta(days=33)]


def test_review_day_is_the_first_day_of_change() -> None:
    fading = _of(MemoryType.EPHEMERAL)
    assert review_on(fading, POLICY.lifecycle) == DAY + timedelta(days=3)
    assert review_on(_of(MemoryType.PROFILE_FACT), POLICY.lifecycle) is None
    assert isinstance(review_on(fading, POLICY.lifecycle), date)
