"""What a model provider keeps of erased messages: the files of the batches that asked about them.

A batch goes as a whole: a file cannot lose lines. Requests of others in it, whose replies were not collected yet, are
asked again by the next run. What cannot be deleted now stands in the certificate, and every later erasure and
maintenance tries again.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Collection
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from memory_pipeline.domain.erasure_certificate import ProviderDeletions
from memory_pipeline.domain.scope import Scope
from memory_pipeline.errors import ModelError, SettingsError
from memory_pipeline.stages.context import StageContext
from memory_pipeline.storage.erasing.erasures import Erasures, OwedDeletion

if TYPE_CHECKING:
    from memory_pipeline.inference.batches.batch_records import BatchRecord, BatchRecords
    from memory_pipeline.inference.hosted.openai_chat import OpenAIChat

_NOTHING: dict[str, Any] = {"batches": 0, "files_deleted": 0, "batches_stopped": 0, "pending": []}


def batches_of(ctx: StageContext, scopes: Collection[Scope]) -> list[BatchRecord]:
    """Batches on record that took requests about some users, or that an earlier release has sent about anybody."""
    from memory_pipeline.inference.batches.batch_records import BatchRecords

    return _of(BatchRecords(ctx.settings), scopes)


def _of(records: BatchRecords, scopes: Collection[Scope]) -> list[BatchRecord]:
    names = {records.subject(scope) for scope in scopes}
    return [r for r in records.all() if r.subjects is None or not names.isdisjoint(r.subjects)]


def withdraw(ctx: StageContext, kept: Erasures, erasure_id: str, scopes: Collection[Scope]) -> None:
    """Take the batches of some users off the records, so that nobody collects them, and keep in mind to delete them."""
    from memory_pipeline.inference.batches.batch_records import BatchRecords

    records = BatchRecords(ctx.settings)

    async def move() -> None:
        async with records.exclusive():
            for record in _of(records, scopes):
                kept.owe(OwedDeletion(erasure_id, record.key, record.url, record.batch_id, record.submitted_at))
                records.drop(record)

    if len(records):
        asyncio.run(move())


def untried_part(kept: Erasures, erasure_id: str) -> ProviderDeletions:
    """The provider's part of a certificate before anything was tried."""
    pending = tuple(_pending(owed) for owed in kept.owed() if owed.erasure_id == erasure_id)
    return ProviderDeletions(len(pending), 0, 0, pending)


def settle(ctx: StageContext, kept: Erasures) -> Counter[str]:
    """Have providers delete what they owe, and put it down in the certificates. Returns what was done, by name."""
    done: Counter[str] = Counter()
    owing = kept.owed()
    if owing:
        asyncio.run(_settle(ctx, kept, owing, done))
    return +done


async def _settle(ctx: StageContext, kept: Erasures, owing: Collection[OwedDeletion], done: Counter[str]) -> None:
    from memory_pipeline.inference.batches.batch_api import BatchApi
    from memory_pipeline.inference.batches.batch_deletion import Deletion, delete_batch

    live, why = _model(ctx)
    for owed in owing:
        found = Deletion(0, left=why)
        if live is not None and owed.url != live.endpoint.url:
            found = Deletion(0, left=f"OPENAI_BASE_URL names another server: {live.endpoint.url}")
        elif live is not None:
            try:
                async with live.connected():
                    found = await delete_batch(BatchApi(live, ctx.settings), owed)
            except ModelError as error:
                found = Deletion(0, left=str(error))
        _put_down(kept, owed, found.files, found.cancelled, found.left)
        done.update({"provider files deleted": found.files, "provider batches stopped": int(found.cancelled)})
        done["provider batches pending"] += bool(found.left)


def _model(ctx: StageContext) -> tuple[OpenAIChat | None, str]:
    """Whom to ask, or why nobody can be: nothing is sent to a server that the settings do not name."""
    from memory_pipeline.inference.hosted.openai_chat import OpenAIChat

    if ctx.settings.chat != "openai":
        return None, "MEMORY_PIPELINE_CHAT is not openai: no provider is asked"
    try:
        return OpenAIChat(ctx.settings, ctx.prompts), ""
    except SettingsError as error:
        return None, str(error)


def _put_down(kept: Erasures, owed: OwedDeletion, files: int, stopped: bool, left: str) -> None:
    """First in the certificate, then off the list: whoever is killed between the two tries again in vain."""
    certificate = kept.certificate(owed.erasure_id)
    after = replace(owed, why=left)
    if certificate is not None:
        part = certificate.get("provider", _NOTHING)
        pending = [p for p in part["pending"] if p["key"] != owed.key] + ([_pending(after)] if left else [])
        certificate["provider"] = {
            **part,
            "files_deleted": part["files_deleted"] + files,
            "batches_stopped": part["batches_stopped"] + stopped,
            "pending": pending,
        }
        certificate["complete"] = not pending
        kept.certify(owed.erasure_id, certificate)
    if left:
        kept.owe(after)
    else:
        kept.settled(owed)


def _pending(owed: OwedDeletion) -> dict[str, Any]:
    return {"key": owed.key, "batch_id": owed.batch_id, "url": owed.url, "why": owed.why}
