from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path

import pytest

from memory_pipeline.errors import IngestError
from memory_pipeline.stages.messages.importers import Fault, Record
from memory_pipeline.stages.messages.ingest import ingest
from memory_pipeline_tests.stages.importers.reading import items_of
from memory_pipeline_tests.stages.importers.samples import LONGMEMEVAL
from memory_pipeline_tests.stages.landing_files import context, stored


def test_each_question_is_a_user_of_its_own(tmp_path: Path) -> None:
    ctx = context(tmp_path / "home")
    path = tmp_path / "longmemeval.json"
    path.write_text(json.dumps(LONGMEMEVAL))
    report = ingest(ctx, [path], tenant="bench")
    assert (report.taken, report.quarantined) == (5, 0)
    assert [(m.user_id, m.session_id, m.message_id, m.role, m.created_at.isoformat()) for m in stored(ctx)] == [
        ("q1", "q1/a", "q1/a/0", "user", "2023-05-23T18:02:00+00:00"),
        ("q1", "q1/a", "q1/a/1", "assistant", "2023-05-23T18:02:30+00:00"),
        ("q1", "q1/a#2", "q1/a#2/0", "user", "2023-05-24T00:00:00+00:00"),
        ("q1", "q1/b", "q1/b/0", "user", "2023-05-20T02:21:00+00:00"),
        ("q2", "q2/b", "q2/b/0", "user", "2023-05-20T02:21:00+00:00"),
    ]


def test_the_answer_does_not_leak(tmp_path: Path) -> None:
    records = [i for i in items_of(LONGMEMEVAL, "longmemeval", tmp_path) if isinstance(i, Record)]
    assert len(records) == 5
    shown = json.dumps([r.fields for r in records], default=str)
    assert "has_answer" not in shown
    assert "Which tea" not in shown


def test_a_session_without_a_time_is_a_fault_and_the_others_are_read(tmp_path: Path) -> None:
    document = deepcopy(LONGMEMEVAL)
    document[0]["haystack_dates"][1] = "soon"
    document[0]["haystack_sessions"][2][0] = "text"
    found = items_of(document, "longmemeval", tmp_path)
    assert [i.reason for i in found if isinstance(i, Fault)] == [
        "session b has no turns or no time like '2023/05/20 (Sat) 02:21'",
        "turn 1 of session a is not an object",
    ]
    assert len([i for i in found if isinstance(i, Record)]) == 3


def test_another_document_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(IngestError, match="not of the format 'longmemeval'"):
        items_of([{"haystack_sessions": []}], "longmemeval", tmp_path)
