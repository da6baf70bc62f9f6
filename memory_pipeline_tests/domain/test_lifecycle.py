"""Every transition that time makes, by its name, and what it must not be moved by."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_pipeline.domain.calendar import local_day
from memory_pipeline.domain.ledger.lifecycle import advance, review_on
from memory_pipeline.domain.ledger.memory import Change, MemoryVersion, Status, seal
from memory_pipeline.domain.proposal import MemoryType
from memory_pipeline_tests.factories import NOON, POLICY, memory, proposal

DAY = NOON.date()
LIFE = POLICY.lifecycle
GRACE = LIFE["open_loop"].grace
LAST = datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC)


def _of(type_: MemoryType, pinned: bool = False, timezone: str = "UTC", **given: Any) -> MemoryVersion:
    return memory(proposal("Something worth a memory.", type=type_, **given), pinned=pinned, timezone=timezone)


def _after(one: MemoryVersion, days: int) -> list[MemoryVersion]:
    return list(advance(one, DAY + timedelta(days=days), LIFE))


def _in(days: float) -> datetime:
    return NOON + timedelta(days=days)


# name → type, what is said of its time, the day it happens, and what it makes of the memory
TRANSITIONS: dict[str, tuple[MemoryType, dict[str, Any], int, Change, Status, str]] = {
    "ephemeral goes stale": (MemoryType.EPHEMERAL, {}, 3, Change.STALE, Status.STALE, "not referred to for 3 days"),
    "event goes stale": (MemoryType.EPISODIC_EVENT, {}, 30, Change.STALE, Status.STALE, "not referred to for 30 days"),
    "reflection goes stale": (MemoryType.REFLECTION, {}, 120, Change.STALE, Status.STALE, "not referred to for 120 da"),
    "estimate goes stale": (MemoryType.ESTIMATE, {}, 90, Change.STALE, Status.STALE, "not referred to for 90 days"),
    "stale ephemeral is archived": (MemoryType.EPHEMERAL, {}, 33, Change.ARCHIVE, Status.ARCHIVED, "stale for 30 days"),
    "stale event is archived": (
        MemoryType.EPISODIC_EVENT, {}, 210, Change.ARCHIVE, Status.ARCHIVED, "stale for 180 days",
    ),
    "stale reflection is archived": (
        MemoryType.REFLECTION, {}, 300, Change.ARCHIVE, Status.ARCHIVED, "stale for 180 days",
    ),
    "stale estimate is archived": (MemoryType.ESTIMATE, {}, 270, Change.ARCHIVE, Status.ARCHIVED, "stale for 180 days"),
    "open loop is past due": (
        MemoryType.OPEN_LOOP, {"due_at": _in(5)}, 6 + GRACE, Change.CLOSE, Status.CLOSED, "due date passed",
    ),
    "open loop was past due when it was stated": (
        MemoryType.OPEN_LOOP, {"due_at": _in(-40)}, 1 + GRACE, Change.CLOSE, Status.CLOSED, "due date passed",
    ),
    "open loop falls silent": (
        MemoryType.OPEN_LOOP, {}, 60, Change.CLOSE, Status.CLOSED, "not mentioned for 60 days",
    ),
    "fact expires": (
        MemoryType.PROFILE_FACT, {"valid_until": _in(10)}, 11, Change.EXPIRE, Status.ARCHIVED, "no longer valid",
    ),
    "fact had expired before it was stated": (
        MemoryType.PROFILE_FACT, {"valid_until": _in(-10)}, 0, Change.EXPIRE, Status.ARCHIVED, "no longer valid",
    ),
    "stale event expires": (
        MemoryType.EPISODIC_EVENT, {"valid_until": _in(50)}, 51, Change.EXPIRE, Status.ARCHIVED, "no longer valid",
    ),
}  # fmt: skip
named = pytest.mark.parametrize("name", TRANSITIONS)


@named
def test_it_happens_on_its_day_with_its_reason(name: str) -> None:
    type_, times, day, change, status, reason = TRANSITIONS[name]
    one = _of(type_, **times)
    assert change not in [v.change for v in _after(one, day - 1)]
    made = _after(one, day)[-1]
    assert (made.change, made.status, made.day) == (change, status, DAY + timedelta(days=day))
    assert made.reason.startswith(reason)
    assert made.changed_at >= one.changed_at


@named
def test_it_does_not_happen_to_what_is_pinned(name: str) -> None:
    type_, times, *_ = TRANSITIONS[name]
    pinned = _of(type_, pinned=True, **times)
    assert _after(pinned, 20_000) == []
    assert review_on(pinned, LIFE) is None


@named
def test_unpinning_lets_it_happen_no_earlier_than_that(name: str) -> None:
    type_, times, *_ = TRANSITIONS[name]
    unpinned = replace(_of(type_, **times), day=DAY + timedelta(days=1_000), changed_at=_in(1_000))
    made = _after(unpinned, 2_000)
    assert made and made[0].day == DAY + timedelta(days=1_000)


@named
@pytest.mark.parametrize("timezone", ["Pacific/Kiritimati", "Pacific/Pago_Pago", "America/New_York"])
def test_its_day_is_the_users(name: str, timezone: str) -> None:
    type_, times, day, change, *_ = TRANSITIONS[name]
    here = local_day(NOON, timezone)
    one = replace(_of(type_, timezone=timezone, **times), day=here)
    made = next(v for v in advance(one, DAY + timedelta(days=400), LIFE) if v.change is change)
    expected = here + timedelta(days=day)
    assert made.day == expected
    assert local_day(made.changed_at, timezone) == expected


@pytest.mark.parametrize("type_", [t for t in MemoryType if not LIFE[t].stale_after and t is not MemoryType.OPEN_LOOP])
def test_what_the_table_gives_no_days_stays(type_: MemoryType) -> None:
    assert _after(_of(type_), 20_000) == []


def test_a_loop_with_a_far_due_date_is_not_closed_for_its_silence() -> None:
    assert _after(_of(MemoryType.OPEN_LOOP, due_at=_in(300)), 300) == []


@pytest.mark.parametrize("status", [Status.SUPERSEDED, Status.CONTRADICTED, Status.CLOSED, Status.ARCHIVED])
def test_what_is_retired_stays_as_it_is(status: Status) -> None:
    assert _after(replace(_of(MemoryType.EPHEMERAL, valid_until=_in(1)), status=status), 5_000) == []


@pytest.mark.parametrize("field", ["valid_until", "due_at", "referenced_at"])
@pytest.mark.parametrize("timezone", ["UTC", "Pacific/Kiritimati", "Pacific/Pago_Pago"])
@pytest.mark.parametrize("at", [LAST, LAST - timedelta(days=2), datetime(1, 1, 1, tzinfo=UTC)])
def test_the_ends_of_the_calendar_are_no_error(field: str, timezone: str, at: datetime) -> None:
    odd = replace(_of(MemoryType.OPEN_LOOP, timezone=timezone), **{field: at})
    made = _after(odd, 100)
    assert bool(made) is (at.year == 1 or field == "valid_until")
    assert all(v.day >= DAY for v in made)


def test_a_mention_in_another_zone_never_dates_a_change_before_itself() -> None:
    one = _of(MemoryType.EPHEMERAL, timezone="Pacific/Kiritimati")
    moved = replace(one, day=local_day(_in(1), "Pacific/Pago_Pago"), referenced_at=_in(1), changed_at=_in(1))
    made = _after(moved, 40)
    assert [v.status for v in made] == [Status.STALE, Status.ARCHIVED]
    times = [moved.changed_at, *(v.changed_at for v in made)]
    assert times == sorted(times)


_TYPES = st.sampled_from(list(MemoryType))
_TIMES = st.none() | st.integers(-400, 400).map(lambda d: _in(d / 7))


@settings(max_examples=150, deadline=None)
@given(
    _TYPES, _TIMES, _TIMES, st.lists(st.integers(0, 500), max_size=8), st.sampled_from(["UTC", "Asia/Tokyo"])
)  # fmt: skip
def test_late_and_early_runs_make_the_same_versions(
    type_: MemoryType, due: datetime | None, until: datetime | None, runs: list[int], timezone: str
) -> None:
    one = seal(_of(type_, timezone=timezone, due_at=due, valid_until=until))
    current, by_steps = one, []
    for run in [*sorted(runs), 500]:
        for version in _after(current, run):
            by_steps.append(version)
            current = version
    assert by_steps == _after(one, 500)
    assert [v.day for v in by_steps] == sorted(v.day for v in by_steps)


def test_review_day_is_the_first_day_of_change() -> None:
    fading = _of(MemoryType.EPHEMERAL)
    assert review_on(fading, LIFE) == DAY + timedelta(days=3)
    assert review_on(_of(MemoryType.PROFILE_FACT), LIFE) is None
    assert isinstance(review_on(fading, LIFE), date)
