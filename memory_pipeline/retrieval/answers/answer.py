"""An answer from memory alone, with citations, or an honest "not known" (NM-32, NM-34)."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from datetime import UTC
from typing import Any

from memory_pipeline.domain.calendar import local_day
from memory_pipeline.domain.ledger.memory import Status
from memory_pipeline.domain.reading.recall import Answer, RecalledItem
from memory_pipeline.domain.sensitive import withheld
from memory_pipeline.inference.chat import ChatReply, ChatRequest, Usage
from memory_pipeline.inference.hosted.structured_output import UnfitReply
from memory_pipeline.inference.replies import AnswerReply
from memory_pipeline.language.questions import read
from memory_pipeline.retrieval.answers.answer_check import supported
from memory_pipeline.retrieval.answers.answer_evidence import MOST, Evidence, evidence, local, shown
from memory_pipeline.retrieval.engine import Engine
from memory_pipeline.retrieval.query import Query, Reach
from memory_pipeline.storage.queries.costs import entry

# A change stays answerable although the old fact is out of retrieval (NM-34); what was forgotten or expired does not.
STATUSES = tuple(s for s in Status if s is not Status.ARCHIVED)
LAYERS = ("semantic", "episodic")
"""A summary retells what memories and turns state; nothing is known by it alone."""
NOT_KNOWN = "I do not know that: nothing I remember answers it."


async def ask(engine: Engine, question: str, user_id: str, tenant_id: str, reach: Reach) -> Answer:
    """See ``MemoryReader.aask``."""
    started = time.perf_counter()
    query = asked_for(engine, question, user_id, tenant_id, reach)
    found = await asyncio.to_thread(evidence, engine, query, read(query.text))
    hits = [item.hit for item in found]
    if not found:
        recall_id = engine.logged("ask", query, None, (), started)
        return Answer(NOT_KNOWN, (), False, {"recall_id": recall_id})
    asked = request(query, found, engine.settings.timezone, withheld(query.text, engine.policy.gate))
    reply = await _replied(engine, query, asked)
    recall_id = engine.logged("ask", query, None, hits, started, model=reply.model)
    return _answer(reply.value, found, asked.inputs, recall_id)


def asked_for(engine: Engine, question: str, user_id: str, tenant_id: str, reach: Reach) -> Query:
    """The read of a question: memories in all states but the archived, and turns, unless it says otherwise.

    Raises:
        QueryError: an argument cannot be answered.
    """
    statuses = tuple(Status) if reach.get("detail") == "high" else STATUSES
    return engine.checked(question, user_id, tenant_id, {"layers": LAYERS, "statuses": statuses, **reach}, k=MOST)


def considered(engine: Engine, question: str, user_id: str, tenant_id: str, reach: Reach) -> list[RecalledItem]:
    """See ``MemoryReader.evidence``."""
    query = asked_for(engine, question, user_id, tenant_id, reach)
    return [item.hit.item(query.at, "", explain=False) for item in evidence(engine, query, read(query.text))]


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


def request(
    query: Query, found: Sequence[Evidence], timezone: str, question: str | None = None
) -> ChatRequest[AnswerReply]:
    """The call of the task ``answer`` with the items as the model's only knowledge.

    Args:
        question: as the model may see it; by default the query's own text.
    """
    return ChatRequest(
        task="answer",
        inputs={
            "question": query.text if question is None else question,
            "now": local(query.at, timezone),
            "items": [shown(item, n, query, timezone) for n, item in enumerate(found, start=1)],
        },
        reply=AnswerReply,
        scope=query.scope,
        day=local_day(query.at, timezone),
        max_tokens=600,
    )


def _answer(reply: AnswerReply, found: Sequence[Evidence], inputs: Mapping[str, Any], recall_id: str) -> Answer:
    """The reply with its citations as message ids.

    A claim that cites nothing, or holds names or numbers that what it cites does not, is no answer from memory.
    """
    places = {item["id"]: n for n, item in enumerate(inputs["items"])}
    cited = [places[c] for c in dict.fromkeys(reply.citations) if c in places]
    extra = {"recall_id": recall_id}
    if not reply.known:
        return Answer(reply.text or NOT_KNOWN, (), False, extra)
    if not cited or not supported(reply.text, [inputs["items"][n] for n in cited], inputs["question"], inputs["now"]):
        return Answer(NOT_KNOWN, (), False, extra)
    return Answer(reply.text, _messages([found[n] for n in cited]), True, extra)


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


def _messages(cited: Sequence[Evidence]) -> tuple[str, ...]:
    """Ids of the messages behind the cited items; a memory that the user wrote by hand stands for itself."""
    return tuple(dict.fromkeys(i for item in cited for i in item.hit.evidence or (item.hit.id,)))
