"""One memory: where it came from, what became of it, and the user's own hand on it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query
from starlette.responses import Response

from memory_pipeline.domain.ledger.memory import MemoryVersion
from memory_pipeline.domain.reasons import meaning
from memory_pipeline.domain.sensitive import withheld
from memory_pipeline.errors import CurationError
from memory_pipeline.serving.access import PANEL
from memory_pipeline.serving.panel.forms import Form
from memory_pipeline.serving.panel.pages import View, Viewing, go, link
from memory_pipeline.serving.panel.problems import PanelRoute
from memory_pipeline.serving.panel.routes.arguments import Tenant, User

router = APIRouter(route_class=PanelRoute)
MemoryId = Annotated[str, Path(max_length=512)]
DONE = {
    "remember": "Remembered, in your words.",
    "edit": "Reworded. What it said before is never shown again.",
    "forget": "Forgotten. It is never shown again, nor what was said of it.",
    "pin": "Pinned: it stands in every prompt.",
    "unpin": "Unpinned: it is like any other memory again.",
    "suppress": "Silenced: it is kept in mind and never brought up.",
    "undo": "Undone.",
}


@router.get(f"{PANEL}/memories/{{memory_id}}")
def memory(
    memory_id: MemoryId,
    view: Viewing,
    user_id: User = None,
    tenant_id: Tenant = None,
    done: Annotated[str | None, Query(max_length=20)] = None,
) -> Response:
    """Where a memory came from, rule by rule and turn by turn."""
    about = view.about(user_id, tenant_id)
    return _page(view, memory_id, about, said=DONE.get(done or ""))


def _page(
    view: View, memory_id: str, about: dict[str, Any], *, said: str | None = None, wrong: str | None = None
) -> Response:
    found = view.memories.reader.explain(memory_id, **about, entities=False)
    verdicts = {verdict["proposal_id"]: verdict for verdict in found["verdicts"]}
    proposals = [
        {**proposal, "verdict": verdicts.get(proposal["proposal_id"])} for proposal in reversed(found["proposals"])
    ]
    last, gate = found["versions"][-1], view.memories.settings.policies.gate
    messages = [
        {**m, "content": withheld(m["content"], gate), "quotes": [withheld(quote, gate) for quote in m["quotes"]]}
        for m in found["messages"]
    ]
    return view.page(
        "memory.html",
        status=422 if wrong else 200,
        about=about,
        memory=found["memory"],
        last=last,
        forgotten=last["change"] == "forget",
        ended=found["memory"]["status"] in ("superseded", "contradicted", "closed", "archived"),
        found=found,
        messages=messages,
        proposals=proposals,
        meaning=meaning,
        said=said,
        wrong=wrong,
    )


@router.post(f"{PANEL}/memories")
def remember(view: Viewing, form: Form) -> Response:
    """Remember what the user states."""
    about = view.about(form.get("user_id"), form.get("tenant_id"))
    made = view.memories.curator.remember(form.get("content", ""), **about)
    return go(link(f"memories/{made.memory_id}", done="remember", **about))


@router.post(f"{PANEL}/memories/{{memory_id}}/edit")
def edit(memory_id: MemoryId, view: Viewing, form: Form) -> Response:
    """Put a memory in other words."""
    return _done(view, "edit", memory_id, form, view.memories.curator.edit, form.get("content", ""))


@router.post(f"{PANEL}/memories/{{memory_id}}/forget")
def forget(memory_id: MemoryId, view: Viewing, form: Form) -> Response:
    """Never show a memory again."""
    return _done(view, "forget", memory_id, form, view.memories.curator.forget)


@router.post(f"{PANEL}/memories/{{memory_id}}/pin")
def pin(memory_id: MemoryId, view: Viewing, form: Form) -> Response:
    """Keep a memory in every prompt."""
    return _done(view, "pin", memory_id, form, view.memories.curator.pin)


@router.post(f"{PANEL}/memories/{{memory_id}}/unpin")
def unpin(memory_id: MemoryId, view: Viewing, form: Form) -> Response:
    """Treat a memory like any other again."""
    return _done(view, "unpin", memory_id, form, view.memories.curator.unpin)


@router.post(f"{PANEL}/memories/{{memory_id}}/suppress")
def suppress(memory_id: MemoryId, view: Viewing, form: Form) -> Response:
    """Keep a memory in mind, and never bring it up."""
    return _done(view, "suppress", memory_id, form, view.memories.curator.suppress)


@router.post(f"{PANEL}/memories/{{memory_id}}/undo")
def undo(memory_id: MemoryId, view: Viewing, form: Form) -> Response:
    """Take back the last act, or overrule the last decision about a memory."""
    return _done(view, "undo", memory_id, form, view.memories.curator.undo)


def _done(
    view: View,
    name: str,
    memory_id: str,
    form: Mapping[str, str],
    act: Callable[..., MemoryVersion],
    *given: Any,
) -> Response:
    """Do an act, and show the memory: changed, or with why it cannot be."""
    about = view.about(form.get("user_id"), form.get("tenant_id"))
    try:
        act(memory_id, *given, **about)
    except CurationError as error:
        return _page(view, memory_id, about, wrong=str(error))
    return go(link(f"memories/{memory_id}", done=name, **about))
