"""A user's conversations as they were held, and what came of each turn: its sentences, its proposals, its memories."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Any

from memory_pipeline.domain.calendar import day_range
from memory_pipeline.domain.gate import rejection
from memory_pipeline.domain.message import Message, Role
from memory_pipeline.domain.policy import Policy
from memory_pipeline.domain.proposal import Finding
from memory_pipeline.domain.reasons import meaning
from memory_pipeline.domain.scope import Scope
from memory_pipeline.domain.sensitive import withheld
from memory_pipeline.errors import NotFound
from memory_pipeline.retrieval.lists.turn_explanation import explained_session
from memory_pipeline.retrieval.store.sources import Sources
from memory_pipeline.retrieval.store.user_rows import MESSAGES, UserRows
from memory_pipeline.storage.parquet.lake import Lake

_OPENING = 160  # characters of a session's first turn that a list shows
_OWN = "tenant_id = $tenant AND user_id = $user"
_JUDGED = f"""
SELECT p.session_id, count(*) AS proposals, count(*) FILTER (v.outcome <> 'rejected') AS kept
FROM proposals p JOIN verdicts v USING (tenant_id, user_id, proposal_id)
WHERE {_OWN} AND p.session_id IN (SELECT unnest($sessions)) GROUP BY p.session_id
"""
_PROPOSED = f"""
SELECT p.proposal_id, p.operation, p.type, p.content, v.outcome, v.reason, v.memory_id,
       list_filter(v.findings, lambda f: NOT f.passed)[1] AS failed,
       list_transform(p.evidence, lambda e: e.message_id) AS message_ids
FROM proposals p JOIN verdicts v USING (tenant_id, user_id, proposal_id)
WHERE {_OWN} AND p.session_id = $session ORDER BY p.day, p.window_id, p.ordinal
"""


def sessions(
    lake: Lake, sources: Sources, scope: Scope, policy: Policy, *, offset: int = 0, limit: int = 50
) -> dict[str, Any]:
    """A user's sessions as the index has them, the latest first.

    Returns:
        ``items``, each with ``session_id``, ``messages``, ``started_at``, ``ended_at`` (UTC), ``opening`` (how the
        user began, masked and cut; None where the user said nothing), ``proposals`` and ``kept`` (numbers); ``total``.
    """
    rows = sources.rows(MESSAGES, scope)
    places = _in_order(rows)
    ends = {name: found[-1] for name, found in places.items()}
    latest = sorted(ends, key=lambda name: (-rows.seconds("created_at")[ends[name]], name))
    shown = [_session(rows, name, places[name], policy) for name in latest[offset : offset + limit]]
    owner = {"tenant": scope.tenant_id, "user": scope.user_id, "sessions": [item["session_id"] for item in shown]}
    days = _days_of(lake, [(item["started_at"], item["ended_at"]) for item in shown])
    judged = {row.pop("session_id"): row for row in lake.sql(_JUDGED, owner, days=days).to_pylist()} if shown else {}
    nothing = {"proposals": 0, "kept": 0}
    items = [item | judged.get(item["session_id"], nothing) for item in shown]
    return {"items": items, "total": len(latest), "offset": offset}


def _in_order(rows: UserRows) -> Mapping[str, list[int]]:
    """Where the turns of each session stand, in their order."""
    ordinals = rows.numbers("ordinal")
    return {
        name: sorted(places, key=lambda n: (ordinals[n], n)) for name, places in rows.places_by("session_id").items()
    }


def _session(rows: UserRows, name: str, places: Sequence[int], policy: Policy) -> dict[str, Any]:
    turns = [rows.row(n) for n in places]
    said = next((turn["content"] for turn in turns if turn["role"] == Role.USER), None)
    opening = None if said is None else " ".join(withheld(said, policy.gate).split())
    return {
        "session_id": name,
        "messages": len(turns),
        "started_at": turns[0]["created_at"],
        "ended_at": turns[-1]["created_at"],
        "opening": opening if opening is None or len(opening) <= _OPENING else opening[:_OPENING].rstrip() + "…",
    }


def _days_of(lake: Lake, spans: Iterable[tuple[datetime, datetime]]) -> dict[str, list[date]]:
    """The partitions that hold what was said in some spans, and what was proposed of it, in whatever zone."""
    inside = {
        day
        for first, last in spans
        for day in day_range(first.date() - timedelta(days=1), last.date() + timedelta(days=2))
    }
    return {name: [d for d in lake.days(name) if d in inside] for name in ("messages", "proposals", "verdicts")}


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
    rows = sources.rows(MESSAGES, scope)
    times = [rows.row(n)["created_at"] for n in rows.places_by("session_id").get(session_id, ())]
    days = _days_of(lake, [(min(times), max(times))]) if times else None
    turns = lake.read(
        "messages",
        Message,
        days=None if days is None else days["messages"],
        where=f"{_OWN} AND session_id = $session",
        params=owner,
        order="ordinal",
    )
    if not turns:
        sentence = f"no session {session_id!r} of this user"
        raise NotFound(sentence, session_id=session_id, tenant_id=scope.tenant_id, user_id=scope.user_id)
    explained = explained_session(sources, scope, session_id, policy.context)
    proposed = _by_message(lake.sql(_PROPOSED, owner, days=days).to_pylist(), policy)
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
