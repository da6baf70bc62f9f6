from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path

import pytest

from memory_pipeline.errors import IngestError
from memory_pipeline.stages.messages.ingest import ingest
from memory_pipeline_tests.stages.importers.reading import items_of
from memory_pipeline_tests.stages.importers.samples import LOCOMO
from memory_pipeline_tests.stages.landing_files import context, put_aside, stored


def test_a_sample(tmp_path: Path) -> None:
    ctx = context(tmp_path / "home")
    path = tmp_path / "locomo.json"
    path.write_text(json.dumps(LOCOMO))
    report = ingest(ctx, [path], user="ignored", timezone="Europe/Berlin")
    assert (report.taken, report.quarantined) == (4, 0)
    messages = stored(ctx)
    assert [(m.session_id, m.message_id, m.speaker, m.content, m.created_at.isoformat()) for m in messages] == [
        ("conv-1/session_10", "conv-1/D10:1", "Jon", "Happy new year!", "2023-12-31T23:05:00+00:00"),
        ("conv-1/session_2", "conv-1/D2:1", "Mia", "I painted a lake.", "2023-05-08T11:56:00+00:00"),
        (
            "conv-1/session_2",
            "conv-1/D2:2",
            "Jon",
            "Look at this! [shares an image: a photo of a boat]",
            "2023-05-08T11:56:30+00:00",
        ),
        ("conv-1/session_2", "conv-1/D2:3", "Mia", "Great.", "2023-05-08T11:57:00+00:00"),
    ]
    assert {(m.user_id, m.role) for m in messages} == {("conv-1", "user")}
    assert [m.metadata for m in messages if "image" in m.content] == ['{"has_image":true}']


def test_one_sample_alone_and_sessions_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    found = items_of(LOCOMO[0], "locomo", tmp_path)
    assert [i.fields["session_id"][-2:] for i in found] == ["_2", "_2", "_2", "10"]  # type: ignore[union-attr]


def test_a_session_without_a_time_is_put_aside_and_the_others_are_taken(tmp_path: Path) -> None:
    document = deepcopy(LOCOMO)
    document[0]["conversation"]["session_2_date_time"] = "some day in May"
    ctx = context(tmp_path / "home")
    path = tmp_path / "locomo.json"
    path.write_text(json.dumps(document))
    report = ingest(ctx, [path])
    assert (report.taken, report.quarantined) == (1, 3)
    assert {q.reason for q in put_aside(ctx)} == {"session_2_date_time is missing or not like '1:56 pm on 8 May, 2023'"}


def test_another_document_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(IngestError, match="not of the format 'locomo'"):
        items_of([{"conversation": []}], "locomo", tmp_path)
