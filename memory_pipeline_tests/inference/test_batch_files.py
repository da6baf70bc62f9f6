"""Files of batches and records of them: limits, names, what is read of a result, what survives on disk."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_pipeline.errors import StorageError
from memory_pipeline.inference.batches.batch_files import NEVER_CAME, Outcome, custom_id, line, outcomes, split
from memory_pipeline.inference.batches.batch_records import KEPT, BatchRecord, BatchRecords
from memory_pipeline.inference.chat import ChatRequest
from memory_pipeline.inference.prompts import Prompts
from memory_pipeline.settings import Settings
from memory_pipeline_tests.inference.sample_requests import EXTRACT

URL = "https://api.example.com/v1"
PROMPTS = Prompts()


def name_of(request: ChatRequest[Any], model: str = "small") -> str:
    return custom_id(model, request, PROMPTS.render(request.task, request.inputs))


def test_a_name_follows_from_the_request_and_whose_it_is() -> None:
    other = replace(EXTRACT, scope=replace(EXTRACT.scope, user_id="bob"))
    longer = replace(EXTRACT, max_tokens=EXTRACT.max_tokens + 1)
    names = [name_of(EXTRACT), name_of(EXTRACT, "large"), name_of(other), name_of(longer)]
    assert len(set(names)) == 4 and name_of(EXTRACT) == names[0]
    assert all(len(name) <= 64 for name in names), "providers allow no more"


def test_a_line_is_one_line_of_json() -> None:
    data = line("req_1", "small", {"messages": [{"role": "user", "content": "a\nb\u2028c\ud800 ü"}], "seed": 7})
    assert data.count(b"\n") == 1 and data.endswith(b"\n")
    found = json.loads(data)
    assert (found["custom_id"], found["method"], found["url"]) == ("req_1", "POST", "/v1/chat/completions")
    assert found["body"]["model"] == "small" and found["body"]["seed"] == 7


@settings(deadline=None)
@given(st.lists(st.integers(1, 50), max_size=40), st.integers(1, 9), st.integers(1, 100))
def test_files_keep_to_the_limits_and_lose_no_line(sizes: list[int], most_lines: int, most_bytes: int) -> None:
    lines = [(f"req_{n}", b"x" * size) for n, size in enumerate(sizes)]
    parts = list(split(lines, most_lines=most_lines, most_bytes=most_bytes))
    assert [pair for part in parts for pair in part.items()] == lines
    for part in parts:
        assert 0 < len(part) <= most_lines
        assert len(part) == 1 or sum(map(len, part.values())) <= most_bytes
    for part, following in zip(parts, parts[1:], strict=False):
        first = len(next(iter(following.values())))
        assert len(part) == most_lines or sum(map(len, part.values())) + first > most_bytes, "no file too many"


def test_what_came_of_requests() -> None:
    rows = [
        {"custom_id": "a", "response": {"status_code": 200, "body": {"choices": [1]}}, "error": None},
        {"custom_id": "b", "response": {"status_code": 400, "body": {"error": {"message": "Too LONG"}}}, "error": None},
        {"custom_id": "c", "response": None, "error": {"code": "batch_expired", "message": "Time is up."}},
        {"custom_id": "d", "response": None, "error": {"code": "server_error", "message": "Oh."}},
    ]
    content = b"\n".join(json.dumps(row).encode() for row in rows) + b"\n\n{broken\n[]\n"
    found = outcomes(content)
    assert set(found) == {"a", "b", "c", "d"}
    assert found["a"] == Outcome(200, {"choices": [1]}) and found["a"].answered
    assert found["b"].status == 400 and "too long" in found["b"].said and not found["b"].unfinished
    assert found["c"].unfinished and not found["c"].answered
    assert found["d"].status is None and not found["d"].unfinished and "oh." in found["d"].said
    assert NEVER_CAME.unfinished


def record(at: datetime | None = None, *ids: str) -> BatchRecord:
    return BatchRecord.new(URL, ids or ("req_1", "req_2"), 1, at or datetime.now(UTC))


@pytest.fixture
def records(tmp_path: Path) -> BatchRecords:
    return BatchRecords(Settings.load(home=str(tmp_path)))


def test_a_record_is_read_as_it_was_written(records: BatchRecords, tmp_path: Path) -> None:
    later = replace(record(datetime.now(UTC) + timedelta(seconds=1)), batch_id="batch_1", attempt=2)
    first = record()
    for each in (later, first):
        records.put(each)
    assert records.all() == [first, later] and len(records) == 2
    (path,) = (tmp_path / "batches").glob(f"{first.key}.json")
    assert json.loads(path.read_text())["schema_version"] == 2


def test_a_record_without_requests_goes(records: BatchRecords) -> None:
    kept = record()
    records.put(kept)
    records.put(kept.without(["req_1"]))
    assert [r.custom_ids for r in records.all()] == [("req_2",)]
    records.put(kept.without(["req_1", "req_2"]))
    assert records.all() == [] and len(records) == 0
    records.drop(kept)


def test_records_go_when_the_provider_has_no_results_any_more(records: BatchRecords) -> None:
    old, young = record(datetime.now(UTC) - KEPT - timedelta(hours=1)), record()
    records.put(old)
    records.put(young)
    assert records.all() == [young] and len(records) == 1


@pytest.mark.parametrize("text", ['{"schema_version": 2}', "{", '{"schema_version": 1, "key": "x"}', "[]"])
def test_a_record_that_cannot_be_read_stops_everything(records: BatchRecords, tmp_path: Path, text: str) -> None:
    (tmp_path / "batches").mkdir()
    (tmp_path / "batches" / "bat_1.json").write_text(text)
    with pytest.raises(StorageError, match=r"bat_1.json cannot be read .*: look at the batch at the provider"):
        records.all()


def test_what_a_killed_writer_leaves_is_no_record(records: BatchRecords, tmp_path: Path) -> None:
    records.put(record())
    (tmp_path / "batches" / ".half.tmp").write_text('{"schema_')
    assert len(records.all()) == 1


def test_records_of_a_remote_home(tmp_path: Path) -> None:
    """A file URI stands for an object store: the same calls of the same library, without its lock and renames."""
    found = BatchRecords(Settings.load(home="s3://bucket/home"))
    found._root = (tmp_path / "batches").as_uri()
    (tmp_path / "batches").mkdir()

    async def use() -> None:
        async with found.exclusive():
            found.put(record())

    asyncio.run(use())
    assert len(found.all()) == len(found) == 1
    found.drop(found.all()[0])
    assert found.all() == []


def test_a_home_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "batches").write_text("a file where the folder should be")
    found = BatchRecords(Settings.load(home=str(tmp_path)))
    with pytest.raises(StorageError, match="cannot write the record of a batch"):
        found.put(record())
