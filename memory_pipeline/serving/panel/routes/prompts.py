"""Trying a prompt: the block that a message would get, and what became of everything that might have stood in it."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter
from starlette.responses import Response

from memory_pipeline.errors import QueryError
from memory_pipeline.retrieval.prompt.layouts import LAYOUTS
from memory_pipeline.serving.access import PANEL
from memory_pipeline.serving.panel.forms import Form
from memory_pipeline.serving.panel.pages import Viewing, chosen
from memory_pipeline.serving.panel.problems import PanelRoute
from memory_pipeline.serving.panel.routes.arguments import Tenant, User

router = APIRouter(route_class=PanelRoute)


@router.get(f"{PANEL}/prompt")
def prompt(view: Viewing, user_id: User = None, tenant_id: Tenant = None) -> Response:
    """Where a message is typed."""
    given: dict[str, Any] = {"message": "", "layout": "memory", "layouts": list(LAYOUTS)}
    return view.page("prompt.html", about=view.about(user_id, tenant_id), tried=None, wrong=None, **given)


@router.post(f"{PANEL}/prompt")
def try_prompt(view: Viewing, form: Form) -> Response:
    """The block for a message. The message is sent in a form, so that no address and no log holds it."""
    about = view.about(form.get("user_id"), form.get("tenant_id"))
    message = form.get("message", "").strip()
    layout = chosen(form.get("layout"), LAYOUTS, "memory")
    given: dict[str, Any] = {"about": about, "message": message, "layout": layout, "layouts": list(LAYOUTS)}
    if not message:
        return view.page("prompt.html", tried=None, wrong=None, **given)
    try:
        tried = view.memories.reader.explain_context(message, **about, layout=layout)
    except QueryError as error:
        return view.page("prompt.html", 422, tried=None, wrong=str(error), **given)
    return view.page("prompt.html", tried=tried, wrong=None, **given)
