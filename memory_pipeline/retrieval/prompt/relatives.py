"""The memories around one: what took its place, what it took the place of, its chain, its links and its sources."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from memory_pipeline.domain.ledger.memory import MemoryVersion
from memory_pipeline.domain.scope import Scope
from memory_pipeline.retrieval.store.links import LinkedMemory
from memory_pipeline.storage.parquet.lake import Lake

State = Mapping[str, MemoryVersion]
_FORGOTTEN = "(forgotten)"


def relatives(
    lake: Lake, scope: Scope, memory: MemoryVersion, state: State, links: Sequence[LinkedMemory] | None = None
) -> dict[str, Any]:
    """Memories of the same user that concern a memory, each in brief: id, type, status, content, when it was said.

    Returns:
        ``superseded_by``: what took its place, None where nothing did; ``supersedes``: whose place it took;
        ``lineage``: the chain of facts that it belongs to, oldest first, itself included; ``links``: each with
        ``relation``, ``direction`` (``out`` when it was linked from this memory), ``weight`` and ``reason`` (KN-29,
        DL-20).

    Args:
        state: the user's current memories, by id.
        links: of the memory, where they are known already.
    """
    successor = state.get(memory.superseded_by or "")
    chain = (v for v in state.values() if v.lineage_id == memory.lineage_id)
    before = (v for v in state.values() if v.superseded_by == memory.memory_id)
    return {
        "superseded_by": brief(successor) if successor else None,
        "supersedes": tuple(brief(v) for v in sorted(before, key=_order)),
        "lineage": tuple(brief(v) for v in sorted(chain, key=_order)),
        "links": tuple(_links(lake, scope, memory, state) if links is None else _known(links, state)),
    }


def sources(memory: MemoryVersion, state: State) -> list[dict[str, Any]]:
    """The memories that a reflection or a pattern rests on, in brief, each with its ``evidence`` (message, quote)."""
    return [
        brief(state[i]) | {"evidence": [{"message_id": e.message_id, "quote": e.quote} for e in state[i].evidence]}
        for i in memory.derived_from
        if i in state and not state[i].forgotten
    ]


def brief(memory: MemoryVersion) -> dict[str, Any]:
    """A memory in a line; what the user has had forgotten is not repeated beside other memories."""
    return {
        "memory_id": memory.memory_id,
        "type": str(memory.type),
        "status": str(memory.status),
        "content": _FORGOTTEN if memory.forgotten else memory.content,
        "observed_at": memory.observed_at,
    }


def _order(memory: MemoryVersion) -> tuple[Any, ...]:
    return memory.observed_at, memory.memory_id


def _known(links: Sequence[LinkedMemory], state: State) -> list[dict[str, Any]]:
    return [
        {"relation": li.relation, "weight": li.weight, "reason": li.reason, "direction": li.direction}
        | brief(state[li.memory_id])
        for li in links
        if li.memory_id in state and not state[li.memory_id].forgotten
    ]


def _links(lake: Lake, scope: Scope, memory: MemoryVersion, state: State) -> list[dict[str, Any]]:
    """Links of the memory as it is worded now; what an edit or a withdrawal has left behind is not shown."""
    rows = lake.sql(
        "SELECT source_id, target_id, relation, weight, reason, source_words, target_words FROM links "
        "WHERE tenant_id = $tenant AND user_id = $user AND $id IN (source_id, target_id) "
        "ORDER BY weight DESC, relation, source_id, target_id",
        {"tenant": scope.tenant_id, "user": scope.user_id, "id": memory.memory_id},
    ).to_pylist()
    found = []
    for row in rows:
        ends = state.get(row["source_id"]), state.get(row["target_id"])
        if not (_worded(ends[0], row["source_words"]) and _worded(ends[1], row["target_words"])):
            continue
        out = row["source_id"] == memory.memory_id
        other = state[row["target_id" if out else "source_id"]]
        told = {name: row[name] for name in ("relation", "weight", "reason")}
        found.append({**told, "direction": "out" if out else "in", **brief(other)})
    return found


def _worded(memory: MemoryVersion | None, words: str) -> bool:
    """Whether a memory is still there in the words that a link was made from."""
    return (
        memory is not None
        and not memory.forgotten
        and hashlib.sha256(memory.content.encode("utf-8", "surrogatepass")).hexdigest().startswith(words)
    )
