"""Back-fills of real stages through the Batch API: one batch a stage, kept replies, kills, the command line."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from memory_pipeline.domain.calendar import Grain, Period
from memory_pipeline.domain.message import Message
from memory_pipeline.domain.proposal import Proposal
from memory_pipeline.errors import SettingsError
from memory_pipeline.inference.batches.batch import BatchChat
from memory_pipeline.inference.hosted.openai_chat import OpenAIChat
from memory_pipeline.inference.models import open_chat, open_run_chat
from memory_pipeline.orchestration.runs.run import run
from memory_pipeline.settings import Settings
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.extraction.extract import extract
from memory_pipeline.stages.summaries.summarize import summarize
from memory_pipeline.storage.parquet.schemas import Cost, Reply
from memory_pipeline_tests.factories import NOON, message
from memory_pipeline_tests.protocol_server import ProtocolServer
from memory_pipeline_tests.protocol_steps import UNENDING, Call, ends

USERS = ("ann", "bob", "cy")
DAYS = [NOON.date() + timedelta(days=n) for n in (0, 1, 40)]  # the last one in another month
LOOK = "GET /v1/batches/batch_1"
EXTRACT = """
import sys
from datetime import UTC, date, datetime
from memory_pipeline.settings import Settings
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.extraction.extract import extract
extract(StageContext(Settings.load(), "killed", datetime.now(UTC)), [date.fromisoformat(day) for day in sys.argv[1:]])
"""


def _draft(alias: str, text: str) -> dict[str, Any]:
    nothing = dict.fromkeys(("attribute", "value", "valid_from", "valid_until", "due_at"))
    graded = {"confidence": 0.9, "salience": 0.7, "importance": 0.5, "surface": "speak", "negated": False}
    said = {"operation": "add", "type": "profile_fact", "content": f"Said: {text}", "subject": "user", "entities": []}
    return {**said, **graded, **nothing, "evidence": [{"message": alias, "quote": text}]}


def _echo(call: Call) -> dict[str, Any]:
    """A model that proposes what each user message says."""
    found = []
    for part in call.prompt.split('<window id="')[1:]:
        lines = [line.split(" | ") for line in part.split("<messages>")[1].splitlines() if " | user" in line]
        found.append((part.partition('"')[0], [_draft(line[0], json.loads(line[-1])) for line in lines]))
    return {"windows": [{"window": window, "proposals": drafts} for window, drafts in found]}


def _messages() -> Iterator[Message]:
    for user in USERS:
        for day in DAYS:
            at = NOON + (day - NOON.date())
            yield message(
                f"{user} was here on {day}.", at, user_id=user, session_id=f"{user}-{day}", message_id=f"{day}"
            )


@pytest.fixture
def home(tmp_path: Path, protocol_server: ProtocolServer, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with messages of three users on three days; child processes find it, and batches, in the environment."""
    protocol_server.answer("extract", _echo)
    given = {"HOME": str(tmp_path), "CHAT": "openai", "CHAT_BATCH_POLL_S": "0.02", "CHAT_RETRIES": "1"}
    for name, value in given.items():
        monkeypatch.setenv(f"MEMORY_PIPELINE_{name}", value)
    _context().lake.append("messages", list(_messages()))
    return tmp_path


def _context(**given: Any) -> StageContext:
    told: list[tuple[str, int, int | None]] = given.pop("told", [])
    return StageContext(Settings.load(**given), "run", datetime(2026, 7, 1, tzinfo=UTC), lambda *e: told.append(e))


def _proposals() -> list[Proposal]:
    return _context().lake.read("proposals", Proposal)


def _usd() -> float:
    return sum(cost.usd for cost in _context().lake.read("costs", Cost))


def test_a_back_fill_is_one_batch_and_everything_is_kept(home: Path, protocol_server: ProtocolServer) -> None:
    told: list[tuple[str, int, int | None]] = []
    report = extract(_context(chat_batch=True, told=told), DAYS)
    batches = protocol_server.batches
    assert report.windows.total() == 9 and report.failed.total() == 0
    assert len(batches.shown) == 1 and len(batches.lines) == 3, "a line for each user, never two users in one"
    assert not protocol_server.calls
    assert {(p.user_id, p.day, p.content) for p in _proposals()} == {
        (user, day, f"Said: {user} was here on {day}.") for user in USERS for day in DAYS
    }
    assert len(_context().lake.read("replies", Reply)) == 9
    assert ("batch batch_1", 3, 3) in told

    before, spent = len(batches.requests), _usd()
    for chat_batch in (True, False):  # neither path asks again for what the other has kept
        extract(_context(chat_batch=chat_batch), DAYS)
    assert len(batches.requests) == before and not protocol_server.calls
    assert _usd() == spent > 0


def test_a_batch_is_billed_at_half_the_price(home: Path, protocol_server: ProtocolServer, tmp_path: Path) -> None:
    extract(_context(chat_batch=True), DAYS)
    batched = _usd()
    live = _context(home=str(tmp_path / "other"))
    live.lake.append("messages", list(_messages()))
    extract(live, DAYS)
    assert batched == pytest.approx(sum(c.usd for c in live.lake.read("costs", Cost)) / 2)


def test_stages_send_one_batch_after_another(home: Path, protocol_server: ProtocolServer) -> None:
    ctx = _context(chat_batch=True)
    extract(ctx, DAYS)
    report = summarize(ctx, [Period(Grain.DAY, day) for day in DAYS])
    assert sum(map(len, report.made.values())) == 9
    assert [call.task for call in protocol_server.batches.lines].count("extract") == 3
    assert len(protocol_server.batches.shown) == 2, "whatever a stage asks is one batch"
    assert not protocol_server.calls


