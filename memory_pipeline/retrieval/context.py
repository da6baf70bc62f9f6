"""The block of memory for the prompt of one turn."""

from __future__ import annotations

import time
from dataclasses import replace

from memory_pipeline.domain.policy import ContextPolicy
from memory_pipeline.domain.recall import ContextBlock
from memory_pipeline.errors import QueryError
from memory_pipeline.retrieval.engine import Engine
from memory_pipeline.retrieval.layouts import LAYOUTS, LESSON_TYPES, RELEVANT, Material
from memory_pipeline.retrieval.query import LAYERS, Query, Reach, one_of
from memory_pipeline.retrieval.restraint import Restraint


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
) -> ContextBlock:
    """A block of one layout; see ``MemoryReader.context``."""
    started = time.perf_counter()
    one_of("layout", layout, LAYOUTS)
    policy = engine.policy.context
    if layout == "memory":
        reach, most = {"layers": LAYERS, **reach}, policy.items
    else:
        reach, most = {**reach, "layers": ("semantic",)}, policy.known_facts
    if layout == "lessons":
        reach = {"types": LESSON_TYPES, **reach}
    limit = _limit(policy, layout, budget)
    asked = engine.checked(message, user_id, tenant_id, reach, k=most, apart_from=session_id)
    given = Material(
        message=asked.text,
        standing=engine.searcher.standing(_always(asked), constant_only=layout != "known-facts"),
        ranked=engine.searcher.ranked(asked),
        at=asked.at,
        timezone=engine.settings.timezone,
        policy=policy,
        worn=restraint.worn(asked.scope, session_id),
    )
    block = LAYOUTS[layout](given, limit)
    if layout == "memory":
        restraint.note(asked.scope, session_id, (hit.id for hit in block.hits(RELEVANT)))
    return block.finish(engine.logged("context", asked, session_id, block.hits(), started))


def _always(asked: Query) -> Query:
    """The same reach for what stands in every block: no choice of types or states may lose a boundary."""
    return replace(asked, types=None, statuses=frozenset({"active"}))


def _limit(policy: ContextPolicy, layout: str, budget: int | None) -> int:
    if budget is None:
        return policy.lessons_tokens if layout == "lessons" else policy.budget_tokens
    if isinstance(budget, bool) or not isinstance(budget, int) or budget < 0:
        raise QueryError(f"budget must be a whole number of tokens, not {budget!r}")
    return budget
