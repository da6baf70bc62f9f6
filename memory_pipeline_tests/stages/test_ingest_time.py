"""Which instant and which day a message belongs to."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_pipeline.domain.calendar import zone
from memory_pipeline.stages.messages.ingest import ingest
from memory_pipeline.stages.messages.landing.times import instant
from memory_pipeline_tests.stages.landing_files import context, line, put_aside, stored, write


def placed(tmp_path: Path, timezone: str | None = None, **fields: Any) -> tuple[str, date, str]:
    """Instant, day and zone of one message."""
    ctx = context(tmp_path / "home")
    ingest(ctx, [write(tmp_path / "a.jsonl", [line(**fields)])], timezone=timezone)
    (message,) = stored(ctx)
    return message.created_at.isoformat(), message.day, message.timezone


@pytest.mark.parametrize(
    ("created_at", "argument", "metadata", "utc", "day", "name"),
    [
        # an offset says when, the zone says which day
        ("2026-03-01T23:30:00+00:00", None, None, "2026-03-01T23:30:00", 1, "UTC"),
        ("2026-03-01T23:30:00Z", "Europe/Berlin", None, "2026-03-01T23:30:00", 2, "Europe/Berlin"),
        ("2026-03-02T07:59:59Z", "America/Los_Angeles", None, "2026-03-02T07:59:59", 1, "America/Los_Angeles"),
        ("2026-03-02T00:30:00+13:00", None, None, "2026-03-01T11:30:00", 1, "UTC"),
        # without one it is the zone's time
        ("2026-03-01T23:30:00", None, None, "2026-03-01T23:30:00", 1, "UTC"),
        ("2026-03-02T00:30:00", "Asia/Kolkata", None, "2026-03-01T19:00:00", 2, "Asia/Kolkata"),
        ("2026-03-02", "Pacific/Auckland", None, "2026-03-01T11:00:00", 2, "Pacific/Auckland"),
        # the message's own zone wins
        ("2026-03-02T00:30:00", "Asia/Kolkata", "America/New_York", "2026-03-02T05:30:00", 2, "America/New_York"),
        ("2026-03-02T00:30:00Z", "Asia/Kolkata", "America/New_York", "2026-03-02T00:30:00", 1, "America/New_York"),
    ],
)
def test_instant_day_and_zone(
    tmp_path: Path, created_at: str, argument: str | None, metadata: str | None, utc: str, day: int, name: str
) -> None:
    fields = {"metadata": {"timezone": metadata}} if metadata else {}
    found = placed(tmp_path, argument, created_at=created_at, **fields)
    assert found == (f"{utc}+00:00", date(2026, 3, day), name)


def test_the_setting_is_the_zone_of_those_who_name_none(tmp_path: Path) -> None:
    ctx = context(tmp_path / "home", timezone="Asia/Tokyo")
    ingest(ctx, [write(tmp_path / "a.jsonl", [line(created_at="2026-03-02T08:59:00")])])
    (message,) = stored(ctx)
    assert (message.created_at, message.day) == (datetime(2026, 3, 1, 23, 59, tzinfo=UTC), date(2026, 3, 2))


@pytest.mark.parametrize(
    ("local", "utc"),
    [
        ("2026-03-29T01:59:59", "2026-03-29T00:59:59+00:00"),
        ("2026-03-29T02:30:00", "2026-03-29T01:30:00+00:00"),  # does not exist: read with the offset before
        ("2026-03-29T03:00:00", "2026-03-29T01:00:00+00:00"),
        ("2025-10-26T02:30:00", "2025-10-26T00:30:00+00:00"),  # comes twice: the first
        ("2025-10-26T02:30:00+01:00", "2025-10-26T01:30:00+00:00"),
        ("2025-10-26T03:00:00", "2025-10-26T02:00:00+00:00"),
    ],
)
def test_clock_changes(local: str, utc: str) -> None:
    assert instant(local, zone("Europe/Berlin")).isoformat() == utc


def test_days_of_a_clock_change_begin_at_local_midnight(tmp_path: Path) -> None:
    ctx = context(tmp_path / "home", now=datetime(2026, 4, 20, tzinfo=UTC))
    start = datetime(2026, 3, 28, 12, tzinfo=UTC)
    lines = [line(content=f"Hour {n}.", created_at=(start + timedelta(hours=n)).isoformat()) for n in range(72)]
    ingest(ctx, [write(tmp_path / "a.jsonl", lines)], timezone="Europe/Berlin")
    days = [m.day for m in stored(ctx)]
    assert days.count(date(2026, 3, 29)) == 23
    assert days.count(date(2026, 3, 30)) == 24


def test_a_message_at_midnight_belongs_to_the_new_day(tmp_path: Path) -> None:
    ctx = context(tmp_path / "home")
    times = ["2026-03-01T23:59:59.999999+01:00", "2026-03-02T00:00:00+01:00"]
    lines = [line(content=f"At {time}.", created_at=time) for time in times]
    ingest(ctx, [write(tmp_path / "a.jsonl", lines)], timezone="Europe/Berlin")
    assert [m.day for m in stored(ctx)] == [date(2026, 3, 1), date(2026, 3, 2)]


def test_importing_again_with_another_zone_doubles_nothing(tmp_path: Path) -> None:
    ctx = context(tmp_path / "home")
    hours = [f"2026-03-0{1 + n // 24}T{n % 24:02}:00:00Z" for n in range(72)]
    given = [line(message_id=f"m{n}", content=f"Hour {n}.", created_at=at) for n, at in enumerate(hours)]
    derived = [line(session_id="s-2", content=f"Hour {n}.", created_at=at) for n, at in enumerate(hours)]
    file = write(tmp_path / "a.jsonl", [*given, *derived])
    ingest(ctx, [file])
    for name in ("America/Los_Angeles", "Pacific/Auckland"):
        report = ingest(ctx, [file], timezone=name)
        assert (report.taken, report.known) == (0, 144)


def test_the_first_partition_day_is_a_local_day(tmp_path: Path) -> None:
    ctx = context(tmp_path / "home", start_date=date(2026, 3, 2))
    lines = [line(content=f"At {time}.", created_at=time) for time in ("2026-03-01T22:59:59Z", "2026-03-01T23:00:00Z")]
    report = ingest(ctx, [write(tmp_path / "a.jsonl", lines)], timezone="Europe/Berlin")
    assert (report.taken, report.quarantined) == (1, 1)
    (aside,) = put_aside(ctx)
    assert aside.reason == (
        "created_at 2026-03-01T22:59:59+00:00 is before MEMORY_PIPELINE_START_DATE (2026-03-02); "
        "set it to an earlier day to take older messages"
    )


@given(
    at=st.datetimes(min_value=datetime(2020, 1, 2), max_value=datetime(2027, 1, 1)),
    offset=st.integers(min_value=-14 * 60, max_value=14 * 60),
)
def test_an_offset_is_only_another_spelling(at: datetime, offset: int) -> None:
    spelled = at.replace(tzinfo=UTC).astimezone(timezone(timedelta(minutes=offset))).isoformat()
    assert instant(spelled, zone("Asia/Tokyo")) == at.replace(tzinfo=UTC)


@given(
    at=st.datetimes(min_value=datetime(2020, 1, 2), max_value=datetime(2027, 1, 1)),
    name=st.sampled_from(["UTC", "Europe/Berlin", "Asia/Kathmandu"]),
)
def test_local_time_survives_unless_clocks_jumped(at: datetime, name: str) -> None:
    back = instant(at.isoformat(), zone(name)).astimezone(zone(name)).replace(tzinfo=None)
    assert back - at in (timedelta(0), timedelta(hours=1))
