from __future__ import annotations

import json
import zipfile
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from memory_pipeline.errors import IngestError
from memory_pipeline.stages.messages.importers import Skipped
from memory_pipeline.stages.messages.ingest import ingest
from memory_pipeline_tests.stages.importers.reading import items_of
from memory_pipeline_tests.stages.importers.samples import CLAUDE
from memory_pipeline_tests.stages.landing_files import context, stored


@pytest.mark.parametrize("zipped", [False, True])
def test_an_export(tmp_path: Path, zipped: bool) -> None:
    ctx = context(tmp_path / "home")
    path = tmp_path / ("data.zip" if zipped else "conversations.json")
    if zipped:
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("users.json", "[]")
            archive.writestr("conversations.json", json.dumps(CLAUDE))
    else:
        path.write_text(json.dumps(CLAUDE))
    report = ingest(ctx, [path])
    assert (report.taken, report.quarantined) == (3, 0)
    messages = stored(ctx)
    assert [(m.message_id, m.role, m.content) for m in messages] == [
        ("m-1", "user", "I am allergic to peanuts.\n[attaches menu.txt]"),
        ("m-2", "assistant", "Noted.\nHow about pasta?"),
        ("m-3", "user", "Yes."),
    ]
    assert {(m.user_id, m.session_id, m.metadata) for m in messages} == {
        ("account-1", "conv-1", '{"title":"Dinner plans"}')
    }
    assert messages[0].created_at.isoformat() == "2026-03-02T09:15:01+00:00"


def test_without_an_account_the_caller_names_the_user(tmp_path: Path) -> None:
    ctx = context(tmp_path / "home")
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps([{k: v for k, v in CLAUDE[0].items() if k != "account"}]))
    assert ingest(ctx, [path]).quarantined == 3
    assert ingest(ctx, [path], user="alice").taken == 3


def test_the_user_that_the_caller_names_is_meant_instead_of_the_account(tmp_path: Path) -> None:
    ctx = context(tmp_path / "home")
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps(CLAUDE))
    ingest(ctx, [path], user="alice")
    assert {m.user_id for m in stored(ctx)} == {"alice"}


@pytest.mark.parametrize(
    ("blocks", "kind"),
    [
        ([], "empty"),
        ([{"type": "thinking", "thinking": "Hm."}], "thoughts"),
        ([{"type": "tool_use", "name": "search", "input": {}}, {"type": "tool_result"}], "tool traffic"),
    ],
)
def test_messages_without_text_are_counted(tmp_path: Path, blocks: list[Any], kind: str) -> None:
    document = deepcopy(CLAUDE)
    document[0]["chat_messages"][3]["content"] = blocks
    assert [i for i in items_of(document, "claude", tmp_path) if isinstance(i, Skipped)] == [Skipped(kind)]


def test_another_document_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(IngestError, match="not of the format 'claude'"):
        items_of([{"uuid": "x"}], "claude", tmp_path)
