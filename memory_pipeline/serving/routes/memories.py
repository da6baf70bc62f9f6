"""Memories, and the user's own hand on them."""

from __future__ import annotations

from collections.abc import Callable

from fastapi import APIRouter

from memory_pipeline.domain.ledger.memory import MemoryVersion
from memory_pipeline.domain.reading.records import ListedMemory
from memory_pipeline.errors import NotFound
from memory_pipeline.retrieval.lists.listing import record
from memory_pipeline.serving.access import Asking, Caller
from memory_pipeline.serving.answers import ChangedMemory, History, Json, Memory, MemoryPage
from memory_pipeline.serving.paging import page
from memory_pipeline.serving.requests import About, Classify, Edit, Remember, Undo
from memory_pipeline.serving.routes.arguments import PROBLEMS, Cursor, Limit, MemoryId, Tenant, Text_, User
from memory_pipeline.serving.routes.reads import page_size, scope_arguments, whom
from memory_pipeline.serving.service import Memories

router = APIRouter(tags=["memories"], responses=PROBLEMS)


@router.get("/v1/memories", response_model=MemoryPage)
def list_memories(
    memories: Memories,
    caller: Asking,
    user_id: User = None,
    tenant_id: Tenant = None,
    status: Text_ = None,
    type: Text_ = None,
    as_of: Text_ = None,
    limit: Limit = None,
    cursor: Cursor = None,
) -> Json:
    """What is remembered, oldest first; all states and types unless one is named."""
    found = memories.reader.memories(
        **scope_arguments(caller, user_id, tenant_id), status=status, type=type, as_of=as_of
    )
    return Json(page(found, _place, page_size(memories, limit), cursor))


def _place(row: ListedMemory) -> tuple[str, str]:
    return row["observed_at"].isoformat(), row["memory_id"]


@router.post("/v1/memories", status_code=201, response_model=ChangedMemory)
def remember(body: Remember, memories: Memories, caller: Asking) -> Json:
    """Remember what the user states, in the user's words; effective at once."""
    given = body.model_dump(exclude={"user_id", "tenant_id", "content"})
    return Json(record(memories.curator.remember(body.content, **whom(caller, body), **given)), 201)


@router.get("/v1/memories/{memory_id}", response_model=Memory)
def get_memory(
    memory_id: MemoryId, memories: Memories, caller: Asking, user_id: User = None, tenant_id: Tenant = None
) -> Json:
    """One memory as it stands."""
    about = scope_arguments(caller, user_id, tenant_id)
    for row in memories.reader.memories(**about):
        if row["memory_id"] == memory_id:
            return Json(row)
    raise NotFound("this user has no memory of that id", memory_id=memory_id, **about)


@router.get("/v1/memories/{memory_id}/history", response_model=History)
def explain(
    memory_id: MemoryId, memories: Memories, caller: Asking, user_id: User = None, tenant_id: Tenant = None
) -> Json:
    """Where a memory came from: versions, verdict, proposal, window, messages with the quoted words, model."""
    return Json(memories.reader.explain(memory_id, **scope_arguments(caller, user_id, tenant_id)))


@router.patch("/v1/memories/{memory_id}", response_model=ChangedMemory)
def edit(memory_id: MemoryId, body: Edit, memories: Memories, caller: Asking) -> Json:
    """Put a memory in other words; what it said before is never shown again."""
    slot = body.model_dump(include={"subject", "attribute", "value"})
    return Json(record(memories.curator.edit(memory_id, body.content, **whom(caller, body), **slot)))


@router.delete("/v1/memories/{memory_id}", response_model=ChangedMemory)
def forget(
    memory_id: MemoryId, memories: Memories, caller: Asking, user_id: User = None, tenant_id: Tenant = None
) -> Json:
    """Never show a memory again, nor what was said of it; it stays in the ledger. To erase, see `/v1/erasures`."""
    return Json(record(memories.curator.forget(memory_id, **scope_arguments(caller, user_id, tenant_id))))


@router.post("/v1/memories/{memory_id}/pin", response_model=ChangedMemory)
def pin(memory_id: MemoryId, memories: Memories, caller: Asking, body: About | None = None) -> Json:
    """Keep a memory in every prompt, and out of time's reach."""
    return _done(memories.curator.pin, memory_id, caller, body)


@router.post("/v1/memories/{memory_id}/unpin", response_model=ChangedMemory)
def unpin(memory_id: MemoryId, memories: Memories, caller: Asking, body: About | None = None) -> Json:
    """Treat a memory like any other again."""
    return _done(memories.curator.unpin, memory_id, caller, body)


@router.post("/v1/memories/{memory_id}/suppress", response_model=ChangedMemory)
def suppress(memory_id: MemoryId, memories: Memories, caller: Asking, body: About | None = None) -> Json:
    """Keep a memory in mind, and never bring it up."""
    return _done(memories.curator.suppress, memory_id, caller, body)


@router.post("/v1/memories/{memory_id}/undo", response_model=ChangedMemory)
def undo(memory_id: MemoryId, memories: Memories, caller: Asking, body: About | None = None) -> Json:
    """Take back the user's last act on a memory, or overrule what last merged another statement into it or ended it."""
    return _done(memories.curator.undo, memory_id, caller, body)


@router.post("/v1/undo", response_model=ChangedMemory)
def undo_last(body: Undo, memories: Memories, caller: Asking) -> Json:
    """Take back what the user did last by hand, whatever it was, or as `/v1/memories/{memory_id}/undo` where a memory
    is named."""
    return Json(record(memories.curator.undo(body.memory_id, **whom(caller, body))))


@router.post("/v1/memories/{memory_id}/classify", response_model=ChangedMemory)
def classify(memory_id: MemoryId, body: Classify, memories: Memories, caller: Asking) -> Json:
    """Give a memory a class: reads with a lower ceiling do not see it."""
    return Json(record(memories.curator.classify(memory_id, body.classification, **whom(caller, body))))


def _done(act: Callable[..., MemoryVersion], memory_id: str, caller: Caller, body: About | None) -> Json:
    return Json(record(act(memory_id, **whom(caller, body or About()))))
