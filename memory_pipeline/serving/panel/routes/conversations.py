"""Conversations: each turn with whose words its sentences are, and what came of it."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import Response

from memory_pipeline.serving.access import PANEL
from memory_pipeline.serving.panel.pages import Viewing, pages_of
from memory_pipeline.serving.panel.problems import PanelRoute
from memory_pipeline.serving.panel.routes.arguments import Offset, Tenant, User, Words

router = APIRouter(route_class=PanelRoute)


@router.get(f"{PANEL}/conversations")
def conversations(view: Viewing, user_id: User = None, tenant_id: Tenant = None, offset: Offset = 0) -> Response:
    """The sessions of a user, the latest first."""
    about = view.about(user_id, tenant_id)
    size = view.memories.limits.page_items
    found = view.memories.reader.sessions(**about, offset=offset, limit=size)
    return view.page("conversations.html", about=about, found=found, pages=pages_of(found["total"], offset, size))


@router.get(f"{PANEL}/conversation")
def conversation(view: Viewing, user_id: User = None, tenant_id: Tenant = None, session_id: Words = None) -> Response:
    """One session, turn by turn."""
    about = view.about(user_id, tenant_id)
    turns = view.memories.reader.conversation(session_id or "", **about)
    return view.page("conversation.html", about=about, session_id=session_id, turns=turns)
