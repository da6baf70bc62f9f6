"""What stands in a model provider's files goes with an erasure, over HTTP; what cannot be deleted is not forgotten."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from memory_pipeline.domain.scope import Scope
from memory_pipeline.inference.batches.batch_api import BatchApi
from memory_pipeline.inference.batches.batch_deletion import Deletion, delete_batch
from memory_pipeline.inference.batches.batch_files import line
from memory_pipeline.inference.batches.batch_records import BatchRecord, BatchRecords
from memory_pipeline.inference.hosted.openai_chat import OpenAIChat
from memory_pipeline.settings import Settings
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.extraction.extract import extract
from memory_pipeline.stages.operations.erasure.erase import erase_named, survey
from memory_pipeline.stages.operations.erasure.provider import settle
from memory_pipeline.stages.operations.erasure.reach import target_of
from memory_pipeline.storage.erasing.erasures import Erasures, OwedDeletion
from memory_pipeline_tests.factories import NOON, message
from memory_pipeline_tests.protocol_server import ProtocolServer
from memory_pipeline_tests.protocol_steps import UNENDING
from memory_pipeline_tests.store import WordEncoder

ANN, BOB = (Scope(message("").tenant_id, user) for user in ("ann", "bob"))
SECRET = b"the blue lantern"


@pytest.fixture
def settings(tmp_path: Path, protocol_server: ProtocolServer, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """A home whose only batch has asked about two users."""
    given = {"HOME": str(tmp_path), "CHAT": "openai", "CHAT_BATCH_POLL_S": "0.02", "CHAT_RETRIES": "1"}
    for name, value in given.items():
        monkeypatch.setenv(f"MEMORY_PIPELINE_{name}", value)
    ctx = _context(Settings.load(chat_batch=True))
    ctx.lake.append("messages", list(_messages()))
    extract(ctx, [NOON.date()])
    assert any(SECRET in content for content in protocol_server.batches.files.values())
    return Settings.load()


def _messages() -> Iterator[Any]:
    for scope in (ANN, BOB):
        text = f"{scope.user_id} lives next to {SECRET.decode()}, and so it is."
        yield message(text, user_id=scope.user_id, session_id=scope.user_id, message_id=f"m-{scope.user_id}")


def _context(settings: Settings) -> StageContext:
    ctx = StageContext(settings, "run", datetime(2026, 7, 1, tzinfo=UTC))
    ctx.encoder = WordEncoder()
    return ctx


def test_the_files_of_a_users_batches_are_deleted(settings: Settings, protocol_server: ProtocolServer) -> None:
    ctx = _context(settings)
    assert survey(ctx, [target_of(ctx, ANN, None, None)])["batches at the provider"] == 1
    certificate = erase_named(ctx, ANN)
    assert certificate["provider"] == {"batches": 1, "files_deleted": 2, "batches_stopped": 0, "pending": []}
    assert certificate["complete"]
    assert protocol_server.batches.files == {}
    assert BatchRecords(settings).all() == [], "nobody waits for it any more"
    assert erase_named(_context(settings), BOB)["provider"]["batches"] == 0


def test_what_cannot_be_deleted_is_named_and_tried_again(
    settings: Settings, protocol_server: ProtocolServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMORY_PIPELINE_CHAT", "builtin")
    certificate = erase_named(_context(Settings.load()), ANN)
    (pending,) = certificate["provider"]["pending"]
    assert (pending["batch_id"], certificate["complete"]) == ("batch_1", False)
    assert pending["why"] == "MEMORY_PIPELINE_CHAT is not openai: no provider is asked"

    protocol_server.batches.status = 401
    kept = Erasures(settings)
    assert settle(_context(settings), kept) == {"provider batches pending": 1}
    (still,) = kept.certificate(certificate["erasure_id"])["provider"]["pending"]  # type: ignore[index]
    assert "401" in still["why"] and len(protocol_server.batches.files) == 2

    protocol_server.batches.status = None
    erase_named(_context(settings), BOB)
    done = kept.certificate(certificate["erasure_id"])
    assert done is not None and done["complete"]
    assert done["provider"] == {"batches": 1, "files_deleted": 2, "batches_stopped": 0, "pending": []}
    assert protocol_server.batches.files == {} and kept.owed() == []


def test_a_batch_of_an_earlier_release_may_be_anybodys(settings: Settings) -> None:
    records = BatchRecords(settings)
    (record,) = records.all()
    assert record.subjects == tuple(sorted(map(records.subject, (ANN, BOB))))
    records.put(replace(record, subjects=(records.subject(BOB),)))
    assert erase_named(_context(settings), ANN)["provider"]["batches"] == 0
    records.put(replace(record, subjects=None))
    assert erase_named(_context(settings), BOB)["provider"]["batches"] == 1


def test_a_batch_under_way_is_stopped_first(settings: Settings, protocol_server: ProtocolServer) -> None:
    protocol_server.batches.script(UNENDING)
    found, left = asyncio.run(_sent_and_deleted(settings, start=True))
    assert (found.cancelled, found.left, found.files >= 1) == (True, "", True)
    assert left == [] and protocol_server.batches.shown[-1]["status"] == "cancelled"


def test_a_file_whose_batch_was_never_started_is_found_by_its_name(settings: Settings) -> None:
    found, left = asyncio.run(_sent_and_deleted(settings, start=False))
    assert (found, left) == (Deletion(1), [])


async def _sent_and_deleted(settings: Settings, *, start: bool) -> tuple[Deletion, list[str]]:
    ctx = _context(settings)
    live = OpenAIChat(settings, ctx.prompts)
    api = BatchApi(live, settings)
    at = datetime.now(UTC) + timedelta(seconds=1)
    record = BatchRecord.new(live.endpoint.url, ("req_1",), 1, at, ())
    async with live.connected():
        file_id = await api.upload(f"{record.key}.jsonl", line("req_1", "some-model", {"messages": []}))
        if start:
            await api.look((await api.create(file_id, record.key, at)).id)
        found = await delete_batch(api, OwedDeletion("ers_1", record.key, record.url, None, at))
        return found, await api.uploaded(f"{record.key}.jsonl")
