"""The recall log's way into the lake: what a night reads, and that late feedback still counts."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory_pipeline.domain.reading.usefulness import q_value
from memory_pipeline.domain.scope import Scope
from memory_pipeline.settings import Settings
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.operations.feedback import collect, pending
from memory_pipeline.stages.plan.freshness import inputs, record, stale
from memory_pipeline.stages.plan.registry import BY_NAME
from memory_pipeline.storage.logs.recall_log import ReadEvent, RecallLog
from memory_pipeline.storage.parquet.schemas import Recall, Usefulness

FIRST = datetime(2026, 3, 1, 12, tzinfo=UTC)
NOW = datetime.now(UTC)


def ctx_of(home: Path, now: datetime = NOW) -> StageContext:
    return StageContext(Settings(home=str(home)), "run-1", now)


def log_of(ctx: StageContext) -> RecallLog:
    return RecallLog(ctx.settings.path("recall"))


def read(log: RecallLog, user: str, at: datetime, items: Sequence[str], name: str = "rec") -> None:
    listed = tuple((item, "semantic", 0.5) for item in items)
    event = ReadEvent(f"{name}-{at:%d%H%M%S}", "search", Scope("t", user), "q", None, "default", "m", 1.0, at, listed)
    log.read(event)


def day(number: int) -> date:
    return FIRST.date() + timedelta(days=number)


def at(number: int, minute: int = 0) -> datetime:
    return FIRST + timedelta(days=number, minutes=minute)


def whole(ctx: StageContext) -> dict[tuple[date, str, str], Usefulness]:
    """Every row of usefulness, each worked out from everything that was logged until the end of its day."""
    rows = sorted(ctx.lake.read("recalls", Recall), key=lambda r: (r.recalled_at, r.recall_id, r.rank, bool(r.helpful)))
    found = {}
    for on in {row.day for row in rows}:
        history: dict[tuple[str, str], list[Recall]] = defaultdict(list)
        for row in rows:
            if row.day <= on and row.item_id:
                history[row.user_id, row.item_id].append(row)
        for (user, item), until in history.items():
            if not any(row.day == on for row in until):
                continue
            ratings = [row.helpful for row in until if row.helpful is not None]
            reads = [row for row in until if row.helpful is None]
            last = max(row.recalled_at for row in reads or until)
            q = q_value(ratings, ctx.policy.feedback)
            found[on, user, item] = Usefulness(item, "t", user, on, len(reads), last, sum(ratings), len(ratings), q)
    return found


def made(ctx: StageContext) -> dict[tuple[date, str, str], Usefulness]:
    return {(row.day, row.user_id, row.item_id): row for row in ctx.lake.read("usefulness", Usefulness)}


events = st.tuples(
    st.integers(0, 5),  # day
    st.integers(0, 600),  # minute
    st.sampled_from(["ada", "bo"]),
    st.one_of(
        st.lists(st.sampled_from("abc"), max_size=3, unique=True),
        st.tuples(st.sampled_from("abc"), st.booleans()),
    ),
)


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.lists(events, min_size=1, max_size=6), min_size=1, max_size=4))
def test_going_on_from_the_last_rows_gives_what_the_whole_log_gives(nights: list[list[tuple]]) -> None:  # type: ignore[type-arg]
    """Events come in any order of days, some of them nights after the days that they belong to."""
    with TemporaryDirectory() as folder:
        ctx = ctx_of(Path(folder))
        log = log_of(ctx)
        for night in nights:
            for number, minute, user, what in night:
                if isinstance(what, tuple):
                    log.feedback("rec", Scope("t", user), what[0], what[1], at(number, minute))
                else:
                    read(log, user, at(number, minute), what)
            collect(ctx, sorted({day(number) for number, *_ in night}))
            assert made(ctx) == whole(ctx)


def test_late_feedback_moves_the_days_after_it(tmp_path: Path) -> None:
    ctx = ctx_of(tmp_path)
    log = log_of(ctx)
    for number in range(3):
        read(log, "ada", at(number), ["tea", f"other-{number}"])
    collect(ctx, [day(n) for n in range(3)])
    assert made(ctx)[day(2), "ada", "tea"].q_value == 0.5
    log.feedback("rec", Scope("t", "ada"), "tea", True, at(0, 5))
    collect(ctx, [day(0)])
    found = made(ctx)
    assert [found[day(n), "ada", "tea"].q_value for n in range(3)] == [0.6, 0.6, 0.6]
    assert [found[day(n), "ada", "tea"].access_count for n in range(3)] == [1, 2, 3]
    assert found[day(2), "ada", "other-2"].q_value == 0.5
    assert found == whole(ctx)


def test_used_but_unhelpful_takes_five_percent(tmp_path: Path) -> None:
    ctx = ctx_of(tmp_path)
    log = log_of(ctx)
    read(log, "ada", at(0), ["tea"])
    log.feedback("rec", Scope("t", "ada"), "tea", False, at(0, 5))
    collect(ctx, [day(0)])
    row = made(ctx)[day(0), "ada", "tea"]
    assert (row.q_value, row.rated_count, row.verified_count) == (pytest.approx(0.475), 1, 0)


def test_closed_spools_go_when_all_of_them_is_in_the_lake(tmp_path: Path) -> None:
    ctx = ctx_of(tmp_path)
    read(log_of(ctx), "ada", at(0), ["tea"])
    read(log_of(ctx), "ada", at(1), ["tea"])
    old, young = sorted(log_of(ctx).files(), key=os.path.getmtime)
    uncollected = RecallLog(ctx.settings.path("recall"))
    read(uncollected, "ada", at(2), ["milk"])
    third = next(p for p in log_of(ctx).files() if p not in (old, young))
    long_ago = (NOW - timedelta(days=3)).timestamp()
    for path in (old, third):
        os.utime(path, (long_ago, long_ago))
    collect(ctx, [day(0), day(1)])
    assert set(log_of(ctx).files()) == {young, third}
    before = made(ctx)
    collect(ctx, [day(0), day(1)])  # a day of which no spool is left keeps what it has
    assert made(ctx) == before
    collect(ctx, [day(2)])
    assert log_of(ctx).files() == [young]
    assert made(ctx) == whole(ctx)


def test_a_day_is_as_fresh_without_its_spools_as_with_them(tmp_path: Path) -> None:
    ctx = ctx_of(tmp_path)
    stage = BY_NAME["recall_feedback"]
    log = log_of(ctx)
    read(log, "ada", at(0), ["tea"])
    read(log, "ada", at(1), [])
    assert stale(ctx, stage) == [day(0), day(1)]
    from_what = inputs(ctx, stage)
    rows = collect(ctx, [day(0), day(1)])
    record(ctx, stage, from_what, [day(0), day(1)], rows)
    assert stale(ctx, stage) == []
    with_spools = dict(pending(ctx))
    for path in log.files():
        os.unlink(path)
    assert pending(ctx) == with_spools
    assert stale(ctx, stage) == []
    read(RecallLog(ctx.settings.path("recall")), "ada", at(0, 9), ["milk"], "late")
    assert stale(ctx, stage) == [day(0)]
    collect(ctx, [day(0)])
    assert {r.item_id for r in ctx.lake.read("recalls", Recall, days=[day(0)])} == {"tea", "milk"}


def test_a_read_that_found_nothing_is_kept_and_belongs_to_no_item(tmp_path: Path) -> None:
    ctx = ctx_of(tmp_path)
    log = log_of(ctx)
    read(log, "ada", at(0), [])
    collect(ctx, [day(0)])
    (row,) = ctx.lake.read("recalls", Recall)
    assert (row.item_id, row.query, row.latency_ms) == ("", "q", 1.0)
    assert made(ctx) == {}
    assert log.find(row.recall_id) == []


def test_a_day_whose_rows_are_noted_is_made_once(tmp_path: Path) -> None:
    ctx, stage = ctx_of(tmp_path), BY_NAME["recall_feedback"]
    read(log_of(ctx), "ada", at(0), ["tea"])
    found = inputs(ctx, stage)
    record(ctx, stage, found, [day(0)], dict(collect(ctx, [day(0)])))
    assert stale(ctx, stage) == []


def test_reads_of_a_machine_whose_clock_was_wrong_wait_and_stop_nothing(tmp_path: Path) -> None:
    ctx, stage = ctx_of(tmp_path), BY_NAME["recall_feedback"]
    for years in (-50, 10):  # there is no partition for either
        read(log_of(ctx), "ada", NOW + timedelta(days=365 * years), ["tea"])
    read(log_of(ctx), "ada", at(0), ["milk"])
    assert stale(ctx, stage) == [day(0)]
    collect(ctx, stale(ctx, stage))
    assert [row.item_id for row in ctx.lake.read("recalls", Recall)] == ["milk"]
    later = ctx_of(tmp_path, NOW + timedelta(days=3650))
    assert (NOW + timedelta(days=3650)).date() in stale(later, stage), "nothing is lost: its day comes"
