"""The rolling summary of a long session: one row, refreshed when it is due, kept apart from the days."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from memory_pipeline.domain.calendar import Grain
from memory_pipeline.domain.derived.summary import Summary
from memory_pipeline.domain.message import Message, Role
from memory_pipeline.domain.text import estimate_tokens
from memory_pipeline.retrieval.reader import MemoryReader
from memory_pipeline.stages.summaries.summarize import SummaryReport, refresh_sessions
from memory_pipeline_tests.factories import POLICY, message
from memory_pipeline_tests.protocol_server import ProtocolServer
from memory_pipeline_tests.protocol_steps import says
from memory_pipeline_tests.stages.summarising import DAY, MARCH, NOW, Home, asked, at, faithful, minutes, texts, told

NEXT_DAY = date(2026, 3, 11)


@pytest.fixture
def home(tmp_path: Path, protocol_server: ProtocolServer) -> Home:
    protocol_server.answer("calendar", faithful)
    return Home(tmp_path)


def _talk(home: Home, start: datetime, first: int, last: int, session: str = "s") -> None:
    """Turns of the user and the assistant in turn, numbered."""
    turns = [
        message(
            f"Turn {n} of {session}.",
            when,
            role=Role.USER if n % 2 else Role.ASSISTANT,
            message_id=f"{session}-{n}",
            session_id=session,
        )
        for n, when in zip(range(first, last + 1), minutes(start, last - first + 1), strict=True)
    ]
    home.lake.append("messages", turns)


def _session(home: Home, name: str = "s") -> Summary | None:
    found = [s for s in home.rows("session") if s.session_id == name]
    assert len(found) <= 1, "one row a session"
    return found[0] if found else None


def _covers(home: Home, name: str = "s") -> int:
    """Number of the last turn that a session's summary read."""
    summary = _session(home, name)
    return 0 if summary is None else max(int(i.rsplit("-", 1)[1]) for i in summary.message_ids)


def test_a_short_session_costs_nothing(home: Home, protocol_server: ProtocolServer) -> None:
    _talk(home, at(10), 1, 20)
    home.summarize(Grain.DAY, MARCH)
    assert home.rows("session") == []
    (call,) = protocol_server.calls
    assert [p.grain for p in asked(call)] == ["day"]


def test_a_long_session_is_told_in_the_call_of_its_day(home: Home, protocol_server: ProtocolServer) -> None:
    _talk(home, at(10), 1, 30)
    home.summarize(Grain.DAY, MARCH)
    (call,) = protocol_server.calls
    assert [p.grain for p in asked(call)] == ["day", "session"]
    assert len(texts(call)) == len(set(texts(call).values())), "each message is listed once"
    summary = _session(home)
    assert summary is not None
    assert (summary.label, summary.start, summary.grain) == ("s", date(2026, 3, 10), "session")
    assert estimate_tokens(summary.text) <= POLICY.summary.rolling_tokens


def test_a_session_that_goes_on_is_told_up_to_the_last_point_that_was_due(home: Home) -> None:
    _talk(home, at(10), 1, 24)
    during = at(10) + timedelta(minutes=25)
    home.summarize(Grain.DAY, MARCH, now=during)
    assert _covers(home) <= 19, "the tenth user turn is the nineteenth message"
    summary = _session(home)
    assert summary is not None and summary.observed_at <= at(10) + timedelta(minutes=18)


def test_a_pause_or_another_session_ends_it(home: Home) -> None:
    _talk(home, at(10), 1, 24)
    soon = at(10) + timedelta(minutes=25)
    home.summarize(Grain.DAY, MARCH, now=soon)
    before = _session(home)
    home.say("Something else.", soon, session_id="other")
    home.summarize(Grain.DAY, MARCH, now=soon + timedelta(minutes=1))
    after = _session(home)
    assert before is not None and after is not None
    assert after.observed_at > before.observed_at


def test_the_end_of_its_day_makes_a_session_stale_once(home: Home) -> None:
    _talk(home, at(10), 1, 24)
    home.summarize(Grain.DAY, [date(2026, 3, 10)], now=at(10) + timedelta(minutes=25))
    before = _session(home)
    morning = datetime(2026, 3, 11, 1, 30, tzinfo=UTC)
    assert home.stale(Grain.DAY, morning) == [date(2026, 3, 10)]
    home.summarize(Grain.DAY, [date(2026, 3, 10)], now=morning)
    after = _session(home)
    assert before is not None and after is not None and after.observed_at > before.observed_at
    assert home.stale(Grain.DAY, morning) == []


