from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from memory_pipeline.errors import IngestError
from memory_pipeline.stages.messages.importers import Fault, Record
from memory_pipeline.stages.messages.ingest import ingest
from memory_pipeline_tests.stages.importers.reading import items, items_of
from memory_pipeline_tests.stages.importers.samples import OPENAI
from memory_pipeline_tests.stages.landing_files import context, line, put_aside, stored


def test_a_conversation(tmp_path: Path) -> None:
    ctx = context(tmp_path / "home")
    path = tmp_path / "chat.json"
    path.write_text(json.dumps(OPENAI, indent=2))
    assert ingest(ctx, [path]).taken == 5
    messages = stored(ctx)
    assert {(m.user_id, m.session_id) for m in messages} == {("alice", "chat-1")}
    assert [(m.role, m.content, m.created_at.isoformat()) for m in messages] == [
        ("system", "Be brief.", "2026-03-02T09:15:00+00:00"),
        ("user", "What is on this picture?\n[image]", "2026-03-02T09:16:00+00:00"),
        ("assistant", '[calls look({"at":"picture"})]', "2026-03-02T09:16:00+00:00"),
        ("tool", "a cat", "2026-03-02T09:17:00+00:00"),
        ("assistant", "A cat.", "2026-03-02T09:17:10.500000+00:00"),
    ]
    assert [m.speaker for m in messages] == [None, "Alice", None, None, None]
    assert messages[3].metadata == '{"tool_call_id":"c1"}'
    assert messages[4].message_id == "msg-5"


def test_one_conversation_a_line_costs_only_broken_lines(tmp_path: Path) -> None:
    path = tmp_path / "chats.jsonl"
    good = json.dumps({"user": "bob", "created": 1772442900, "messages": [{"role": "user", "content": "Hi there."}]})
    path.write_text(
        "\n".join(["\ufeff" + good, "{broken", "", "7", '{"messages": "none"}', good.replace("bob", "eve")])
    )
    found = items(path, "openai")
    assert [(type(i), i.line) for i in found] == [(Record, 1), (Fault, 2), (Fault, 4), (Fault, 5), (Record, 6)]
    assert "not JSON" in found[1].reason  # type: ignore[union-attr]
    assert "no conversation" in found[2].reason  # type: ignore[union-attr]


def test_a_line_may_be_long_but_not_endless(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from memory_pipeline.stages.messages.importers import openai

    monkeypatch.setattr(openai, "MAX_CONVERSATION", 200)
    path = tmp_path / "chats.jsonl"
    path.write_text(json.dumps({"messages": [{"role": "user", "content": "x" * 300}]}) + "\n7\n")
    assert [i.reason for i in items(path, "openai")][0] == "the line is longer than 200 bytes"  # type: ignore[union-attr]


MESSAGES = [{"role": "user", "content": "One."}, {"role": "assistant", "content": "Two."}]


@pytest.mark.parametrize(
    ("document", "sessions"),
    [
        ([{**m, "created_at": "2026-03-02"} for m in MESSAGES], 1),
        ([[{**m, "created_at": f"2026-03-0{n}"} for m in MESSAGES] for n in (1, 2)], 2),
        ([{"created": f"2026-03-0{n}", "messages": MESSAGES} for n in (1, 2, 3)], 3),
        ({"metadata": {"created_at": "2026-03-02"}, "messages": MESSAGES}, 1),
    ],
)
def test_bare_lists_and_lists_of_conversations(tmp_path: Path, document: Any, sessions: int) -> None:
    found = items_of(document, "openai", tmp_path)
    assert all(isinstance(i, Record) for i in found)
    assert len({i.fields["session_id"] for i in found if isinstance(i, Record)}) == sessions
    assert [i.line for i in found] == list(range(1, 2 * sessions + 1))


def test_a_derived_session_stays_when_the_conversation_grows(tmp_path: Path) -> None:
    ctx = context(tmp_path / "home")
    for n in (1, 2):
        path = tmp_path / f"{n}.json"
        path.write_text(json.dumps({"created": "2026-03-02T10:00:00Z", "messages": MESSAGES[:n]}))
        ingest(ctx, [path], user="alice")
    assert [m.content for m in stored(ctx)] == ["One.", "Two."]
    assert len({m.session_id for m in stored(ctx)}) == 1


def test_landing_fields_are_carried(tmp_path: Path) -> None:
    given = line(tenant_id="acme", message_id="m-1", speaker="Al", agent_id="a", domain="d", metadata={"k": 1})
    (record,) = items_of([given], "openai", tmp_path)
    assert isinstance(record, Record)
    assert {k: v for k, v in record.fields.items() if v is not None} == given


def test_without_any_time_the_reason_says_what_is_needed(tmp_path: Path) -> None:
    ctx = context(tmp_path / "home")
    path = tmp_path / "chat.json"
    path.write_text(json.dumps({"messages": [*MESSAGES, {"role": "user", "content": "x", "timestamp": 1772442900}]}))
    report = ingest(ctx, [path], user="alice")
    assert (report.taken, report.quarantined) == (1, 2)
    assert {q.reason for q in put_aside(ctx)} == {
        "created_at is missing: chat messages carry no time of their own; put `created_at` into each message "
        "or `created` into the conversation"
    }


def test_without_a_user_the_reason_names_the_argument(tmp_path: Path) -> None:
    ctx = context(tmp_path / "home")
    path = tmp_path / "chat.json"
    path.write_text(json.dumps({"created": 1772442900, "messages": MESSAGES}))
    ingest(ctx, [path])
    assert {q.reason for q in put_aside(ctx)} == {"user_id is missing, and no user was given for the file (--user)"}


@pytest.mark.parametrize(
    ("at", "expected"),
    [
        (1772442900, datetime(2026, 3, 2, 9, 15, tzinfo=UTC)),
        (1772442900.25, datetime(2026, 3, 2, 9, 15, 0, 250000, tzinfo=UTC)),
        (1772442900123, datetime(2026, 3, 2, 9, 15, 0, 123000, tzinfo=UTC)),
        ("2026-03-02T09:15:00", "2026-03-02T09:15:00"),
        (True, True),
        (10**400, 10**400),
        (1e300, 1e300),
    ],
)
def test_times(tmp_path: Path, at: Any, expected: Any) -> None:
    (record,) = items_of([{"role": "user", "content": "x", "created_at": at}], "openai", tmp_path)
    assert isinstance(record, Record)
    assert record.fields["created_at"] == expected


@pytest.mark.parametrize("document", [{"text": "x", "id": 1}, {"role": "user", "content": "in no session"}])
def test_other_documents_are_an_error(tmp_path: Path, document: Any) -> None:
    with pytest.raises(IngestError, match="not of the format 'openai'"):
        items_of(document, "openai", tmp_path)
