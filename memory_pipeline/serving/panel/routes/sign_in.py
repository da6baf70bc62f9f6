"""Signing in with a key, and out."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from memory_pipeline.serving.access import PANEL, same_origin
from memory_pipeline.serving.keys import Keys
from memory_pipeline.serving.panel.forms import fields
from memory_pipeline.serving.panel.pages import go, html, link
from memory_pipeline.serving.panel.problems import PanelRoute
from memory_pipeline.serving.problems import Refused
from memory_pipeline.serving.sessions import COOKIE, Sessions, session_of

router = APIRouter(route_class=PanelRoute)
Then = Annotated[str | None, Query(max_length=4096)]


@router.get(f"{PANEL}/sign-in")
async def sign_in_page(request: Request, then: Then = None) -> Response:
    """Where a key is asked for; a server without keys asks for none."""
    keys: Keys = request.app.state.keys
    return html("sign_in.html", then=_inside(then), wrong=False) if keys else go(link())


@router.post(f"{PANEL}/sign-in")
async def sign_in(request: Request) -> Response:
    """Take a key, and give the browser a session in its place."""
    if not same_origin(request.scope):
        raise Refused("this form is not of this server", 403)
    given = await fields(request)
    keys: Keys = request.app.state.keys
    sessions: Sessions = request.app.state.sessions
    then = _inside(given.get("then"))
    key = keys.find(given.get("key", "").strip(), datetime.now(UTC))
    if key is None:
        return html("sign_in.html", 401, then=then, wrong=True)
    sessions.end(session_of(request.scope))
    answer = go(then or link())
    secure = request.url.scheme == "https"
    answer.set_cookie(COOKIE, sessions.begin(key.key_id), path=PANEL, httponly=True, samesite="strict", secure=secure)
    return answer


@router.post(f"{PANEL}/sign-out")
async def sign_out(request: Request) -> Response:
    """End the browser's session."""
    sessions: Sessions = request.app.state.sessions
    sessions.end(session_of(request.scope))
    answer = go(link("sign-in"))
    answer.delete_cookie(COOKIE, path=PANEL)
    return answer


def _inside(address: str | None) -> str | None:
    """A page of the panel to go on to; None for any other address."""
    plain = address or ""
    inside = plain.startswith((f"{PANEL}/", f"{PANEL}?")) and plain.isprintable() and "\\" not in plain
    return plain if inside else None
