"""Histories that come again: whole, cut to the last turns, summarised; with and without ids and times (RX-10…15).

Each case goes through the real ingest and extraction: what the log holds, and what the model is asked.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from memory_pipeline.domain.message import Message
from memory_pipeline.stages.extraction.extract import extract
from memory_pipeline.stages.messages.ingest import IngestReport, ingest
from memory_pipeline_tests.protocol_server import ProtocolServer
from memory_pipeline_tests.stages.echoing import asked, context, echo, proposed, said, windows_of

START = datetime(2026, 3, 10, 9, tzinfo=UTC)
TURNS = [
    {"role": role, "content": f"{role} turn {n}." if n % 5 else "Ok."}
    for n, role in enumerate(["user", "assistant"] * 30)
]


class Chat:
    """A program that logs its calls, one a line; the pipeline runs after each."""

    def __init__(self, home: Path, server: ProtocolServer, *, ids: bool = False, times: bool = False) -> None:
        self.home, self.server, self.ids, self.times = home, server, ids, times
        self.sent = 0

    def turns(self, first: int, last: int) -> list[dict[str, Any]]:
        """Turns of the talk, from one to before another."""
        found = []
        for n in range(first, last):
            turn = dict(TURNS[n])
            if self.ids:
                turn["id"] = f"m-{n}"
            if self.times:
                turn["created_at"] = (START + timedelta(minutes=n)).isoformat()
            found.append(turn)
        return found

    def send(self, turns: Sequence[dict[str, Any]], created: datetime | None = None) -> IngestReport:
        """Log one call, and run; by default calls are a minute apart."""
        self.sent += 1
        at = created or START + timedelta(minutes=self.sent)
        line = {"session_id": "s", "user": "ann", "created": at.timestamp(), "messages": list(turns)}
        file = self.home / f"{self.sent}.jsonl"
        file.parent.mkdir(exist_ok=True)
        file.write_text(json.dumps(line) + "\n")
        ctx = context(self.home / "home")
        report = ingest(ctx, [file], format="openai")
        extract(ctx, sorted(report.days))
        return report

    def log(self) -> list[str]:
        return [m.content for m in context(self.home / "home").lake.read("messages", Message)]

    def days(self) -> list[date]:
        return context(self.home / "home").lake.days("messages")


EXPECTED = [turn["content"] for turn in TURNS]
KINDS = pytest.mark.parametrize(("ids", "times"), [(True, True), (True, False), (False, True), (False, False)])


@pytest.fixture
def server(protocol_server: ProtocolServer) -> ProtocolServer:
    protocol_server.answer("extract", echo)
    return protocol_server


@KINDS
def test_the_whole_history_each_time(tmp_path: Path, server: ProtocolServer, ids: bool, times: bool) -> None:
    chat = Chat(tmp_path, server, ids=ids, times=times)
    taken = [chat.send(chat.turns(0, n)).taken for n in (2, 22, 24, 24)]
    assert taken == [2, 20, 2, 0]
    assert chat.log() == EXPECTED[:24]
    sizes = [[len(found) for found in windows_of(call).values()] for call in asked(server)]
    assert len(sizes) == 3, "a history without anything new makes no call"
    if times or ids:
        assert sizes[-1] == [2], "of what was known, only the open window is asked again"


@KINDS
def test_only_the_last_turns(tmp_path: Path, server: ProtocolServer, ids: bool, times: bool) -> None:
    chat = Chat(tmp_path, server, ids=ids, times=times)
    for n in (18, 22, 24, 26):
        chat.send(chat.turns(max(0, n - 6), n))
    assert chat.log() == EXPECTED[12:26]
    assert [len(windows_of(call)) for call in asked(server)] == [1, 1, 1, 1], "never from the start"
    assert said(proposed(context(tmp_path / "home"))) == sorted(EXPECTED[12:26:2])


@KINDS
def test_a_summary_in_the_place_of_old_turns(tmp_path: Path, server: ProtocolServer, ids: bool, times: bool) -> None:
    chat = Chat(tmp_path, server, ids=ids, times=times)
    chat.send(chat.turns(0, 20))
    summary: dict[str, Any] = {"role": "system", "content": "Summary so far: the user lives in Oslo."}
    if ids:
        summary["id"] = "summary-1"
    if times:
        summary["created_at"] = (START + timedelta(minutes=19, seconds=30)).isoformat()
    report = chat.send([summary, *chat.turns(16, 24)])
    assert (report.taken, report.known) == (5, 4)
    assert chat.log() == [*EXPECTED[:20], summary["content"], *EXPECTED[20:24]]
    call = asked(server)[-1]
    assert summary["content"] in call.prompt, "it gives context"
    assert not any("Oslo" in p.content for p in proposed(context(tmp_path / "home"))), "and is no source"
    assert list(windows_of(call)) == ["w1"], "what was known before is not asked again"
    assert chat.send([summary, *chat.turns(16, 24)]).taken == 0


def test_a_history_that_begins_with_a_summary(tmp_path: Path, server: ProtocolServer) -> None:
    """The cursor is not found: everything is new, from the summary down (RX-12)."""
    chat = Chat(tmp_path, server)
    summary = {"role": "assistant", "content": "So far: we spoke about boats."}
    assert chat.send([summary, *chat.turns(10, 14)]).taken == 5
    assert chat.log() == [summary["content"], *EXPECTED[10:14]]


def test_older_turns_that_come_later_stand_before(tmp_path: Path, server: ProtocolServer) -> None:
    chat = Chat(tmp_path, server)
    chat.send(chat.turns(10, 14))
    assert chat.send(chat.turns(0, 16)).taken == 12
    assert chat.log() == EXPECTED[:16]


def test_what_is_said_again_is_not_lost(tmp_path: Path, server: ProtocolServer) -> None:
    chat = Chat(tmp_path, server)
    ok, one, two = ({"role": "user", "content": text} for text in ("Ok.", "One.", "Two."))
    chat.send([ok, one], created=START)
    chat.send([ok, one, ok], created=START)
    chat.send([one, ok, ok], created=START)
    chat.send([ok, ok, two], created=START)
    assert chat.log() == ["Ok.", "One.", "Ok.", "Ok.", "Two."]


def test_the_same_calls_once_more_add_nothing(tmp_path: Path, server: ProtocolServer) -> None:
    """Also where each call shows one turn only, so that nothing but its time tells it from an equal one."""
    chat = Chat(tmp_path, server)
    lines = [
        {"session_id": "s", "user": "ann", "created": START.timestamp() + 60 * n, "messages": [turn]}
        for n, turn in enumerate(TURNS[:12])
    ]
    file = tmp_path / "calls.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    counts = [ingest(context(tmp_path / "home"), [file], format="openai").taken for _ in range(2)]
    assert counts == [12, 0] and chat.log() == EXPECTED[:12]


def test_all_calls_of_a_day_in_one_file(tmp_path: Path, server: ProtocolServer) -> None:
    chat = Chat(tmp_path, server)
    lines = [
        {"session_id": "s", "user": "ann", "created": START.timestamp() + n, "messages": TURNS[max(0, n - 8) : n]}
        for n in range(2, 40, 2)
    ]
    file = tmp_path / "calls.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    report = ingest(context(tmp_path / "home"), [file], format="openai")
    assert report.taken == 38 and chat.log() == EXPECTED[:38]


def test_a_talk_goes_on_on_another_day(tmp_path: Path, server: ProtocolServer) -> None:
    chat = Chat(tmp_path, server)
    chat.send(chat.turns(0, 4), created=START)
    report = chat.send(chat.turns(0, 8), created=START + timedelta(days=1))
    assert (report.taken, report.known) == (4, 4)
    assert chat.log() == EXPECTED[:8] and len(chat.days()) == 2
    assert windows_of(asked(server)[-1]) == {"w1": [("m1", EXPECTED[4]), ("m3", EXPECTED[6])]}


def test_sessions_and_users_are_kept_apart(tmp_path: Path) -> None:
    lines = [
        {"session_id": session, "user": user, "created": START.timestamp(), "messages": TURNS[:4]}
        for session in ("s", "t")
        for user in ("ann", "bob")
    ]
    file = tmp_path / "calls.json"
    file.write_text(json.dumps(lines))
    assert ingest(context(tmp_path / "home"), [file], format="openai").taken == 16