@pytest.mark.parametrize(("reason", "count", "covered"), [("add", 3, 21), ("supersede", 2, 21), ("add", 2, 19)])
def test_accepted_proposals_make_it_due(home: Home, reason: str, count: int, covered: int) -> None:
    """Three facts added or two changed (NM-23); two added are not enough, and the user turns were due before."""
    _talk(home, at(10), 1, 24)
    (turn,) = home.lake.read("messages", Message, where="message_id = 's-21'")
    home.accept(turn, reason, count)
    home.summarize(Grain.DAY, MARCH, now=at(10) + timedelta(minutes=25))
    summary = _session(home)
    assert summary is not None
    assert summary.observed_at <= at(10) + timedelta(minutes=covered - 1)
    assert (summary.observed_at > at(10) + timedelta(minutes=18)) is (covered == 21)


def test_a_session_that_goes_on_the_next_day_is_one_row_there(home: Home, protocol_server: ProtocolServer) -> None:
    _talk(home, at(10), 1, 30)
    home.summarize(Grain.DAY, [date(2026, 3, 10)], now=at(10, 23))
    _talk(home, at(11), 31, 60)
    home.summarize(Grain.DAY, [NEXT_DAY], now=at(11, 23))
    summary = _session(home)
    assert summary is not None and summary.start == NEXT_DAY
    ids = {int(i.rsplit("-", 1)[1]) for i in summary.message_ids}
    assert min(ids) <= 30 < max(ids), "made anew from both days, not appended"


def test_a_back_fill_finds_what_the_days_found_one_at_a_time(
    home: Home, tmp_path: Path, protocol_server: ProtocolServer
) -> None:
    live = Home(tmp_path / "live")
    for day in (10, 11, 13):
        for place in (home, live):
            _talk(place, at(day), day * 100 + 1, day * 100 + 26)
        live.summarize(Grain.DAY, [date(2026, 3, day)], now=at(day, 23))
    home.summarize(Grain.DAY, MARCH)
    one, other = _session(home), _session(live)
    assert one is not None and other is not None
    assert (one.text, one.message_ids, one.start) == (other.text, other.message_ids, other.start)


def test_a_late_message_of_an_earlier_day_reaches_the_session_s_row(home: Home) -> None:
    _talk(home, at(10), 1, 30)
    _talk(home, at(11), 31, 60)
    home.summarize(Grain.DAY, MARCH)
    home.say("The zeppelin has landed.", at(10, 13), message_id="s-99", session_id="s")
    assert home.stale(Grain.DAY) == [date(2026, 3, 10)]
    home.summarize(Grain.DAY, home.stale(Grain.DAY), "late")
    summary = _session(home)
    assert summary is not None and summary.start == NEXT_DAY and "zeppelin" in summary.text


def test_it_goes_when_its_session_goes_and_moves_back_when_its_last_day_does(home: Home) -> None:
    _talk(home, at(10), 1, 30)
    _talk(home, at(11), 31, 60)
    _talk(home, at(11), 1, 30, "other")
    home.summarize(Grain.DAY, MARCH)
    lake = home.lake
    for path in lake.files("messages", [NEXT_DAY]):
        Path(path).unlink()
    assert home.stale(Grain.DAY) == [NEXT_DAY]
    home.summarize(Grain.DAY, [NEXT_DAY], "gone")
    summary = _session(home)
    assert summary is not None and summary.start == date(2026, 3, 10)
    assert _session(home, "other") is None


def test_a_second_run_asks_nothing_and_writes_the_same_bytes(home: Home, protocol_server: ProtocolServer) -> None:
    _talk(home, at(10), 1, 30)
    home.summarize(Grain.DAY, MARCH)
    before = {path: Path(path).read_bytes() for path in home.lake.files("summaries")}
    home.summarize(Grain.DAY, MARCH, "again", NOW + timedelta(days=9))
    assert len(protocol_server.calls) == 1
    assert {path: Path(path).read_bytes() for path in home.lake.files("summaries")} == before


