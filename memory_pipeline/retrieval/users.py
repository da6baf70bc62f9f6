"""Who is there: the users of a tenant, with how much is known of each."""

from __future__ import annotations

from typing import Any

from memory_pipeline.storage.parquet.lake import Lake

_USERS = """
WITH said AS (
    SELECT user_id, count(*) AS messages, count(DISTINCT session_id) AS sessions, min(created_at) AS first_message_at,
           max(created_at) AS last_message_at
    FROM messages WHERE tenant_id = $tenant GROUP BY user_id
),
held AS (
    SELECT user_id, count(DISTINCT memory_id) AS memories FROM memory_versions WHERE tenant_id = $tenant
    GROUP BY user_id
)
SELECT user_id, coalesce(messages, 0) AS messages, coalesce(sessions, 0) AS sessions, coalesce(memories, 0) AS memories,
       first_message_at, last_message_at
FROM said FULL JOIN held USING (user_id) WHERE $user IS NULL OR user_id = $user ORDER BY user_id
"""

_TENANTS = """
SELECT tenant_id FROM messages UNION SELECT tenant_id FROM memory_versions ORDER BY tenant_id
"""


def tenants(lake: Lake) -> list[str]:
    """The tenants of whose users the home holds a message or a memory, by name."""
    found: list[str] = lake.sql(_TENANTS)["tenant_id"].to_pylist()
    return found


def users(lake: Lake, tenant_id: str, user_id: str | None = None) -> list[dict[str, Any]]:
    """The users of a tenant of whom the home holds a message or a memory, by name.

    Args:
        user_id: only this one.

    Returns:
        For each ``user_id``, ``messages``, ``sessions``, ``memories`` (in any state), ``first_message_at`` and
        ``last_message_at`` (UTC; None of one who has said nothing).
    """
    found: list[dict[str, Any]] = lake.sql(_USERS, {"tenant": tenant_id, "user": user_id}).to_pylist()
    return found
