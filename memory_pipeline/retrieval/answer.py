"""An answer from memory alone, with citations, or an honest "not known" (NM-32, NM-34)."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from memory_pipeline.domain.calendar import age, local_day, zone
from memory_pipeline.domain.memory import Status
from memory_pipeline.domain.recall import Answer
from memory_pipeline.inference.chat import ChatReply, ChatRequest, Usage
from memory_pipeline.inference.replies import AnswerReply
from memory_pipeline.inference.structured_output import UnfitReply
from memory_pipeline.retrieval.engine import Engine
from memory_pipeline.retrieval.hits import Hit
from memory_pipeline.retrieval.keywords import query_terms
from memory_pipeline.retrieval.passages import passage
from memory_pipeline.retrieval.query import LAYERS, Query, Reach
from memory_pipeline.storage.costs import entry

MOST = 25  # NM-32
# A change stays answerable although the old fact is out of retrieval (NM-34); what was forgotten or expired does not.
STATUSES = tuple(s for s in Status if s is not Status.ARCHIVED)
NOT_KNOWN = "I do not know that: nothing I remember answers it."
_ITEM_TOKENS = 200


async def ask(engine: Engine, question: str, user_id: str, tenant_id: str, reach: Reach) -> Answer:
    """See ``MemoryReader.aask``."""
    started = time.perf_counter()
    statuses = tuple(Status) if reach.get("detail") == "high" else STATUSES
    reach = {"layers": LAYERS, "statuses": statuses, **reach}
    query = engine.checked(question, user_id, tenant_id, reach, k=MOST)
    hits = passing(await asyncio.to_thread(engine.ranked, query), engine.policy.similarity.answer)
    if not hits:
        recall_id = engine.logged("ask", query, None, (), started)
        return Answer(NOT_KNOWN, (), False, {"recall_id": recall_id})
    reply = await _replied(engine, query, request(query, hits, engine.settings.timezone))
    recall_id = engine.logged("ask", query, None, hits, started, model=reply.model)
    return _answer(reply.value, hits, recall_id)


async def _replied(engine: Engine, query: Query, asked: ChatRequest[AnswerReply]) -> ChatReply[AnswerReply]:
    """The model's reply, within the day's budget; what it cost is in the ledger, also when it did not fit."""
    chat = engine.chat()
    try:
        async with engine.budget.reserved(engine.most_usd(asked)):
            try:
                reply = await chat.complete(asked)
            except UnfitReply as error:
                _account(engine, query, error.usage, chat.model)
                raise
            _account(engine, query, reply.usage, reply.model)
            return reply
    finally:
        await chat.aclose()


def passing(hits: Sequence[Hit], threshold: float) -> list[Hit]:
    """The hits that may answer: near enough in meaning (NM-32), or sharing as much of the question's rare words.

    Memories that no longer hold come after the others.
    """
    near = [h for h in hits if max(h.signals["similarity"].value, h.signals["keyword"].value) >= threshold]
    return sorted(near, key=lambda h: h.row.get("status", Status.ACTIVE) not in (Status.ACTIVE, Status.STALE))


def request(query: Query, hits: Sequence[Hit], timezone: str) -> ChatRequest[AnswerReply]:
    """The call of the task ``answer`` with the hits as the model's only knowledge."""
    return ChatRequest(
        task="answer",
        inputs=_inputs(query, hits, timezone),
        reply=AnswerReply,
        scope=query.scope,
        day=local_day(query.at, timezone),
        max_tokens=600,
    )


def _answer(reply: AnswerReply, hits: Sequence[Hit], recall_id: str) -> Answer:
    """The reply with its citations as message ids. A claim that cites nothing is no answer from memory."""
    by_alias = {f"i{n}": hit for n, hit in enumerate(hits, start=1)}
    cited = [by_alias[c] for c in dict.fromkeys(reply.citations) if c in by_alias]
    extra = {"recall_id": recall_id}
    if reply.known and cited:
        return Answer(reply.text, _messages(cited), True, extra)
    return Answer(reply.text if reply.text and not reply.known else NOT_KNOWN, (), False, extra)


def _account(engine: Engine, query: Query, usage: Usage, model: str) -> None:
    """Enter a call that cost something into the cost ledger."""
    if not usage.prompt_tokens:
        return
    made = entry(
        query.scope,
        local_day(query.at, engine.settings.timezone),
        "answer",
        model,
        "",
        engine.clock().astimezone(UTC),
        calls=usage.calls,
        prompt_tokens=usage.prompt_tokens,
        cached_tokens=usage.cached_tokens,
        completion_tokens=usage.completion_tokens,
        usd=usage.usd,
    )
    engine.lake.append("costs", [made])
    engine.budget.note([made])


def _inputs(query: Query, hits: Sequence[Hit], timezone: str) -> Mapping[str, Any]:
    terms = query_terms(query.text)
    return {
        "question": query.text,
        "now": _local(query.at, timezone),
        "items": [
            {
                "id": f"i{n}",
                "layer": hit.layer,
                "type": f"{hit.row['role']} message" if hit.layer == "episodic" else hit.type,
                "status": str(hit.row.get("status", Status.ACTIVE)),
                "content": passage(_said(hit), terms, _ITEM_TOKENS),
                "observed_at": _local(hit.observed_at, timezone),
                "age": age(hit.observed_at, query.at),
            }
            for n, hit in enumerate(hits, start=1)
        ],
    }


def _local(at: datetime, timezone: str) -> str:
    return at.astimezone(zone(timezone)).isoformat(timespec="seconds")


def _said(hit: Hit) -> str:
    content: str = hit.row["content"]
    if hit.layer != "episodic":
        return content
    speaker = hit.row["speaker"] or ("" if hit.row["role"] == "user" else hit.row["role"])
    return f"{speaker}: {content}" if speaker else content


def _messages(cited: Sequence[Hit]) -> tuple[str, ...]:
    """Ids of the messages behind the cited items; a memory that the user wrote by hand stands for itself."""
    return tuple(dict.fromkeys(i for hit in cited for i in hit.evidence or (hit.id,)))
