"""Who is there: the users of a tenant, with how much is known of each."""

from __future__ import annotations

from typing import Any

import pyarrow.compute as pc

from memory_pipeline.retrieval.store.user_rows import UserRows
from memory_pipeline.storage.parquet.lake import Lake
from memory_pipeline.storage.vectors.index import Index

_USERS = """
WITH said AS (
    SELECT tenant_id, user_id, count(*) AS messages, count(DISTINCT session_id) AS sessions,
           min(created_at) AS first_message_at, max(created_at) AS last_message_at
    FROM messages WHERE $tenant IS NULL OR tenant_id = $tenant GROUP BY ALL
),
held AS (
    SELECT tenant_id, user_id, count(DISTINCT memory_id) AS memories FROM memory_versions
    WHERE $tenant IS NULL OR tenant_id = $tenant GROUP BY ALL
)
SELECT tenant_id, user_id, coalesce(messages, 0) AS messages, coalesce(sessions, 0) AS sessions,
       coalesce(memories, 0) AS memories, first_message_at, last_message_at
FROM said FULL JOIN held USING (tenant_id, user_id) WHERE $user IS NULL OR user_id = $user
ORDER BY tenant_id, user_id
"""


def users(lake: Lake, tenant_id: str, user_id: str | None = None) -> list[dict[str, Any]]:
    """The users of a tenant of whom the home holds a message or a memory, by name.

    Args:
        user_id: only this one.

    Returns:
        For each ``user_id``, ``messages``, ``sessions``, ``memories`` (in any state), ``first_message_at`` and
        ``last_message_at`` (UTC; None of one who has said nothing).
    """
    return [{k: v for k, v in row.items() if k != "tenant_id"} for row in _listed(lake, tenant_id, user_id)]


def everybody(lake: Lake, tenant_id: str | None = None) -> list[dict[str, Any]]:
    """As :func:`users`, of all tenants or of one, each with ``tenant_id``: for whoever runs the pipeline."""
    return _listed(lake, tenant_id, None)


def _listed(lake: Lake, tenant_id: str | None, user_id: str | None) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = lake.sql(_USERS, {"tenant": tenant_id, "user": user_id}).to_pylist()
    return found


def people(index: Index, tenant_id: str | None = None) -> list[dict[str, Any]]:
    """Who has turns or memories in the index, by tenant and name: much faster than :func:`users` in a large home.

    Args:
        tenant_id: only this one's.

    Returns:
        For each ``tenant_id`` and what :func:`users` gives, as the index holds it: the turns of users and assistants.
    """
    owner = ["tenant_id", "user_id"]
    turns = index.of_tenant("messages", tenant_id, [*owner, "session_id", "created_at"]).group_by(owner)
    said = turns.aggregate(
        [("session_id", "count"), ("session_id", "count_distinct"), ("created_at", "min"), ("created_at", "max")]
    ).rename_columns([*owner, "messages", "sessions", "first_message_at", "last_message_at"])
    held = index.of_tenant("memories", tenant_id, owner).group_by(owner).aggregate([([], "count_all")])
    joined = said.join(held.rename_columns([*owner, "memories"]), owner, join_type="full outer")
    return [_counted(row) for row in joined.sort_by([(name, "ascending") for name in owner]).to_pylist()]


def person(messages: UserRows, memories: UserRows) -> dict[str, Any] | None:
    """The same of one user, from the rows that reads keep in memory; None where there are none."""
    if not len(messages) and not len(memories):
        return None
    times = messages.table.column("created_at")
    return {
        "messages": len(messages),
        "sessions": len(messages.coded("session_id")[0]),
        "memories": len(memories),
        "first_message_at": pc.min(times).as_py(),
        "last_message_at": pc.max(times).as_py(),
    }


def _counted(row: dict[str, Any]) -> dict[str, Any]:
    return row | {name: row[name] or 0 for name in ("messages", "sessions", "memories")}
