from __future__ import annotations

import json
import zipfile
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from memory_pipeline.errors import IngestError
from memory_pipeline.stages.messages.importers import Fault, Record, Skipped
from memory_pipeline.stages.messages.importers.chatgpt import branch
from memory_pipeline.stages.messages.ingest import ingest
from memory_pipeline_tests.stages.importers.reading import items, items_of, records
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
    found = records(path, "chatgpt")
    assert [i.line for i in found] == list(range(1, 9))
    assert [i.fields["session_id"] for i in found] == ["conv-1"] * 4 + ["conv-2"] * 4


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


@pytest.mark.parametrize("kind", ["thoughts", "reasoning_recap", "model_editable_context"])
def test_what_was_not_said_is_left_out(tmp_path: Path, kind: str) -> None:
    document = deepcopy(CHATGPT)
    document[0]["mapping"]["n3b"]["message"]["content"] = {"content_type": kind, "parts": ["Inner life."]}
    found = items_of(document, "chatgpt", tmp_path)
    assert "Inner life." not in [i.fields["content"] for i in found if isinstance(i, Record)]
    assert Skipped(kind) in found


def test_code_is_what_the_assistant_said(tmp_path: Path) -> None:
    document = deepcopy(CHATGPT)
    document[0]["mapping"]["n6"]["message"]["content"] = {"content_type": "code", "text": "print(1)"}
    found = [i for i in items_of(document, "chatgpt", tmp_path) if isinstance(i, Record)]
    assert (found[-1].fields["role"], found[-1].fields["content"]) == ("assistant", "print(1)")


def test_calls_of_tools_and_their_results_are_turns_of_tools(tmp_path: Path) -> None:
    document = deepcopy(CHATGPT)
    called, answered = (document[0]["mapping"][n]["message"] for n in ("n3b", "n6"))
    called |= {"recipient": "python", "content": {"content_type": "code", "text": "print(1)"}}
    answered["author"] = {"role": "tool", "name": "browser"}
    answered["content"] = {"content_type": "tether_browsing_display", "result": "a page", "summary": None}
    found = [i.fields for i in items_of(document, "chatgpt", tmp_path) if isinstance(i, Record)]
    assert [(f["role"], f["speaker"], f["content"]) for f in found[1::2]] == [
        ("tool", "python", "print(1)"),
        ("tool", "browser", "a page"),
    ]
    assert found[1]["metadata"]["recipient"] == "python"


def test_what_is_left_out_is_named_and_counted(tmp_path: Path) -> None:
    ctx = context(tmp_path / "home")
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps(CHATGPT))
    report = ingest(ctx, [path], user="alice")
    assert report.skipped == {"system": 1, "hidden": 1, "on another branch": 1}
    assert report.to_dict()["files"][0]["skipped"] == dict(report.skipped)
    # Each message of the file is accounted for.
    held = sum(entry["message"] is not None for entry in CHATGPT[0]["mapping"].values())
    assert report.taken + report.skipped.total() == held


ASSET = {"content_type": "real_time_user_audio_video_asset_pointer", "audio_asset_pointer": {"asset_pointer": "x"}}


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ([{"content_type": "audio_transcription", "text": "I moved.", "direction": "in"}, ASSET], "I moved."),
        ([{"content_type": "audio_transcription", "text": "Nice!"}, {"content_type": "audio_asset_pointer"}], "Nice!"),
        ([ASSET], "[audio]"),
        ([{"content_type": "audio_transcription", "text": ""}, ASSET], None),
        (
            [{"content_type": "audio_transcription", "text": "Look."}, {"content_type": "image_asset_pointer"}],
            "Look.\n[image]",
        ),
    ],
)
def test_what_was_spoken_is_its_transcript(tmp_path: Path, parts: list[Any], expected: str | None) -> None:
    document = deepcopy(CHATGPT)
    document[0]["mapping"]["n5"]["message"]["content"]["parts"] = parts
    found = [i.fields for i in items_of(document, "chatgpt", tmp_path) if isinstance(i, Record)]
    assert next((f["content"] for f in found if f["message_id"] == "n5"), None) == expected


def test_the_export_names_no_user_so_the_caller_must(tmp_path: Path) -> None:
    ctx = context(tmp_path / "home")
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps(CHATGPT))
    with pytest.raises(IngestError, match="the format chatgpt names no user; give one with --user"):
        ingest(ctx, [path])


def test_another_document_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(IngestError, match="not of the format 'chatgpt': expected a conversation with"):
        items_of([{"title": "x"}], "chatgpt", tmp_path)


@pytest.mark.parametrize("content", [b"", b"[", b"\xff[]", b"[" * 100_000, b"PK\x03\x04", b'[{"mapping": {}'])
def test_what_is_no_json_is_an_error(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "conversations.json"
    path.write_bytes(content)
    with pytest.raises(IngestError, match="not a readable JSON document"):
        items(path, "chatgpt")


def test_a_conversation_that_cannot_be_read_costs_only_itself(tmp_path: Path) -> None:
    path = tmp_path / "conversations.json"
    good = json.dumps(CHATGPT[0])
    path.write_text(f'[{good}, {{"mapping": {{"a": nope}}}}, {{"title": "x"}}, 7, {good}]')
    found = items(path, "chatgpt")
    assert len([i for i in found if isinstance(i, Record)]) == 8
    faults = [i.reason for i in found if isinstance(i, Fault)]
    assert faults == [
        "not JSON: Expecting value at character 18 of the conversation",
        *["expected a conversation with a `mapping`"] * 2,
    ]


def test_what_stands_before_an_early_end_is_taken_and_the_end_is_told(tmp_path: Path) -> None:
    ctx = context(tmp_path / "home")
    path = tmp_path / "conversations.json"
    whole = json.dumps([CHATGPT[0], {**CHATGPT[0], "conversation_id": "conv-2"}])
    path.write_text(whole[: len(whole) * 3 // 4])
    with pytest.raises(IngestError, match="only its beginning could be read: it is cut off in the middle") as raised:
        ingest(ctx, [path], user="alice")
    assert raised.value.path == str(path)
    assert {m.session_id for m in stored(ctx)} == {"conv-1"}
    assert len(stored(ctx)) == 4
