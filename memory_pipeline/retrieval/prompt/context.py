"""The block of memory for the prompt of one turn."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

from memory_pipeline.domain.ledger.memory import Status
from memory_pipeline.domain.policy import ContextPolicy
from memory_pipeline.domain.proposal import MemoryType
from memory_pipeline.domain.reading.recall import ContextBlock
from memory_pipeline.errors import QueryError
from memory_pipeline.retrieval.engine import Engine
from memory_pipeline.retrieval.prompt.layouts import LAYOUTS, LESSON_TYPES, RELEVANT, THREADS, Material, avoided
from memory_pipeline.retrieval.prompt.relevance import Line, lines
from memory_pipeline.retrieval.prompt.requests import Request
from memory_pipeline.retrieval.prompt.session.over_reference import Restraint
from memory_pipeline.retrieval.prompt.session.session_blocks import SessionBlocks
from memory_pipeline.retrieval.prompt.session.session_turns import under_way_in, unremembered
from memory_pipeline.retrieval.query import DETAILS, LAYERS, Query, Reach, one_of
from memory_pipeline.retrieval.scores.hits import Hit

SCOPES = ("user", "conversation")
"""Whose memories a block may hold: all of the user's, or those of one session (NM-9)."""


def assemble(
    engine: Engine,
    restraint: Restraint,
    message: str,
    reach: Reach,
    *,
    user_id: str,
    tenant_id: str,
    session_id: str | None,
    layout: str,
    budget: int | None,
    began: SessionBlocks | None = None,
    scope: str = "user",
) -> ContextBlock:
    """A block of one layout; see ``MemoryReader.context``.

    Args:
        began: where the block is to stay the same for the session, what its sessions began with.
    """
    started = time.perf_counter()
    one_of("layout", layout, LAYOUTS)
    conversation = one_of("scope", scope, SCOPES) == "conversation"
    if session_id is None and (conversation or began is not None):
        what = "one conversation" if conversation else "one that stays the same"
        raise QueryError(f"a block of {what} needs the session_id that it is for")
    policy = engine.policy.context
    if layout == "memory":
        reach, most = {"layers": LAYERS, **reach}, policy.items
    else:
        reach, most = {**reach, "layers": ("semantic",)}, policy.known_facts
    if layout == "lessons":
        reach = {"types": LESSON_TYPES, **reach}
    limit = _limit(policy, layout, budget)
    how = {"layout": layout} | ({} if budget is None else {"budget": budget})
    how |= {"scope": scope} if conversation else {}
    only = session_id if conversation else None
    places = {"apart_from": session_id, "session_id": only}
    asked = engine.checked(message, user_id, tenant_id, reach, k=most, **places, careful=True)
    key = (asked.scope, session_id, only, layout, limit, asked.reach)
    if began is not None:
        first = began.standing(key, asked, engine.searcher.sources)
        if first is not None:
            return replace(
                first.block, recall_id=engine.logged("context", asked, session_id, first.hits, started, asked=how)
            )
    request = engine.searcher.request(asked)
    ranked, relevant = _evidence(engine, asked, request, layout)
    far = _far(engine, asked, session_id) if layout == "memory" else frozenset[str]()
    given = Material(
        request=request,
        standing=[hit for hit in _standing(engine, asked, layout) if hit.id not in far],
        ranked=ranked,
        lines=[line for line in relevant if line.hit.id not in far],
        at=asked.at,
        timezone=engine.settings.timezone,
        policy=policy,
        grace=engine.policy.lifecycle[MemoryType.OPEN_LOOP].grace,
        worn=restraint.worn(asked.scope, session_id),
        said=unremembered(engine, asked, session_id, message) if layout == "memory" and session_id else (),
    )
    block = LAYOUTS[layout](given, limit)
    offered = [hit.id for hit in block.hits(RELEVANT, THREADS)] if layout == "memory" else None
    recall_id = engine.logged("context", asked, session_id, block.hits(), started, asked=how, offered=offered)
    if offered is not None:
        restraint.note(asked.scope, session_id, offered, recall_id)
    made = block.finish(recall_id)
    if began is not None:
        kept = began.keep(key, made, block.hits(), asked, engine.searcher.sources)
        return replace(kept, recall_id=recall_id)
    return made


def _evidence(engine: Engine, asked: Query, request: Request, layout: str) -> tuple[Sequence[Hit], Sequence[Line]]:
    """The hits for a message, and for the layout ``memory`` what they have to say to it."""
    if layout != "memory":
        return engine.ranked(asked), ()
    if request.past and asked.statuses == DETAILS["normal"]:
        past = {Status.SUPERSEDED, Status.CONTRADICTED}
        asked = replace(asked, statuses=asked.statuses | past, named=True)
    # Memories and the turns that they rest on stand side by side here: twice as many as the block may show.
    evidence = engine.searcher.evidence(replace(asked, k=2 * asked.k), request)
    return evidence.ranked, lines(request, evidence, engine.policy.context)


def _standing(engine: Engine, asked: Query, layout: str) -> list[Hit]:
    """What stands in every block; of a conversation's own what it holds, and what is never to be brought up."""
    always = _always(asked)
    found = engine.searcher.standing(always, constant_only=layout != "known-facts")
    if asked.session_id is None:
        return found
    everywhere = engine.searcher.standing(replace(always, session_id=None), constant_only=True)
    there = {hit.id for hit in found}
    silent = [hit for hit in everywhere if hit.id not in there and avoided(hit)]
    return sorted([*found, *silent], key=lambda hit: (hit.observed_at, hit.id))


def _far(engine: Engine, asked: Query, session_id: str | None) -> frozenset[str]:
    """The boundaries that neither the request nor the conversation comes near."""
    if not engine.searcher.sources.topics(asked.scope).boundaries:
        return frozenset()
    said = under_way_in(engine, asked, session_id) if session_id is not None else ()
    return engine.searcher.far(asked, session_id, said)


def _always(asked: Query) -> Query:
    """The same reach for what stands in every block: no choice of types or states may lose a boundary."""
    return replace(asked, types=None, statuses=frozenset({"active"}))


def _limit(policy: ContextPolicy, layout: str, budget: int | None) -> int:
    if budget is None:
        return policy.lessons_tokens if layout == "lessons" else policy.budget_tokens
    if isinstance(budget, bool) or not isinstance(budget, int) or budget < 0:
        raise QueryError(f"budget must be a whole number of tokens, not {budget!r}", argument="budget")
    return budget
