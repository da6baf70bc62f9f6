"""Open loops in the prompt block: offered at the right time by the user's calendar, urgent first, and not too often."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from memory_pipeline.domain.consolidation.plans.open_loops import due_note
from memory_pipeline.domain.ledger.memory import Status
from memory_pipeline.domain.proposal import MemoryType, Surface
from memory_pipeline_tests.store import Store

THREADS, SILENT = "THREADS TO CONTINUE:", "USE SILENTLY:"
TOKYO = "Asia/Tokyo"  # nine hours ahead of UTC
DUE = datetime(2026, 5, 1, 14, 59, 59, tzinfo=UTC)  # the end of 1 May in Tokyo


def loop(home: Store, content: str, due_at: datetime | None = DUE, **given: Any) -> str:
    stated = {"at": DUE - timedelta(days=40), "timezone": TOKYO, "due_at": due_at}
    return home.memory(
        content, **{**stated, "type": MemoryType.OPEN_LOOP, "surface": Surface.CONTINUE, **given}
    ).memory_id


def threads(home: Store, at: datetime, message: str = "good morning", session: str | None = None) -> str:
    return home.reader(clock=lambda: at).context(message, **home.owner, session_id=session).sections.get(THREADS, "")


@pytest.mark.parametrize(
    ("local", "note"),
    [
        ("2026-04-23T23:59", ""),  # eight days before: not yet
        ("2026-04-24T00:01", "due 2026-05-01, in 7 days"),
        ("2026-04-29T12:00", "due 2026-05-01, in 2 days"),
        ("2026-04-30T00:01", "due 2026-05-01, tomorrow"),
        ("2026-04-30T23:59", "due 2026-05-01, tomorrow"),
        ("2026-05-01T00:01", "due 2026-05-01, today"),
        ("2026-05-02T00:01", "due 2026-05-01, yesterday"),
        ("2026-05-03T23:59", "due 2026-05-01, 2 days overdue"),
        ("2026-05-04T00:01", ""),  # the grace of two days is over, whether or not the lifecycle has run
    ],
)
def test_days_turn_at_midnight_of_the_user(home: Store, local: str, note: str) -> None:
    loop(home, "Needs to call mom.")
    at = datetime.fromisoformat(local + ":00+09:00")
    assert threads(home, at) == (f"- Needs to call mom. ({note})" if note else "")


def test_a_time_of_day_is_told_by_the_clock_of_the_user(home: Store) -> None:
    loop(home, "Needs to call the dentist.", datetime(2026, 5, 1, 0, 0, tzinfo=UTC))
    before, after = datetime(2026, 4, 30, 23, 0, tzinfo=UTC), datetime(2026, 5, 1, 1, 0, tzinfo=UTC)
    assert threads(home, before) == "- Needs to call the dentist. (due 2026-05-01 09:00, today)"
    assert threads(home, after) == "- Needs to call the dentist. (due 2026-05-01 09:00, earlier today)"


def test_a_note_over_a_clock_change() -> None:
    due, at = datetime(2026, 3, 29, 21, 59, 59, tzinfo=UTC), datetime(2026, 3, 28, 22, 59, tzinfo=UTC)
    assert due_note(due, at, "Europe/Berlin") == "due 2026-03-29, tomorrow"
    assert due_note(due, at + timedelta(minutes=1), "Europe/Berlin") == "due 2026-03-29, today"


def test_the_most_urgent_comes_first(home: Store) -> None:
    for content, days in (("Needs to buy milk.", 3), ("Needs to pay the rent.", -1), ("Needs to call mom.", 0)):
        loop(home, content, DUE + timedelta(days=days))
    lines = threads(home, DUE - timedelta(hours=5)).splitlines()
    assert [line.split(" (")[0] for line in lines] == [
        "- Needs to pay the rent.",
        "- Needs to call mom.",
        "- Needs to buy milk.",
    ]


def test_what_is_far_away_or_has_no_date_comes_up_when_the_turn_is_about_it(home: Store) -> None:
    loop(home, "Plans to visit Oslo.", DUE + timedelta(days=60))
    loop(home, "Wants to learn Greek.", None)
    at = DUE - timedelta(hours=5)
    assert threads(home, at) == ""
    assert "Plans to visit Oslo. (due 2026-06-30, in 1 month)" in threads(home, at, "plans to visit Oslo")
    assert "Wants to learn Greek." in threads(home, at, "I wants to learn Greek")


@pytest.mark.parametrize("status", [Status.CLOSED, Status.SUPERSEDED, Status.CONTRADICTED, Status.ARCHIVED])
def test_what_is_over_is_not_followed_up(home: Store, status: Status) -> None:
    loop(home, "Needs to call mom.", status=status)
    assert threads(home, DUE, "Needs to call mom.") == ""


def test_what_has_run_out_does_not_come_back_by_its_words(home: Store) -> None:
    loop(home, "Needs to call mom.")
    assert threads(home, DUE + timedelta(days=2), "Needs to call mom.") != ""
    assert threads(home, DUE + timedelta(days=3), "Needs to call mom.") == ""


def test_what_was_overdue_when_stated_has_its_grace_from_then(home: Store) -> None:
    loop(home, "Needs to renew the passport.", at=DUE + timedelta(days=10))
    assert "9 days overdue" not in threads(home, DUE + timedelta(days=12))
    assert "12 days overdue" in threads(home, DUE + timedelta(days=12))
    assert threads(home, DUE + timedelta(days=13)) == ""


class TestNotThreeTurnsRunning:
    def test_a_thread_rests_every_third_turn_and_comes_back(self, home: Store) -> None:
        """What is due today is never silenced for good: the model knows of it in every turn."""
        mom = loop(home, "Needs to call mom.")
        reader = home.reader(clock=lambda: DUE - timedelta(hours=5))
        titles = []
        for _ in range(6):
            block = reader.context("good morning", **home.owner, session_id="s-9")
            assert mom in block.item_ids
            titles.append(next(title for title, text in block.sections.items() if "call mom" in text))
        assert titles == [THREADS, THREADS, SILENT, THREADS, THREADS, SILENT]

    def test_unless_the_turn_is_about_it(self, home: Store) -> None:
        loop(home, "Needs to call mom.")
        reader = home.reader(clock=lambda: DUE - timedelta(hours=5))
        for _ in range(4):
            assert THREADS in reader.context("who needs to call mom?", **home.owner, session_id="s-9").sections

    def test_another_session_starts_afresh(self, home: Store) -> None:
        loop(home, "Needs to call mom.")
        reader = home.reader(clock=lambda: DUE - timedelta(hours=5))
        for session in ("s-7", "s-7", "s-8", None, None, None):
            assert THREADS in reader.context("good morning", **home.owner, session_id=session).sections
