"""Small inputs of every task, as the stages make them."""

from __future__ import annotations

from datetime import date
from typing import Any

from memory_pipeline.domain.scope import Scope
from memory_pipeline.inference.chat import ChatRequest
from memory_pipeline.inference.replies import TASKS, ExtractReply, SummaryReply


def message(alias: str = "m1", content: str = "I moved to Lisbon last week.", **changes: Any) -> dict[str, Any]:
    given = {"id": alias, "role": "user", "speaker": None, "content": content}
    return {**given, "created_at": "2026-03-10T09:15:00+01:00", **changes}


def memory(alias: str = "k1", content: str = "Likes tea.") -> dict[str, Any]:
    given = {"id": alias, "type": "preference", "content": content, "change": "add"}
    return {**given, "day": "2026-03-10", "importance": 0.7}


def inputs(text: str = "I moved to Lisbon last week.") -> dict[str, dict[str, Any]]:
    """Inputs by task, with ``text`` wherever a user's own words may stand."""
    messages, memories = [message(content=text, speaker=text)], [memory(content=text)]
    neighbour = {"memory": "k1", "type": "profile_fact", "status": "active", "content": text, "similarity": 0.83}
    candidate = {"candidate": "c1", "operation": "add", "type": "profile_fact", "content": text}
    loop = {"memory": "k7", "content": text, "due_at": None, "observed_at": "2026-03-01T08:00:00+01:00"}
    item = {"id": "i1", "layer": "semantic", "type": "profile_fact", "status": "active", "content": text}
    when = {"observed_at": "2026-03-09T08:00:00+01:00"}
    return {
        "extract": {
            "timezone": "Europe/Berlin",
            "windows": [
                {
                    "window": "w1",
                    "after": "",
                    "summary": text,
                    "context": messages,
                    "shown": [],
                    "messages": messages,
                }
            ],
        },
        "consolidate": {
            "timezone": "Europe/Berlin",
            "candidates": [{**candidate, **when, "neighbours": [{**neighbour, **when}]}],
            "open_loops": [loop],
        },
        "rolling_summary": {"messages": messages, "max_tokens": 400},
        "calendar": {
            "periods": [
                {
                    "period": "p1",
                    "grain": "day",
                    "label": "2026-03-10",
                    "max_tokens": 160,
                    "messages": [["m1", "m1"]],
                    "memories": [["k1", "k1"]],
                }
            ],
            "messages": messages,
            "memories": memories,
            "unspoken": [text],
        },
        "reflect": {
            "periods": [
                {"period": "p1", "label": "2026-W11", "memories": [["k1", "k1"]], "new": [["k1", "k1"]]},
            ],
            "memories": memories,
            "min_evidence": 3,
            "max_insights": 5,
        },
        "pattern": {"members": memories},
        "answer": {
            "question": text,
            "now": "2026-03-12T08:00:00+01:00",
            "items": [
                {
                    **item,
                    **when,
                    "age": "a day ago",
                    "asked": "",
                    "valid_from": None,
                    "valid_until": None,
                    "due_at": None,
                }
            ],
        },
    }


def request(task: str, **changes: Any) -> ChatRequest[Any]:
    """A request of a task with its small inputs."""
    reply = {t.name: t.reply for t in TASKS}[task]
    return ChatRequest(task, inputs()[task], reply, Scope("acme", "alice"), date(2026, 3, 10), **changes)


EXTRACT: ChatRequest[ExtractReply] = request("extract")
ROLLING: ChatRequest[SummaryReply] = request("rolling_summary")