def test_what_expired_and_what_was_sent_again_add_up(home: Path, protocol_server: ProtocolServer) -> None:
    protocol_server.batches.script(ends("expired", carried_out=2))
    extract(_context(chat_batch=True), DAYS)
    assert len(_proposals()) == 9
    assert len(protocol_server.batches.shown) == 2 and len(protocol_server.batches.lines) == 3


def test_a_killed_process_loses_nothing(home: Path, protocol_server: ProtocolServer) -> None:
    protocol_server.batches.script(UNENDING)
    environment = {**os.environ, "MEMORY_PIPELINE_CHAT_BATCH": "1"}
    child = subprocess.Popen([sys.executable, "-c", EXTRACT, *map(str, DAYS)], env=environment)
    _until(lambda: protocol_server.batches.count(LOOK) > 0, child)
    child.kill()
    child.wait()
    assert not _proposals()
    protocol_server.batches.proceed("batch_1", "finalizing", "completed")
    extract(_context(chat_batch=True), DAYS)
    assert len(_proposals()) == 9
    assert protocol_server.batches.count("POST") == 2, "one upload, one batch"
    assert len(protocol_server.batches.lines) == 3 and not protocol_server.calls


# A suite that runs in the background ignores Ctrl-C, and its children would too.
_HEARS_INTERRUPTS = """
import runpy, signal
signal.signal(signal.SIGINT, signal.default_int_handler)
runpy.run_module("memory_pipeline.cli", run_name="__main__", alter_sys=True)
"""


def _cli(*arguments: str, **options: Any) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", _HEARS_INTERRUPTS, *arguments]
    piped: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    environment = {**os.environ, "NO_COLOR": "1", "COLUMNS": "160"}
    return subprocess.Popen(command, env=environment, **piped, **options)


def _until(condition: Any, child: subprocess.Popen[Any]) -> None:
    deadline = time.monotonic() + 120
    while not condition():
        assert child.poll() is None and time.monotonic() < deadline, "it ended before"
        time.sleep(0.02)


def test_the_command_line_stops_cleanly_and_the_next_run_collects(
    home: Path, monkeypatch: pytest.MonkeyPatch, protocol_server: ProtocolServer
) -> None:
    protocol_server.batches.script(UNENDING)
    child = _cli("run", "--batch", "--only", "proposals")
    _until(lambda: protocol_server.batches.count(LOOK) > 2, child)
    child.send_signal(signal.SIGINT)
    _, said = child.communicate(timeout=150)
    assert child.returncode == 130, said
    assert "batch_1 goes on at" in said and "`memory-pipeline run --batch` waits for it" in said
    assert said.splitlines()[-1].startswith("memory-pipeline: stopped; what was finished is kept")
    assert "Traceback" not in said

    protocol_server.batches.proceed("batch_1", "finalizing", "completed")
    monkeypatch.setenv("DAGSTER_HOME", str(home))  # set by a run: restored after the test
    report = run(Settings.load(chat_batch=True), only=["proposals"])
    assert len(report.run_ids) == 1, "one run, however far its days are apart"
    assert report.model_calls == 3 and report.usd > 0
    assert len(_proposals()) == 9
    assert protocol_server.batches.count("POST") == 2 and not protocol_server.calls


def test_a_run_that_cannot_use_batches_says_so_before_it_starts(
    home: Path, monkeypatch: pytest.MonkeyPatch, protocol_server: ProtocolServer
) -> None:
    monkeypatch.setenv("DAGSTER_HOME", str(home))  # set by a run: restored after the test
    protocol_server.batches.status = 404
    for chat, said in (("openai", r"has no Batch API \(404\)"), ("builtin", "there is nothing to batch")):
        monkeypatch.setenv("MEMORY_PIPELINE_CHAT", chat)
        with pytest.raises(SettingsError, match=said):
            run(Settings.load(chat_batch=True))
    assert not protocol_server.calls


def test_batches_are_used_where_they_are_asked_for(home: Path) -> None:
    assert isinstance(open_run_chat(Settings.load(), lambda *_: None), OpenAIChat)
    assert isinstance(open_run_chat(Settings.load(chat_batch=True), lambda *_: None), BatchChat)
    assert isinstance(open_chat(Settings.load(chat_batch=True)), OpenAIChat), "who reads does not wait for a day"
    with pytest.raises(SettingsError, match="nothing to batch"):
        open_run_chat(Settings.load(chat="builtin", chat_batch=True), lambda *_: None)


def test_a_run_that_is_not_asked_to_takes_what_a_batch_has_brought(home: Path, protocol_server: ProtocolServer) -> None:
    protocol_server.batches.script(UNENDING)
    child = subprocess.Popen(
        [sys.executable, "-c", EXTRACT, *map(str, DAYS)], env={**os.environ, "MEMORY_PIPELINE_CHAT_BATCH": "1"}
    )
    _until(lambda: protocol_server.batches.count(LOOK) > 0, child)
    child.kill()
    child.wait()
    protocol_server.batches.proceed("batch_1", "completed")
    _until_ended(protocol_server)
    extract(_context(), DAYS)
    assert len(_proposals()) == 9
    assert protocol_server.batches.count("POST") == 2 and not protocol_server.calls


def _until_ended(server: ProtocolServer) -> None:
    from openai import OpenAI

    with OpenAI() as client:
        while client.batches.retrieve("batch_1").status != "completed":
            assert server.batches.shown
