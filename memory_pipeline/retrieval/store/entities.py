"""Who and what a user's memories are about, from the ledger (LS-10, LS-18)."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime
from typing import Any

from memory_pipeline.domain.entities import Entity, Kind, Roster, entities, statements
from memory_pipeline.domain.ledger.memory import MemoryVersion
from memory_pipeline.domain.scope import Scope
from memory_pipeline.retrieval.query import one_of
from memory_pipeline.retrieval.store.history import corrected, state_at
from memory_pipeline.storage.parquet.lake import Lake
from memory_pipeline.storage.queries.ledger import versions_of


def entities_of(
    lake: Lake, scope: Scope, *, kind: str | None = None, as_of: datetime | None = None
) -> list[dict[str, Any]]:
    """A user's entities by name.

    Returns:
        For each ``entity_id``, ``name``, ``kind``, ``relations`` (who it is to the user), ``aliases`` (each with
        ``name``, ``reason`` and the ``memory_id`` that it was first read in), ``memory_ids``, ``mentions`` (how often
        those were said), ``first_seen`` and ``last_seen``.

    Raises:
        QueryError: there is no such kind.
    """
    if kind is not None:
        one_of("kind", kind, Kind)
    rows = versions_of(lake, [scope])
    state = corrected(state_at(rows, as_of, None), rows)
    return [_listed(entity) for entity in roster(scope, state).entities if kind in (None, entity.kind)]


def roster(scope: Scope, state: Iterable[MemoryVersion]) -> Roster:
    """The entities of a user's memories, without those that the user has forgotten.

    Args:
        state: one version of each memory.
    """
    shown = [v for v in state if not v.forgotten]
    day = max((v.day for v in shown), default=date.min)
    return Roster(entities(scope, statements(shown), day))


def _listed(entity: Entity) -> dict[str, Any]:
    return {
        "entity_id": entity.entity_id,
        "name": entity.name,
        "kind": str(entity.kind),
        "relations": list(entity.relations),
        "aliases": [{"name": a.name, "reason": a.reason, "memory_id": a.memory_id} for a in entity.aliases],
        "memory_ids": list(entity.memory_ids),
        "mentions": entity.mentions,
        "first_seen": entity.first_seen,
        "last_seen": entity.last_seen,
    }
