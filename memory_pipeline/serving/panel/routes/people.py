"""Who is there, and what is known of one of them."""

from __future__ import annotations

from itertools import groupby
from typing import Any

from fastapi import APIRouter
from starlette.responses import Response

from memory_pipeline.domain.proposal import MemoryType
from memory_pipeline.domain.reading.profile import TITLES
from memory_pipeline.domain.reading.recall import StandingProfile
from memory_pipeline.retrieval.lists.browse import ORDERS, STATES
from memory_pipeline.serving.access import PANEL
from memory_pipeline.serving.panel.pages import View, Viewing, chosen, go, link, pages_of
from memory_pipeline.serving.panel.problems import PanelRoute
from memory_pipeline.serving.panel.routes.arguments import Offset, Tenant, User, Words

router = APIRouter(route_class=PanelRoute)
_THREADS = 12
_LIST = "list"


@router.get(PANEL)
def people(view: Viewing, tenant_id: Tenant = None, q: Words = None) -> Response:
    """The users, by tenant where there are several; with a key of one user, that one's page."""
    grant = view.caller.grant
    if grant.user_id is not None:
        return go(link("user", tenant_id=grant.tenant_id, user_id=grant.user_id))
    named = tenant_id or grant.tenant_id
    found = view.memories.reader.people(tenant_id=view.caller.tenant(named) if named else None)
    wanted = (q or "").casefold().strip()
    groups = {
        tenant: [user for user in users if wanted in user["user_id"].casefold()]
        for tenant, users in groupby(found, key=lambda user: user["tenant_id"])
    }
    return view.page("people.html", groups=list(groups.items()), q=q or "")


@router.get(f"{PANEL}/user")
def user(
    view: Viewing,
    user_id: User = None,
    tenant_id: Tenant = None,
    q: Words = None,
    type: Words = None,
    state: Words = None,
    since: Words = None,
    until: Words = None,
    order: Words = None,
    offset: Offset = 0,
    part: Words = None,
) -> Response:
    """What is known of a user. With ``part=list`` the list of memories alone, for who types."""
    about = view.about(user_id, tenant_id)
    wanted: dict[str, Any] = {
        "text": q or "",
        "type": chosen(type, MemoryType, "") or None,
        "state": chosen(state, STATES, "active"),
        "since": since or None,
        "until": until or None,
        "order": chosen(order, ORDERS, "important"),
    }
    size = view.memories.limits.page_items
    found = view.memories.reader.browse(**about, **wanted, offset=offset, limit=size)
    pages = pages_of(found["total"], offset, size)
    listed: dict[str, Any] = {"found": found, "wanted": wanted, "pages": pages, "states": STATES, "orders": ORDERS}
    if part == _LIST:
        return view.page("_memories.html", about=about, **listed)
    who = view.memories.reader.person(**about)
    return view.page("user.html", about=about, who=who, **_known(view, about), **listed)


def _known(view: View, about: dict[str, Any]) -> dict[str, Any]:
    """The profile and the open threads."""
    reader = view.memories.reader
    threads = reader.browse(**about, type=MemoryType.OPEN_LOOP, order="due", limit=_THREADS)
    return {"profile": profile_lines(reader.profile(**about)), "threads": threads}


def profile_lines(profile: StandingProfile) -> list[tuple[str, str]]:
    """The lines of a profile as titles, without their colons, and texts."""
    found = []
    for line in profile.text.splitlines():
        title = next((title for title in TITLES if line.startswith(f"{title} ")), None)
        if title is not None:
            found.append((title.rstrip(":"), line.removeprefix(f"{title} ")))
    return found
