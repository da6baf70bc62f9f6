"""Why a turn is shown in prompts or is not: whose words each of its sentences is, and which memories tell it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from memory_pipeline.domain.ledger.memory import Status
from memory_pipeline.domain.policy import ContextPolicy
from memory_pipeline.domain.scope import Scope
from memory_pipeline.errors import NotFound
from memory_pipeline.retrieval.prompt.relevance import tells
from memory_pipeline.retrieval.prompt.turns import STATED, Sentence, sentences
from memory_pipeline.retrieval.store.sources import Sources
from memory_pipeline.retrieval.store.user_rows import MEMORIES, MESSAGES, UserRows

_TAKEN_BACK = "forgotten, or put right, by the user"
_LEFT_ALONE = "not to be brought up"
_HOLDING = frozenset({Status.ACTIVE, Status.STALE})


def explained(sources: Sources, scope: Scope, message_id: str, policy: ContextPolicy) -> list[dict[str, Any]]:
    """The turns with an id (ids are unique within a session), each with its sentences.

    Returns:
        For each turn ``message_id``, ``session_id``, ``role``, ``created_at``, ``content`` and ``sentences``: ``text``,
        ``standing``, ``why`` (a short code of the reason), ``memories`` that tell it (``memory_id``, ``content``,
        ``status``, ``superseded_by``), ``shown`` and ``reason`` in words.

    Raises:
        NotFound: the user has no such turn in the index.
    """
    messages = sources.rows(MESSAGES, scope)
    places = messages.places_by("message_id").get(message_id, [])
    if not places:
        raise NotFound(
            f"no turn {message_id!r} of this user in the index; `memory-pipeline search` lists ids",
            message_id=message_id,
            tenant_id=scope.tenant_id,
            user_id=scope.user_id,
        )
    return _of_places(sources, scope, places, policy)


def explained_session(
    sources: Sources, scope: Scope, session_id: str, policy: ContextPolicy
) -> dict[str, dict[str, Any]]:
    """The turns of a session as :func:`explained` gives them, by id; those that are not in the index are absent."""
    places = sources.rows(MESSAGES, scope).places_by("session_id").get(session_id, [])
    return {turn["message_id"]: turn for turn in _of_places(sources, scope, places, policy)}


def _of_places(sources: Sources, scope: Scope, places: Sequence[int], policy: ContextPolicy) -> list[dict[str, Any]]:
    messages, memories = sources.rows(MESSAGES, scope), sources.rows(MEMORIES, scope)
    marked = sources.topics(scope).marked(messages)
    gone = {*np.flatnonzero(marked.gone).tolist(), *messages.places_of(memories.taken_back)}
    closed = {*np.flatnonzero(marked.closed.any(axis=0)).tolist(), *messages.places_of(memories.constrained)}
    found = []
    for place in places:
        citing = [memories.row(n) for n in memories.citing.get(messages.row(place)["message_id"], ())]
        hidden = _TAKEN_BACK if place in gone else _LEFT_ALONE if place in closed else ""
        found.append(_explained(messages, place, citing, policy, hidden))
    return found


def _explained(
    messages: UserRows, place: int, citing: Sequence[Mapping[str, Any]], policy: ContextPolicy, hidden: str
) -> dict[str, Any]:
    row = messages.row(place)
    reasons = [span["why"] for span in row["spans"] or ()]
    listed = []
    for sentence, why in zip(sentences(row), reasons, strict=True):
        telling = [m for m in citing if tells(m, sentence, policy)]
        reason = _TAKEN_BACK if hidden == _TAKEN_BACK else _hidden(sentence, telling) or hidden
        listed.append(
            {
                "text": sentence.text,
                "standing": sentence.standing,
                "why": why,
                "memories": [_memory(m) for m in telling],
                "shown": not reason,
                "reason": reason or "its speaker states it",
            }
        )
    names = ("message_id", "session_id", "role", "created_at", "content")
    return {**{name: row[name] for name in names}, "sentences": listed}


def _memory(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: row[name] for name in ("memory_id", "content", "status", "superseded_by")}


def _hidden(sentence: Sentence, telling: Sequence[Mapping[str, Any]]) -> str:
    """Why a sentence is not quoted, in words; empty where it is."""
    if sentence.standing not in STATED:
        return f"not what its speaker states: {sentence.standing.replace('_', ' ')}"
    if any(m["surface"] == "avoid" for m in telling):
        return _LEFT_ALONE
    if over := [m for m in telling if m["status"] not in _HOLDING]:
        return f"retired: {over[0]['content']} ({over[0]['status']})"
    return "a memory tells it" if telling else ""
