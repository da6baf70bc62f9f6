"""The pipeline from Python, and errors as data."""

from __future__ import annotations

import asyncio
import inspect
import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

import memory_pipeline
from memory_pipeline import (
    AuditFailed,
    CurationError,
    IngestError,
    MemoryCurator,
    MemoryPipelineError,
    MemoryReader,
    NotFound,
    Pipeline,
    QueryError,
    errors,
)

TURN = {
    "user_id": "ann",
    "session_id": "s",
    "message_id": "m-1",
    "role": "user",
    "content": "I live in Oslo.",
    "created_at": "2026-03-10T12:00:00+00:00",
}


@pytest.fixture
def pipeline(tmp_path: Path) -> Pipeline:
    return Pipeline.open(str(tmp_path / "home"))


def test_messages_become_memories(pipeline: Pipeline, tmp_path: Path) -> None:
    with pipeline:
        report = pipeline.ingest([TURN, {**TURN, "message_id": "m-2", "content": ""}])
        assert (report.taken, report.quarantined) == (1, 1)
        assert pipeline.ingest(TURN).known == 1, "one message is enough, and twice is as good as once"
        ahead = pipeline.plan("2026-03-01", "2026-03-31")
        assert {stage for step in ahead.steps for stage in step.stages} >= {"proposals", "memories"}
        assert ahead.reasons["proposals"] == {"never made": 1}
        change = pipeline.diff()
        assert [d.kind for d in change.memories] == ["added"]
        made = asyncio.run(pipeline.arun())
        assert made.stages["memories"]["rows"] == 1
        assert pipeline.plan().steps == ()
    with MemoryReader.open(pipeline.settings.home) as reader:
        (found,) = reader.memories(user_id="ann", as_of="2026-03-11")
        assert found.content == found["content"] == "Lives in Oslo."
        assert reader.memories(user_id="ann", as_of="2026-03-09T23:00:00+00:00") == []
        (day,) = reader.timeline(user_id="ann", start="2026-03-10", end="2026-03-10")
        assert (day.label, day.messages) == ("2026-03-10", 1)
        history = reader.explain(found.memory_id, user_id="ann")
        assert [m["quote"] for m in history.messages] == [TURN["content"]] and history.memory == found
        with pytest.raises(QueryError, match="no day or time such as 2026-03-01") as caught:
            reader.memories(user_id="ann", as_of="last week")
        assert caught.value.argument == "as_of"
        reader.close()
        assert reader.search("where do I live?", user_id="ann"), "what was let go of is opened again"
    with MemoryCurator.open(pipeline.settings.home) as curator:
        act = asyncio.run(curator.apin(found.memory_id, user_id="ann"))
        bundle = curator.export(tmp_path / "ann.zip", user_id="ann")
        taken = curator.import_(tmp_path / "ann.zip", dry_run=True)
    row = reader.memories(user_id="ann")[0]
    row["mark"] = 1
    assert vars(row)["content"] == row["content"] == row.content and json.dumps(row, default=str), "a dict for programs"
    for result in (report, ahead, change, made, found, day, history, act, bundle, taken):
        assert json.loads(json.dumps(result.to_dict())) == result.to_dict()


def test_files_and_folders(pipeline: Pipeline, tmp_path: Path) -> None:
    file = tmp_path / "landing.jsonl"
    file.write_text(json.dumps({k: v for k, v in TURN.items() if k != "user_id"}) + "\n")
    assert pipeline.ingest(file, user_id="ann").taken == 1
    assert asyncio.run(pipeline.aingest([str(file)], user_id="ann")).known == 1
    with pytest.raises(IngestError, match="either paths or messages"):
        pipeline.ingest([file, TURN])
    with pytest.raises(QueryError, match="no day or time") as caught:
        pipeline.run("soon")
    assert caught.value.argument == "from_"


def test_acts_have_asynchronous_twins(tmp_path: Path) -> None:
    async def act() -> None:
        with MemoryCurator.open(str(tmp_path / "home")) as curator:
            made = await curator.aremember("I play the cello.", user_id="ann", valid_from="2026-03-01")
            assert made.valid_from == datetime(2026, 3, 1, tzinfo=UTC)
            with pytest.raises(CurationError, match="no day or time"):
                await curator.aremember("I play the viola.", user_id="ann", valid_from="someday")
            with pytest.raises(NotFound) as missing:
                await curator.aforget("mem_0", user_id="ann")
        told = missing.value.to_dict()
        assert (told["error"], told["memory_id"], told["user_id"]) == ("NotFound", "mem_0", "ann")

    asyncio.run(act())


def test_reads_and_erasure_have_asynchronous_twins(tmp_path: Path) -> None:
    async def act() -> None:
        home = str(tmp_path / "home")
        with MemoryCurator.open(home) as curator, MemoryReader.open(home) as reader:
            made = await curator.aremember("I play the cello.", user_id="ann")
            (listed,) = await reader.amemories(user_id="ann")
            history = await reader.aexplain(made.memory_id, user_id="ann")
            periods = await reader.atimeline(user_id="ann", grain="month")
            assert listed.memory_id == history.memory.memory_id == made.memory_id
            assert [change["memory_id"] for period in periods for change in period.changes] == [made.memory_id]
            certificate = await curator.aerase(user_id="ann", foreign_files="keep")
            assert certificate.complete and certificate.removed == certificate["removed"]
            assert (certificate.subjects[0].extent, certificate.proof.hits) == ("user", 0)
            assert json.loads(json.dumps(certificate.to_dict()))["erasure_id"] == certificate.erasure_id
            assert await reader.amemories(user_id="ann") == []

    asyncio.run(act())


def test_every_error_is_exported_and_drawn_in_the_tree() -> None:
    kinds = [kind for _, kind in inspect.getmembers(errors, inspect.isclass) if issubclass(kind, MemoryPipelineError)]
    assert {kind.__name__ for kind in kinds} <= set(memory_pipeline.__all__)
    for kind in kinds:
        assert kind.__name__ in (errors.__doc__ or "")


def test_errors_tell_programs_what_they_tell_people(tmp_path: Path) -> None:
    with pytest.raises(IngestError) as missing:
        Pipeline.open(str(tmp_path)).ingest(tmp_path / "nowhere.jsonl")
    assert missing.value.path == str(tmp_path / "nowhere.jsonl")
    assert AuditFailed("no", run_id="r", stage="memories").to_dict() == {
        "error": "AuditFailed",
        "message": "no",
        "run_id": "r",
        "stage": "memories",
    }
    with pytest.raises(TypeError, match="no attribute 'colour'"):
        NotFound("no", colour="red")
