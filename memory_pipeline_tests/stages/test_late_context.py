"""A late message makes stale its own day and exactly the later days whose windows it gives another context."""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import date, timedelta
from pathlib import Path

import pytest

from memory_pipeline.domain.message import Message, Role
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.engines.user_buckets import Bucket
from memory_pipeline.stages.extraction.session_context import cut, digests
from memory_pipeline.stages.plan.freshness import inputs, record, stale
from memory_pipeline.stages.plan.registry import BY_NAME
from memory_pipeline_tests.factories import NOON, message
from memory_pipeline_tests.stages.echoing import context

STAGE = BY_NAME["proposals"]


def turns(session: str, day: int, count: int, role: Role | None = None) -> list[Message]:
    """Turns of one day, a minute apart; a user's and an assistant's by turns, or of one role."""
    return [
        message(
            f"{session} {day} {n}",
            NOON + timedelta(days=day, minutes=n),
            session_id=session,
            message_id=f"{session}-{day}-{n}",
            role=role or (Role.ASSISTANT if n % 2 else Role.USER),
        )
        for n in range(count)
    ]


def late(session: str, day: int, minute: int = -30) -> Message:
    return message("late", NOON + timedelta(days=day, minutes=minute), session_id=session, message_id="late")


def days(*numbers: int) -> list[date]:
    return [NOON.date() + timedelta(days=n) for n in numbers]


def made(home: Path, messages: Sequence[Message]) -> None:
    """A home in which all is fresh."""
    ctx = context(home, chat="builtin")
    ctx.lake.append("messages", messages)
    found = inputs(ctx, STAGE)
    record(ctx, STAGE, found, list(found), {})
    assert stale(context(home, chat="builtin"), STAGE) == []


def stale_after(home: Path, *messages: Message) -> list[date]:
    ctx = context(home, chat="builtin")
    ctx.lake.append("messages", messages)
    return stale(ctx, STAGE)


def test_its_day_and_the_days_on_which_the_session_goes_on(tmp_path: Path) -> None:
    made(tmp_path, [*turns("a", 0, 3), *turns("b", 1, 3), *turns("a", 2, 3), *turns("a", 7, 3), *turns("a", 8, 3)])
    assert stale_after(tmp_path, late("a", 0)) == days(0, 2, 7), "not another session's, nor after a week"


def test_a_context_that_is_full_does_not_change(tmp_path: Path) -> None:
    made(tmp_path, [*turns("a", 0, 2), *turns("a", 1, 10), *turns("a", 2, 1)])
    assert stale_after(tmp_path, late("a", 0)) == days(0, 1)


def test_a_summary_that_tells_of_it_does(tmp_path: Path) -> None:
    made(tmp_path, [*turns("a", 0, 2), *turns("a", 1, 20, Role.USER), *turns("a", 2, 1)])
    assert stale_after(tmp_path, late("a", 0)) == days(0, 1, 2)


def test_another_user_s_session_of_the_same_name_does_not(tmp_path: Path) -> None:
    other = [
        message("of bob", NOON + timedelta(days=1), user_id="bob", session_id="a", message_id="b"),
        message("of acme", NOON + timedelta(days=2), tenant_id="acme", session_id="a", message_id="c"),
    ]
    made(tmp_path, [*turns("a", 0, 2), *other])
    assert stale_after(tmp_path, late("a", 0)) == days(0)


def test_it_does_not_matter_which_days_are_looked_at(tmp_path: Path) -> None:
    ctx = context(tmp_path, chat="builtin")
    ctx.lake.append("messages", [m for day in range(0, 20, 2) for m in turns("a", day, 7)])
    found = digests(ctx, None)
    assert {day: digests(ctx, [day])[day] for day in found} == found
    assert digests(ctx, days(1, 3)) == {}


def _seen(ctx: StageContext) -> dict[date, list[object]]:
    """What extraction would ask on each day."""
    found: dict[date, list[object]] = {}
    for window, inside, before in cut(ctx, Bucket(tuple(ctx.lake.days("messages")))):
        parts = (inside, before.context, before.summarised)
        found.setdefault(window.day, []).append([[m.message_id for m in part] for part in parts])
    return found


@pytest.mark.parametrize("seed", range(6))
def test_the_digest_changes_exactly_with_what_is_asked(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    messages = [
        m
        for day in range(14)
        for session in "ab"
        if rng.random() < 0.6
        for m in turns(session, day, rng.choice([1, 3, 8, 25]), rng.choice([Role.USER, None]))
    ]
    extra = late(rng.choice("ab"), rng.randrange(12), rng.choice([-30, 2, 500]))
    before, after = (context(tmp_path / name, chat="builtin") for name in ("before", "after"))
    before.lake.append("messages", messages)
    after.lake.append("messages", [*messages, extra])
    old, new, asked, asked_now = digests(before, None), digests(after, None), _seen(before), _seen(after)
    assert {d for d in new if new[d] != old.get(d)} == {d for d in asked_now if asked_now[d] != asked.get(d)}
