from __future__ import annotations

import json
import zipfile
from copy import deepcopy
from pathlib import Path

import pytest

from memory_pipeline.errors import IngestError
from memory_pipeline.stages.messages.importers import Record
from memory_pipeline.stages.messages.importers.chatgpt import branch
from memory_pipeline.stages.messages.ingest import ingest
from memory_pipeline_tests.stages.importers.reading import items, items_of
from memory_pipeline_tests.stages.importers.samples import CHATGPT
from memory_pipeline_tests.stages.landing_files import context, stored


def test_the_current_branch_is_read(tmp_path: Path) -> None:
    ctx = context(tmp_path / "home")
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps(CHATGPT))
    report = ingest(ctx, [path], user="alice")
    assert (report.taken, report.quarantined) == (4, 0)
    messages = stored(ctx)
    assert [(m.message_id, m.role, m.content, m.created_at.isoformat()) for m in messages] == [
        ("n2", "user", "I moved to Lisbon.", "2026-03-02T09:15:01.250000+00:00"),
        ("n3b", "assistant", "How nice!", "2026-03-02T09:15:06+00:00"),
        ("n5", "user", "[image]\nThis is my flat.", "2026-03-02T09:15:10+00:00"),
        ("n6", "assistant", "Lovely.", "2026-03-02T09:15:30+00:00"),
    ]
    assert {(m.user_id, m.session_id) for m in messages} == {("alice", "conv-1")}
    assert messages[0].metadata == '{"title":"Moving to Lisbon"}'
    assert messages[1].metadata == '{"model":"gpt-5","title":"Moving to Lisbon"}'


def test_the_zip_of_an_export_may_hold_several_parts(tmp_path: Path) -> None:
    path = tmp_path / "export.zip"
    other = deepcopy(CHATGPT)
    other[0]["conversation_id"] = "conv-2"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("conversations-000.json", json.dumps(CHATGPT))
        archive.writestr("conversations-001.json", json.dumps(other))
        archive.writestr("shared_conversations.json", "[{}]")
    found = items(path, "chatgpt")
    assert [i.line for i in found] == list(range(1, 9))
    assert [i.fields["session_id"] for i in found if isinstance(i, Record)] == ["conv-1"] * 4 + ["conv-2"] * 4


def test_without_a_current_node_the_latest_leaf_counts() -> None:
    conversation = deepcopy(CHATGPT[0])
    del conversation["current_node"]
    assert [m["id"] for m in branch(conversation)][-1] == "n6"
    conversation["mapping"]["n3"]["message"]["create_time"] = 1772449999.0
    assert [m["id"] for m in branch(conversation)] == ["n1", "n2", "n3"]


def test_a_circle_ends() -> None:
    conversation = deepcopy(CHATGPT[0])
    conversation["mapping"]["root"]["parent"] = "n6"
    assert len(branch(conversation)) == 6


@pytest.mark.parametrize("kind", ["thoughts", "reasoning_recap", "user_editable_context", "model_editable_context"])
def test_what_was_not_said_is_left_out(tmp_path: Path, kind: str) -> None:
    document = deepcopy(CHATGPT)
    document[0]["mapping"]["n3b"]["message"]["content"] = {"content_type": kind, "parts": ["Inner life."]}
    assert "Inner life." not in [i.fields["content"] for i in items_of(document, "chatgpt", tmp_path)]  # type: ignore[union-attr]


def test_code_is_what_the_assistant_said(tmp_path: Path) -> None:
    document = deepcopy(CHATGPT)
    document[0]["mapping"]["n6"]["message"]["content"] = {"content_type": "code", "text": "print(1)"}
    assert items_of(document, "chatgpt", tmp_path)[-1].fields["content"] == "print(1)"  # type: ignore[union-attr]


def test_the_export_names_no_user_so_the_caller_must(tmp_path: Path) -> None:
    ctx = context(tmp_path / "home")
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps(CHATGPT))
    with pytest.raises(IngestError, match="the format chatgpt names no user; give one with --user"):
        ingest(ctx, [path])


def test_another_document_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(IngestError, match="not of the format 'chatgpt': expected a list of conversations"):
        items_of([{"title": "x"}], "chatgpt", tmp_path)


@pytest.mark.parametrize("content", [b"[", b"\xff[]", b"[" * 100_000, b"PK\x03\x04"])
def test_what_is_no_json_is_an_error(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "conversations.json"
    path.write_bytes(content)
    with pytest.raises(IngestError, match="not a readable JSON document"):
        items(path, "chatgpt")
