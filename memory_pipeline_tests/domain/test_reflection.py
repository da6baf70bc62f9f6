"""When memories are reflected on, and what becomes of an insight: confirmed, repeated, archived."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import Any

import pytest

from memory_pipeline.domain.calendar import Grain, Period
from memory_pipeline.domain.derived.derivation import derive
from memory_pipeline.domain.derived.reflection import (
    bears_out,
    confirm,
    due_day,
    enough,
    known_as,
    news,
    recent,
    remains,
    retire,
)
from memory_pipeline.domain.ledger.memory import Cause, Change, MemoryVersion, Status, evolve
from memory_pipeline.domain.proposal import MemoryType, Surface
from memory_pipeline_tests.factories import NOON, POLICY, RECORDED, memory, proposal

WEEK = Period(Grain.WEEK, date(2026, 3, 9))
MONDAY = NOON - timedelta(days=1)


def _memory(n: int, at: datetime, **given: Any) -> MemoryVersion:
    return memory(proposal(f"Ran number {n}.", at), **{"memory_id": f"k{n}", "importance": 0.5, **given})


def _runs(count: int = 3) -> list[MemoryVersion]:
    return [_memory(n, MONDAY + timedelta(days=n)) for n in range(count)]


def _insight(members: list[MemoryVersion], content: str = "Runs after stressful days.") -> MemoryVersion:
    return derive(
        MemoryType.REFLECTION,
        content,
        members,
        importance=0.6,
        confidence=0.6,
        at=NOON + timedelta(days=5),
        day=date(2026, 3, 15),
        policy=POLICY,
        run_id="r",
        now=RECORDED,
        reason="What helps?",
    )


def _confirmed(reflection: MemoryVersion, members: list[MemoryVersion]) -> MemoryVersion:
    at = NOON + timedelta(days=12)
    return confirm(reflection, members, at=at, day=at.date(), reason="again", policy=POLICY, run_id="r", now=RECORDED)


def test_a_week_that_is_over_is_due_when_it_brought_something_new() -> None:
    assert due_day(WEEK, {date(2026, 3, 10): 0.4}, 15.0, over=True) == date(2026, 3, 15)
    assert due_day(WEEK, {}, 15.0, over=True) is None
    assert due_day(WEEK, {date(2026, 3, 16): 9.0}, 15.0, over=True) is None, "that is next week"


def test_before_its_end_a_week_waits_for_the_threshold_again_and_again() -> None:
    days = {date(2026, 3, 9 + n): 0.6 for n in range(6)}
    assert due_day(WEEK, {d: i for d, i in days.items() if d.day < 11}, 1.5, over=False) is None
    assert due_day(WEEK, {d: i for d, i in days.items() if d.day < 14}, 1.5, over=False) == date(2026, 3, 11)
    assert due_day(WEEK, days, 1.5, over=False) == date(2026, 3, 14), "three more days, counted from the last look"


def test_news_is_what_was_said_each_memory_once_a_day() -> None:
    first = _memory(1, NOON)
    again = evolve(first, change=Change.REINFORCE, cause=Cause.PROPOSAL, reason="", importance=0.7)
    aged = evolve(again, change=Change.STALE, cause=Cause.LIFECYCLE, reason="", status=Status.STALE)
    ended = evolve(again, change=Change.SUPERSEDE, cause=Cause.PROPOSAL, reason="", status=Status.SUPERSEDED)
    assert news([first, again]) == {NOON.date(): 0.7}
    assert news([aged, ended, _insight(_runs())]) == {}


def test_what_must_not_be_spoken_of_or_is_over_is_not_looked_at() -> None:
    kept = _memory(1, NOON)
    others = [
        _memory(2, NOON, type=MemoryType.BOUNDARY),
        _memory(3, NOON, surface=Surface.AVOID),
        _memory(4, NOON, status=Status.CONTRADICTED),
        _memory(5, NOON - timedelta(days=60)),
        _insight(_runs()),
    ]
    assert recent([kept, *others], date(2026, 2, 16), 120) == [kept]
    assert recent(_runs(5), date(2026, 2, 16), 2) == _runs(5)[-2:]


def test_an_insight_needs_enough_memories_of_enough_days() -> None:
    figures = POLICY.reflection
    assert enough(_runs(3), figures)
    assert not enough(_runs(2), figures)
    assert not enough([_memory(n, NOON) for n in range(5)], figures), "one day is no habit"


def test_an_insight_is_known_by_its_words_or_of_another_week_by_its_memories() -> None:
    runs = _runs(4)
    known = _insight(runs[:3])

    def found(content: str, members: list[MemoryVersion], earlier: list[MemoryVersion]) -> MemoryVersion | None:
        return known_as(content, members, [known], earlier, POLICY)

    assert found("runs after stressful days", runs, []) == known
    assert found("Feels better for it.", runs, [known]) == known, "three of four memories are the same"
    assert found("Feels better for it.", runs, []) is None, "of the same week it is something else"
    assert found("Feels better for it.", runs[3:], [known]) is None


def test_only_something_new_bears_an_insight_out_again() -> None:
    runs = _runs(4)
    known = _insight(runs[:3])
    assert not bears_out(runs[:3], known)
    assert bears_out(runs, known)
    said_again = replace(runs[0], referenced_at=known.referenced_at + timedelta(days=3))
    assert bears_out([said_again, *runs[1:3]], known)


def test_a_confirmed_reflection_is_the_same_memory_and_rests_on_both() -> None:
    runs = _runs(4)
    first = _insight(runs[:3])
    second = _confirmed(first, runs[1:])
    assert (second.memory_id, second.version, second.change) == (first.memory_id, 2, Change.REINFORCE)
    assert second.reinforcements == 1 and second.confidence > first.confidence
    assert second.derived_from == ("k0", "k1", "k2", "k3")
    gone = evolve(first, change=Change.STALE, cause=Cause.LIFECYCLE, reason="", status=Status.STALE)
    assert (_confirmed(gone, runs).change, _confirmed(gone, runs).status) == (Change.REVIVE, Status.ACTIVE)


@pytest.mark.parametrize(
    ("change", "given", "left"),
    [
        (Change.FORGET, {"cause": Cause.MANUAL, "status": Status.ARCHIVED}, False),
        (Change.SUPERSEDE, {"cause": Cause.PROPOSAL, "status": Status.SUPERSEDED}, False),
        (Change.EDIT, {"cause": Cause.MANUAL, "taken_back": ("m-1",)}, False),
        (Change.CLOSE, {"cause": Cause.LIFECYCLE, "status": Status.CLOSED}, True),
        (Change.SUPERSEDE, {"cause": Cause.PATTERN, "status": Status.SUPERSEDED}, True),
        (Change.STALE, {"cause": Cause.LIFECYCLE, "status": Status.STALE}, True),
    ],
)
def test_what_the_user_takes_back_no_longer_bears_a_reflection(
    change: Change, given: dict[str, Any], left: bool
) -> None:
    runs = _runs(3)
    reflection = _insight(runs)
    at = reflection.changed_at + timedelta(days=2)
    now = evolve(runs[0], change=change, reason="", changed_at=at, day=at.date(), **given)
    assert remains(now, reflection) is left
    assert not remains(None, reflection)
    ended = retire(reflection, {v.memory_id: v for v in (now, *runs[1:])}, POLICY, "r", RECORDED)
    if left:
        assert ended is None
    else:
        assert ended is not None
        assert (ended.status, ended.cause, ended.changed_at) == (Status.ARCHIVED, Cause.REFLECTION, at)
        assert retire(ended, {}, POLICY, "r", RECORDED) is None, "once is enough"


def test_one_that_no_memory_bears_has_none_to_lose() -> None:
    stated = memory(proposal("Only ever rows.", type=MemoryType.REFLECTION))
    assert stated.derived_from == ()
    assert retire(stated, {}, POLICY, "r", RECORDED) is None
