"""A user's conversations as they were held, and what came of each turn: its sentences, its proposals, its memories."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from memory_pipeline.domain.gate import rejection
from memory_pipeline.domain.message import Message
from memory_pipeline.domain.policy import Policy
from memory_pipeline.domain.proposal import Finding
from memory_pipeline.domain.reasons import meaning
from memory_pipeline.domain.scope import Scope
from memory_pipeline.domain.sensitive import withheld
from memory_pipeline.errors import NotFound
from memory_pipeline.retrieval.lists.turn_explanation import explained_session
from memory_pipeline.retrieval.store.sources import Sources
from memory_pipeline.storage.parquet.lake import Lake

_OPENING = 160  # characters of a session's first turn that a list shows
_OWN = "tenant_id = $tenant AND user_id = $user"
_SESSIONS = f"""
WITH said AS (SELECT * FROM messages WHERE {_OWN}),
held AS (
    SELECT session_id, count(*) AS messages, min(created_at) AS started_at, max(created_at) AS ended_at,
           arg_min(content, ordinal) FILTER (role = 'user') AS opening, count(*) OVER () AS total
    FROM said GROUP BY session_id
),
judged AS (
    SELECT p.session_id, count(*) AS proposals, count(*) FILTER (v.outcome <> 'rejected') AS kept
    FROM proposals p JOIN verdicts v USING (tenant_id, user_id, proposal_id)
    WHERE {_OWN} GROUP BY p.session_id
)
SELECT session_id, messages, started_at, ended_at, opening, coalesce(proposals, 0) AS proposals,
       coalesce(kept, 0) AS kept, total
FROM held LEFT JOIN judged USING (session_id) ORDER BY ended_at DESC, session_id LIMIT $limit OFFSET $offset
"""
_PROPOSED = f"""
SELECT p.proposal_id, p.operation, p.type, p.content, v.outcome, v.reason, v.memory_id,
       list_filter(v.findings, lambda f: NOT f.passed)[1] AS failed,
       list_transform(p.evidence, lambda e: e.message_id) AS message_ids
FROM proposals p JOIN verdicts v USING (tenant_id, user_id, proposal_id)
WHERE {_OWN} AND p.session_id = $session ORDER BY p.day, p.window_id, p.ordinal
"""


def sessions(lake: Lake, scope: Scope, policy: Policy, *, offset: int = 0, limit: int = 50) -> dict[str, Any]:
    """A user's sessions, the latest first.

    Returns:
        ``items``, each with ``session_id``, ``messages``, ``started_at``, ``ended_at`` (UTC), ``opening`` (how the
        user began, masked and cut; None where the user said nothing), ``proposals`` and ``kept`` (numbers); ``total``.
    """
    given = {"tenant": scope.tenant_id, "user": scope.user_id, "limit": limit, "offset": offset}
    items: list[dict[str, Any]] = lake.sql(_SESSIONS, given).to_pylist()
    total = items[0]["total"] if items else 0
    for item in items:
        del item["total"]
        if item["opening"] is not None:
            opening = " ".join(withheld(item["opening"], policy.gate).split())
            item["opening"] = opening if len(opening) <= _OPENING else opening[:_OPENING].rstrip() + "…"
    return {"items": items, "total": total, "offset": offset}


def conversation(lake: Lake, sources: Sources, scope: Scope, session_id: str, policy: Policy) -> list[dict[str, Any]]:
    """The turns of a session in order, whatever part they have in memory. Contents are masked as stores hold them.

    Returns:
        For each turn ``message_id``, ``role``, ``speaker``, ``created_at``, ``content``, ``sentences`` (as
        ``turn_explanation.explained`` gives them; empty where the turn is not in the index), and ``proposals``: each
        with ``operation``, ``type``, ``content``, ``outcome``, ``reason``, ``why`` (in words) and ``memory_id``.

    Raises:
        NotFound: the user has no such session.
    """
    owner = {"tenant": scope.tenant_id, "user": scope.user_id, "session": session_id}
    turns = lake.read("messages", Message, where=f"{_OWN} AND session_id = $session", params=owner, order="ordinal")
    if not turns:
        raise NotFound(f"no session {session_id!r} of this user")
    explained = explained_session(sources, scope, session_id, policy.context)
    proposed = _by_message(lake.sql(_PROPOSED, owner).to_pylist(), policy)
    return [
        {
            "message_id": turn.message_id,
            "role": str(turn.role),
            "speaker": turn.speaker,
            "created_at": turn.created_at,
            "content": withheld(turn.content, policy.gate),
            "sentences": [
                sentence | {"text": withheld(sentence["text"], policy.gate)}
                for sentence in explained.get(turn.message_id, {}).get("sentences", [])
            ],
            "proposals": proposed.get(turn.message_id, []),
        }
        for turn in turns
    ]


def _by_message(rows: Sequence[dict[str, Any]], policy: Policy) -> Mapping[str, list[dict[str, Any]]]:
    """Proposals under each message that they cite."""
    found: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        failed, cited = row.pop("failed"), row.pop("message_ids")
        row["content"] = withheld(row["content"], policy.gate)
        row["why"] = rejection(Finding(**failed)) if failed else meaning(row["reason"])
        for message_id in dict.fromkeys(cited or ()):
            found[message_id].append(row)
    return found
