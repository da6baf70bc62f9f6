"""Extraction through a hosted model: packing, kept replies, bad replies, outages. The server is real and local."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from memory_pipeline.domain.message import Message, Role
from memory_pipeline.domain.proposal import Proposal
from memory_pipeline.domain.window import Window
from memory_pipeline.errors import ModelError
from memory_pipeline.settings import Settings
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.extract import extract
from memory_pipeline.storage.schemas import Cost, Quarantined, Reply
from memory_pipeline_tests.factories import NOON, message
from memory_pipeline_tests.protocol_server import ProtocolServer
from memory_pipeline_tests.protocol_steps import Call, fails, says

_WINDOW = re.compile(r'<window id="(w\d+)">(.*?)</window>', re.DOTALL)
_LINE = re.compile(r'^(m\d+) \| (\S+) \| user[^|]*\| (".*")$', re.MULTILINE)


def _draft(alias: str, text: str) -> dict[str, Any]:
    return {
        "operation": "add",
        "type": "profile_fact",
        "content": f"Said: {text}",
        "subject": "user",
        "attribute": None,
        "value": None,
        "negated": False,
        "entities": [],
        "confidence": 0.9,
        "salience": 0.7,
        "importance": 0.5,
        "surface": "speak",
        "valid_from": None,
        "valid_until": None,
        "due_at": None,
        "evidence": [{"message": alias, "quote": text}],
    }


def _echo(call: Call) -> dict[str, Any]:
    """A model that proposes whatever each user message says, window by window."""
    found = []
    for window, body in _WINDOW.findall(call.prompt):
        drafts = [_draft(alias, json.loads(text)) for alias, _, text in _LINE.findall(body.split("<messages>")[1])]
        found.append({"window": window, "proposals": drafts})
    return {"windows": found}


def _messages(user: str, days: int) -> list[Message]:
    return [
        message(
            f"{user} says {text} on day {day}",
            NOON + timedelta(days=day, hours=hour),
            user_id=user,
            session_id=f"{user}-{day}",
            message_id=f"{user}-{day}-{hour}-{role}",
            role=role,
        )
        for day in range(days)
        for hour, role, text in ((0, Role.USER, "hello"), (0, Role.ASSISTANT, "nothing"), (3, Role.USER, "goodbye"))
    ]


@pytest.fixture
def home(tmp_path: Path, protocol_server: ProtocolServer) -> Path:
    protocol_server.answer("extract", _echo)
    ctx = _context(tmp_path)
    ctx.lake.append("messages", [*_messages("ann", 3), *_messages("bob", 3)])
    return tmp_path


def _context(home: Path, **settings: Any) -> StageContext:
    now = datetime(2026, 7, 1, tzinfo=UTC)
    return StageContext(Settings.load(home=str(home), chat="openai", chat_retries=1, **settings), "run", now)


def _days(count: int = 3) -> list[Any]:
    return [NOON.date() + timedelta(days=n) for n in range(count)]


def _proposals(ctx: StageContext) -> Sequence[Proposal]:
    return ctx.lake.read("proposals", Proposal)


def test_a_user_s_windows_share_a_call_and_users_never_do(home: Path, protocol_server: ProtocolServer) -> None:
    ctx = _context(home)
    report = extract(ctx, _days())
    assert report.windows.total() == 12 and report.failed.total() == 0
    assert protocol_server.counts["extract"] == 2
    for call in protocol_server.calls:
        assert ("ann says" in call.prompt) != ("bob says" in call.prompt)


def test_each_proposal_cites_its_own_message(home: Path) -> None:
    ctx = _context(home)
    extract(ctx, _days())
    contents = {m.message_id: m for m in ctx.lake.read("messages", Message)}
    found = _proposals(ctx)
    assert len(found) == 12
    for proposal in found:
        (evidence,) = proposal.evidence
        cited = contents[evidence.message_id]
        assert evidence.quote == cited.content and cited.role is Role.USER
        assert (proposal.user_id, proposal.day, proposal.observed_at) == (cited.user_id, cited.day, cited.created_at)


def test_running_again_makes_no_call_and_the_same_bytes(home: Path, protocol_server: ProtocolServer) -> None:
    extract(_context(home), _days())
    before = {p: Path(p).read_bytes() for p in _context(home).lake.files("proposals")}
    calls = len(protocol_server.calls)
    again = _context(home)
    extract(again, _days())
    assert len(protocol_server.calls) == calls and again.replies.hits == 12
    assert {p: Path(p).read_bytes() for p in again.lake.files("proposals")} == before


def test_packing_may_differ_between_runs(home: Path, protocol_server: ProtocolServer) -> None:
    for day in _days():
        extract(_context(home), [day])
    assert protocol_server.counts["extract"] == 6
    one_by_one = _proposals(_context(home))
    extract(_context(home), _days())
    assert protocol_server.counts["extract"] == 6, "the replies are kept a window"
    assert _proposals(_context(home)) == one_by_one


def test_only_what_is_new_is_asked(home: Path, protocol_server: ProtocolServer) -> None:
    extract(_context(home), _days())
    ctx = _context(home)
    late = message("ann says something late", NOON + timedelta(days=1, hours=8), user_id="ann", session_id="ann-late")
    ctx.lake.append("messages", [late])
    extract(ctx, _days())
    assert protocol_server.counts["extract"] == 3
    assert protocol_server.calls[-1].prompt.count("<window ") == 1


@pytest.mark.parametrize("reply", ["", "I am sorry.", '{"windows": 7}', '{"windows": [{"window": "w1"}]}'])
def test_a_reply_that_does_not_fit_is_put_aside_and_asked_again(
    home: Path, protocol_server: ProtocolServer, reply: str
) -> None:
    protocol_server.answer("extract", lambda call: reply if "ann says" in call.prompt else _echo(call))
    ctx = _context(home)
    report = extract(ctx, _days(1))
    assert report.failed.total() == 2
    assert {p.user_id for p in _proposals(ctx)} == {"bob"}, "the other user's windows are not lost"
    put_aside = ctx.lake.read("quarantined", Quarantined)
    assert len(put_aside) == 2 and all(q.source.startswith("extract/win_") for q in put_aside)
    protocol_server.answer("extract", _echo)
    later = _context(home)
    assert extract(later, _days(1)).failed.total() == 0
    assert {p.user_id for p in _proposals(later)} == {"ann", "bob"}


def test_invented_message_ids_leave_no_evidence(home: Path, protocol_server: ProtocolServer) -> None:
    protocol_server.answer(
        "extract",
        {"windows": [{"window": "w1", "proposals": [_draft("m99", "never said")]}, {"window": "w77", "proposals": []}]},
    )
    ctx = _context(home)
    extract(ctx, _days(1))
    assert all(p.evidence == () for p in _proposals(ctx))


def test_an_outage_leaves_the_partitions_and_keeps_what_was_paid_for(
    home: Path, protocol_server: ProtocolServer
) -> None:
    extract(_context(home), _days(1))
    before = _proposals(_context(home))
    protocol_server.script(says(json.dumps({"windows": [{"window": "w1", "proposals": []}]})), fails(503), fails(503))
    with pytest.raises(ModelError):
        extract(_context(home, chat_concurrency=1), _days())
    assert _proposals(_context(home)) == before
    kept = len(_context(home).lake.read("replies", Reply))
    assert kept > len(before) // 2
    resumed = _context(home)
    extract(resumed, _days())
    assert resumed.replies.hits == kept


def test_the_ledger_counts_calls_and_hits(home: Path) -> None:
    extract(_context(home), _days())
    extract(_context(home), _days())
    costs = _context(home).lake.read("costs", Cost)
    assert (sum(c.calls for c in costs), sum(c.cached for c in costs)) == (2, 12)
    assert sum(c.prompt_tokens for c in costs) > 0 and sum(c.usd for c in costs) > 0
    assert {c.stage for c in costs} == {"extract"} and {c.user_id for c in costs} == {"ann", "bob"}


def test_windows_are_kept(home: Path) -> None:
    ctx = _context(home)
    extract(ctx, _days())
    kept = ctx.lake.read("windows", Window)
    assert len(kept) == 12 and sum(w.closed for w in kept) == 6


def test_a_long_session_is_summarised_for_understanding_only(tmp_path: Path, protocol_server: ProtocolServer) -> None:
    protocol_server.answer("extract", _echo)
    protocol_server.answer("rolling_summary", {"text": "The user likes boats.", "messages": ["m1"], "memories": []})
    ctx = _context(tmp_path)
    turns = [
        message(f"turn {n}", NOON + timedelta(minutes=n), role=Role.ASSISTANT if n % 2 else Role.USER)
        for n in range(70)
    ]
    ctx.lake.append("messages", turns)
    extract(ctx, _days(1))
    (call,) = [c for c in protocol_server.calls if c.task == "extract"]
    assert call.prompt.count("The user likes boats.") == 2, "the third and the fourth window have enough before them"
    assert protocol_server.counts["rolling_summary"] == 2
    assert len(_proposals(ctx)) == 35
    extract(_context(tmp_path), _days(1))
    assert protocol_server.counts["rolling_summary"] == 2
