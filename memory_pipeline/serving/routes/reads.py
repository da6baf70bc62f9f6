"""Reads into prompts: search, context, payload, ask; and who a user is, and when what was."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter

from memory_pipeline.domain.reading.recall import Answer, ContextBlock, RecalledItem, StandingProfile
from memory_pipeline.domain.reading.recall import Payload as PayloadMade
from memory_pipeline.sdk.embedded import say as what_to_say
from memory_pipeline.sdk.results import Say
from memory_pipeline.serving.access import Asking, Caller
from memory_pipeline.serving.answers import FeedbackTaken, Json, TimelinePage, UserPage
from memory_pipeline.serving.paging import page
from memory_pipeline.serving.problems import Refused
from memory_pipeline.serving.requests import About, Ask, Context, Feedback, Payload, Search
from memory_pipeline.serving.routes.arguments import PROBLEMS, Cursor, Limit, Tenant, Text_, User
from memory_pipeline.serving.service import Memories, Service

router = APIRouter(tags=["reads"], responses=PROBLEMS)


def whom(caller: Caller, about: About) -> dict[str, Any]:
    """Whom a call is about, as the Python calls take it."""
    return scope_arguments(caller, about.user_id, about.tenant_id)


def scope_arguments(caller: Caller, user_id: str | None, tenant_id: str | None) -> dict[str, Any]:
    """The same of arguments in a query."""
    scope = caller.scope(user_id, tenant_id)
    return {"user_id": scope.user_id, "tenant_id": scope.tenant_id}


def page_size(memories: Service, limit: int | None) -> int:
    """Items of a page, within the limits."""
    return min(limit or memories.limits.page_items, memories.limits.most_page_items)


@router.post("/v1/search", response_model=list[RecalledItem])
def search(body: Search, memories: Memories, caller: Asking) -> Json:
    """What is remembered for a query, best first."""
    if body.k > memories.limits.most_items:
        raise Refused(f"k is at most {memories.limits.most_items}, not {body.k}", 422)
    given = body.model_dump(include={"k", "session_id", "min_score", "explain"})
    return Json(memories.reader.search(body.query, **whom(caller, body), **given, **body.reach()))


@router.post("/v1/context", response_model=ContextBlock)
def context(body: Context, memories: Memories, caller: Asking) -> Json:
    """The block of memory for the prompt of a turn."""
    return Json(memories.reader.context(body.message, **whom(caller, body), **_shape(body), **body.reach()))


@router.post("/v1/payload", response_model=PayloadMade)
def payload(body: Payload, memories: Memories, caller: Asking) -> Json:
    """The whole prompt of a turn, as messages for a chat model. Without a history it is the session's own."""
    return Json(memories.reader.payload(body.message, **whom(caller, body), **_prompting(body)))


@router.post("/v1/say", response_model=Say)
def say(body: Payload, memories: Memories, caller: Asking) -> Json:
    """What memory has for whatever the user says: the answer, where the message asks for the user's own past and memory
    knows it, else the payload for a chat model."""
    return Json(what_to_say(memories.reader, body.message, {**whom(caller, body), **_prompting(body)}))


def _prompting(body: Payload) -> dict[str, Any]:
    history = [turn.model_dump(exclude_unset=True) for turn in body.history]
    return {
        "system": body.system,
        "services": body.services,
        "history": history,
        **_shape(body),
        **body.reach(),
    }


def _shape(body: Context) -> dict[str, Any]:
    return body.model_dump(include={"session_id", "layout", "budget", "stable", "scope"})


@router.post("/v1/ask", response_model=Answer)
def ask(body: Ask, memories: Memories, caller: Asking) -> Json:
    """An answer from memory alone, with citations, or an honest "not known"."""
    return Json(memories.reader.ask(body.question, **whom(caller, body), **body.reach()))


@router.get("/v1/profile", response_model=StandingProfile)
def profile(
    memories: Memories,
    caller: Asking,
    user_id: User = None,
    tenant_id: Tenant = None,
    max_classification: Text_ = None,
    agent_id: Text_ = None,
    domain: Text_ = None,
    as_of: Text_ = None,
) -> Json:
    """Who a user is, in a few lines."""
    given: dict[str, Any] = {
        "max_classification": max_classification or "internal",
        "agent_id": agent_id,
        "domain": domain,
    }
    return Json(memories.reader.profile(**scope_arguments(caller, user_id, tenant_id), **given, as_of=as_of))


@router.get("/v1/timeline", response_model=TimelinePage)
def timeline(
    memories: Memories,
    caller: Asking,
    user_id: User = None,
    tenant_id: Tenant = None,
    start: Text_ = None,
    end: Text_ = None,
    grain: Text_ = None,
    limit: Limit = None,
    cursor: Cursor = None,
) -> Json:
    """Days, weeks or months with their summary and what changed, oldest first."""
    found = memories.reader.timeline(
        **scope_arguments(caller, user_id, tenant_id), start=start, end=end, grain=grain or "day"
    )
    return Json(page(found, lambda entry: (str(entry["start"]),), page_size(memories, limit), cursor))


@router.get("/v1/users", response_model=UserPage)
def list_users(
    memories: Memories, caller: Asking, tenant_id: Tenant = None, limit: Limit = None, cursor: Cursor = None
) -> Json:
    """Who is there, by name; with a key that is bound to a user, that one alone."""
    found = memories.reader.users(tenant_id=caller.tenant(tenant_id), user_id=caller.grant.user_id)
    return Json(page(found, lambda user: (user["user_id"],), page_size(memories, limit), cursor))


@router.post("/v1/feedback", response_model=FeedbackTaken)
def feedback(body: Feedback, memories: Memories, caller: Asking) -> Json:
    """Say whether an item of a read helped."""
    memories.reader.feedback(body.recall_id, body.item_id, body.helpful, **whom(caller, body))
    return Json(body.model_dump(include={"recall_id", "item_id", "helpful"}))
