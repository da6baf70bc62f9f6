"""Turns come in; sessions end."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter

from memory_pipeline.serving.access import Asking, Caller
from memory_pipeline.serving.answers import Json, MessagesTaken, SessionEnded
from memory_pipeline.serving.problems import Refused
from memory_pipeline.serving.requests import About, Messages
from memory_pipeline.serving.routes.arguments import PROBLEMS, MemoryId
from memory_pipeline.serving.service import Memories

router = APIRouter(tags=["messages"], responses=PROBLEMS)


@router.post("/v1/messages", status_code=202, response_model=MessagesTaken)
def add_messages(body: Messages, memories: Memories, caller: Asking) -> Json:
    """Take turns, each once by its `message_id`. They are on disk before the answer, in the session's context at once,
    and become memories when the session rests. Rows that are not of the landing format are put aside, with the
    reason."""
    most = memories.limits.batch_messages
    if len(body.messages) > most:
        raise Refused(f"at most {most} messages go into one request, not {len(body.messages)}", 422)
    for row in body.messages:
        _reached(caller, row)
    tenant = caller.tenant(None) if caller.grant.tenant_id else "default"
    received = memories.receive(body.messages, tenant, caller.grant.user_id)
    if len(received.users) == 1:
        (about,) = received.users
        caller.scope(about.user_id, about.tenant_id)
    return Json(received.to_dict(), 202)


def _reached(caller: Caller, row: dict[str, Any]) -> None:
    """Whether a row may be added. What is no text names nobody: the row is put aside.

    Raises:
        Refused: it is another tenant's or user's.
    """
    tenant, user = row.get("tenant_id"), row.get("user_id")
    if isinstance(tenant, str) and caller.grant.tenant(tenant) != tenant:
        raise Refused("this key is bound to another tenant", 403)
    if isinstance(user, str) and caller.grant.user(user) != user:
        raise Refused("this key is bound to another user", 403)


@router.post("/v1/sessions/{session_id}/end", status_code=202, response_model=SessionEnded)
def end_session(session_id: MemoryId, memories: Memories, caller: Asking, body: About | None = None) -> Json:
    """Say that a session is over: what was said in it is taken into the log and becomes memories now."""
    given = body or About()
    scope = caller.scope(given.user_id, given.tenant_id)
    return Json({"session_id": session_id, "ended": memories.working.end(scope, session_id)}, 202)
