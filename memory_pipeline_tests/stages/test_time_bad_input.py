"""Time gone wrong: clocks that jump, dates that do not exist, evidence that vanishes; nothing is invented for it."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from memory_pipeline.domain.message import Message
from memory_pipeline.domain.proposal import MemoryType
from memory_pipeline.domain.text import content_words, numbers
from memory_pipeline_tests.stages.whole import Whole

START = datetime(2026, 3, 2, 9, tzinfo=UTC)  # a Monday
AFTER = datetime(2026, 4, 15, 3, tzinfo=UTC)


def says(n: int, text: str, at: datetime | str = START, **given: Any) -> dict[str, Any]:
    when = at if isinstance(at, str) else at.isoformat()
    plain = {"user_id": "ann", "session_id": "s", "message_id": f"m{n}", "role": "user"}
    return {**plain, "content": text, "created_at": when, **given}


def weeks() -> list[dict[str, Any]]:
    """Three weeks of a life."""
    told = [
        "I live in Oslo.",
        "I work as a nurse.",
        "I like green tea.",
        "My sister is called Lea.",
        "I play the cello.",
    ]
    return [says(n, text, START + timedelta(days=4 * n), session_id=f"s{n}") for n, text in enumerate(told)]


def grounded(home: Whole) -> None:
    """Every summary cites what is there, of its own user and period, and says no word that its period does not."""
    messages = home.lake.read("messages", Message)
    known = {v.memory_id: v for v in home.memories()}
    for summary in home.summaries():
        own = {m.message_id: m for m in messages if m.user_id == summary.user_id}
        assert summary.message_ids or summary.memory_ids
        assert set(summary.message_ids) <= own.keys() and set(summary.memory_ids) <= known.keys()
        assert all(known[i].user_id == summary.user_id for i in summary.memory_ids)
        said = " ".join([m.content for m in own.values()] + [known[i].content for i in summary.memory_ids])
        invented = numbers(summary.text) - numbers(said) - numbers(summary.start.isoformat().replace("-0", "-"))
        days = {str(m.day.day) for m in own.values()}
        assert invented <= days, summary.text
        assert len(content_words(summary.text) & content_words(said)) >= 1


def rows(home: Whole) -> Mapping[str, tuple[str, tuple[str, ...], tuple[str, ...]]]:
    return {s.summary_id: (s.text, s.message_ids, s.memory_ids) for s in home.summaries()}


@pytest.fixture
def home(tmp_path: Path) -> Whole:
    return Whole(tmp_path / "home")


@pytest.fixture(scope="module")
def steady(tmp_path_factory: pytest.TempPathFactory) -> Whole:
    """A home in which the weeks have been taken and run; only to be read."""
    home = Whole(tmp_path_factory.mktemp("steady") / "home")
    home.take(weeks(), AFTER)
    home.run(AFTER)
    return home


@pytest.fixture
def lived(steady: Whole, tmp_path: Path) -> Whole:
    """A copy of it."""
    return Whole(Path(shutil.copytree(steady.path, tmp_path / "lived")))


def test_a_clock_that_jumps_leaves_no_trace(home: Whole, steady: Whole) -> None:
    home.take(weeks()[:3], datetime(2026, 3, 12, tzinfo=UTC))
    for now in (datetime(2099, 1, 1, tzinfo=UTC), datetime(2020, 1, 1, tzinfo=UTC), datetime(2026, 3, 12, tzinfo=UTC)):
        home.run(now)
        grounded(home)
    home.take(weeks()[3:], AFTER)
    home.run(AFTER)
    assert home.stale(AFTER) == {}, "a note of a wrong year does not hold for ever"
    assert rows(home) == rows(steady) != {}
    assert {m.version_id for m in home.memories()} == {m.version_id for m in steady.memories()}


def test_times_that_run_backwards_in_a_session(home: Whole) -> None:
    back = [
        says(n, text, START - timedelta(hours=n)) for n, text in enumerate(["I live in Oslo.", "I like tea.", "Bye."])
    ]
    home.take(back, AFTER)
    home.run(AFTER)
    grounded(home)
    assert {"Lives in Oslo.", "Likes tea."} <= {m.content for m in home.memories()}
    assert [s.start for s in home.summaries() if s.grain == "day"] == [START.date()]


def test_a_user_without_a_zone_has_the_home_s(tmp_path: Path) -> None:
    home = Whole(tmp_path, timezone="Asia/Tokyo")
    home.take(
        [says(0, "I live in Oslo.", "2026-03-02T23:30:00"), says(1, "I like tea.", "2026-03-02T16:00:00Z")], AFTER
    )
    home.run(AFTER)
    grounded(home)
    assert sorted(s.start for s in home.summaries() if s.grain == "day") == [date(2026, 3, 2), date(2026, 3, 3)]


def test_dates_that_do_not_exist_or_are_past(home: Whole) -> None:
    told = (
        "I have to call my mother on 31 February.",
        "I need to renew my passport by the 45th of May.",
        "I need to hand in the report on February 30th at 25:61.",
        "I want to visit Rome on 00/00/0000.",
        "I have to pay the rent by March 1, 2020.",
    )
    home.take([says(n, text, START + timedelta(days=n), session_id=f"s{n}") for n, text in enumerate(told)], AFTER)
    home.run(AFTER)
    grounded(home)
    due = {m.due_at.date() for m in home.memories() if m.due_at is not None}
    assert due <= {date(2020, 3, 1)}, "no date is made up"
    assert any(m.type is MemoryType.OPEN_LOOP for m in home.memories())
    assert len([s for s in home.summaries() if s.grain == "day"]) == len(told)


def test_a_month_with_one_message(home: Whole) -> None:
    home.take([says(0, "I live in Oslo.")], AFTER)
    home.run(AFTER)
    grounded(home)
    assert sorted((s.grain, s.label) for s in home.summaries()) == [
        ("day", "2026-03-02"),
        ("month", "2026-03"),
        ("week", "2026-W10"),
    ]
    assert len({(s.text, s.message_ids, s.memory_ids) for s in home.summaries()}) == 1, "one text, told three times"


def test_thousands_of_messages_in_a_day(home: Whole) -> None:
    words = ("ok", "thanks", "go on", "yes", "hm, why?")
    facts = {1200: "I live in Oslo.", 2400: "I play the cello.", 3600: "My sister is called Lea."}
    day = [
        says(
            n, facts.get(n, words[n % 5]), START.replace(hour=0) + timedelta(seconds=20 * n), session_id=f"s{n // 100}"
        )
        for n in range(4_000)
    ]
    home.take(day, AFTER)
    home.run(AFTER)
    grounded(home)
    (text,) = {s.text for s in home.summaries() if s.grain == "day"}
    assert "Oslo" in text and "cello" in text and "Lea" in text


def _vanish(home: Whole, dataset: str, day: date, keep: tuple[str, ...] = ()) -> None:
    rows = home.lake.read(dataset, Message, days=[day])
    for file in home.lake.files(dataset, [day]):
        Path(file).unlink()
    home.lake.append(dataset, [m for m in rows if m.message_id in keep])


def test_evidence_that_vanishes_takes_its_summaries_along(home: Whole) -> None:
    home.take([*weeks(), says(9, "I have a dog called Rex.", START, session_id="s9")], AFTER)
    home.run(AFTER)
    before = rows(home)
    last = START.date() + timedelta(days=16)
    _vanish(home, "messages", last)
    _vanish(home, "messages", START.date(), keep=("m9",))
    home.run(AFTER)
    grounded(home)
    assert home.stale(AFTER) == {}
    assert not any("cello" in s.text or "Oslo" in s.text for s in home.summaries())
    assert [s for s in home.summaries() if s.grain == "day" and s.start == last] == []
    (first,) = [s for s in home.summaries() if s.grain == "day" and s.start == START.date()]
    assert "Rex" in first.text and first.message_ids + first.memory_ids
    held = home.ctx(AFTER).index.all("summaries", ["summary_id"])["summary_id"].to_pylist()
    assert set(held) == rows(home).keys() < before.keys(), "index and lake let go of the same"
    assert not {"Lives in Oslo.", "Plays the cello."} & {m.content for m in home.memories()}


def test_all_evidence_vanishes(lived: Whole) -> None:
    assert lived.summaries() and lived.memories()
    for day in lived.lake.days("messages"):
        _vanish(lived, "messages", day)
    lived.run(AFTER)
    assert lived.summaries() == [] and lived.memories() == []
    assert lived.ctx(AFTER).index.all("summaries", ["summary_id"]).num_rows == 0
    assert lived.stale(AFTER) == {}


def test_a_summary_that_was_deleted_behind_the_pipeline_s_back_is_made_again(lived: Whole) -> None:
    before = rows(lived)
    files = [f for f in lived.lake.files("summaries") if f.endswith(("day.parquet", "month.parquet"))]
    Path(files[0]).unlink()
    Path(files[-1]).unlink()
    assert set(lived.stale(AFTER)) <= {"daily_summaries", "monthly_summaries"} and lived.stale(AFTER)
    lived.run(AFTER)
    assert rows(lived) == before


def test_live_days_and_one_back_fill_tell_the_same_when_all_is_over(home: Whole, tmp_path: Path) -> None:
    lines = [
        *weeks()[:3],
        says(9, "I have a dog called Rex.", START + timedelta(days=1), user_id="bob", session_id="b"),
    ]
    late = Whole(tmp_path / "late")
    late.take(lines, AFTER)
    late.run(AFTER)
    for line in sorted(lines, key=lambda given: given["created_at"]):
        night = datetime.fromisoformat(line["created_at"]) + timedelta(hours=16)
        home.take([line], night)
        home.run(night)
        grounded(home)
    home.run(AFTER)
    assert rows(home) == rows(late) != {}