def test_two_sessions_of_a_day_and_two_users_stay_apart(home: Home, protocol_server: ProtocolServer) -> None:
    _talk(home, at(10), 1, 25, "one")
    _talk(home, at(10, 15), 1, 25, "two")
    for n, when in enumerate(minutes(at(10), 25)):
        home.say(f"Mine {n}.", when, user_id="other", message_id=f"x-{n}", session_id="one")
    home.summarize(Grain.DAY, MARCH)
    assert sorted((s.user_id, s.session_id) for s in home.rows("session")) == [
        ("other", "one"),
        ("u", "one"),
        ("u", "two"),
    ]
    for summary in home.rows("session"):
        own = "Mine" if summary.user_id == "other" else f"of {summary.session_id}"
        assert all(own in sentence for sentence in summary.text.rstrip(".").split(". "))


def test_readers_show_days_and_not_sessions_on_the_timeline(home: Home) -> None:
    _talk(home, at(10), 1, 30)
    home.summarize(Grain.DAY, MARCH)
    reader = MemoryReader(home.ctx().settings, encoder=home.ctx().encoder)
    days = reader.timeline(user_id="u", tenant_id="t", grain="day")
    (day,) = home.rows("day")
    assert [d["summary_id"] for d in days if d["summary"]] == [day.summary_id]
    assert sorted(reader.frame("summaries", user_id="u", tenant_id="t")["grain"]) == ["day", "session"]
    found = reader.search("turn", user_id="u", tenant_id="t", layers=["narrative"])
    assert {item.id for item in found} <= {day.summary_id}


def test_a_text_without_evidence_is_no_row(home: Home, protocol_server: ProtocolServer) -> None:
    protocol_server.answer(
        "calendar", lambda call: {"periods": [told(p.period, "So it was.", []) for p in asked(call)]}
    )
    _talk(home, at(10), 1, 30)
    home.summarize(Grain.DAY, MARCH)
    assert home.rows() == []


def test_the_builtin_model_tells_a_session_by_its_facts(tmp_path: Path) -> None:
    home = Home(tmp_path, "builtin")
    _talk(home, at(10), 1, 22)
    home.say("I moved to Lisbon last week and I work at Figma.", at(10, 14), message_id="s-23", session_id="s")
    home.summarize(Grain.DAY, MARCH)
    summary = _session(home)
    assert summary is not None and "lives in Lisbon" in summary.text and summary.message_ids == ("s-23",)


def _refresh(home: Home, day: date, now: datetime) -> SummaryReport:
    return refresh_sessions(home.ctx("live", now), [day])


def test_a_session_is_told_while_it_lasts_and_the_night_asks_nothing_again(
    home: Home, protocol_server: ProtocolServer
) -> None:
    _talk(home, at(10), 1, 24)
    soon = at(10) + timedelta(minutes=25)
    assert _refresh(home, DAY, soon).made
    row = _session(home)
    assert row is not None and row.text and not home.rows("day"), "the day waits for the night"
    calls = len(protocol_server.calls)
    assert _refresh(home, DAY, soon + timedelta(minutes=1)).made and _session(home) == row
    assert len(protocol_server.calls) == calls, "nothing new was said"
    home.summarize(Grain.DAY, MARCH, now=soon + timedelta(minutes=2))
    assert all("| session" not in call.prompt for call in protocol_server.calls[calls:])
    assert _session(home) == row


def test_a_session_is_told_anew_after_enough_new_turns(home: Home) -> None:
    _talk(home, at(10), 1, 24)
    _refresh(home, DAY, at(10) + timedelta(minutes=25))
    before = _session(home)
    _talk(home, at(10) + timedelta(minutes=24), 25, 30)
    _refresh(home, DAY, at(10) + timedelta(minutes=31))
    assert _session(home) == before, "three user turns are not enough"
    _talk(home, at(10) + timedelta(minutes=30), 31, 44)
    _refresh(home, DAY, at(10) + timedelta(minutes=45))
    after = _session(home)
    assert before is not None and after is not None and after.observed_at > before.observed_at


def test_a_reply_that_does_not_fit_leaves_the_summary_as_it_was(home: Home, protocol_server: ProtocolServer) -> None:
    _talk(home, at(10), 1, 24)
    _refresh(home, DAY, at(10) + timedelta(minutes=25))
    before = _session(home)
    _talk(home, at(10) + timedelta(minutes=24), 25, 44)
    protocol_server.answer("calendar", says("no JSON"))
    assert _refresh(home, DAY, at(10) + timedelta(minutes=45)).failed
    assert _session(home) == before is not None
