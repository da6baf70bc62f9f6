"""Finding the owner of a memory from its id: for an operator at the machine, who can read the lake anyway."""

from __future__ import annotations

from memory_pipeline.domain.scope import Scope
from memory_pipeline.errors import NotFound, QueryError


def owner_of(memory_id: str, user: str | None, tenant: str | None) -> Scope:
    """The scope that was named, or the one that holds the memory.

    Raises:
        NotFound: no such memory.
    """
    if user is not None:
        return Scope(tenant or "default", user)
    from memory_pipeline.settings import Settings
    from memory_pipeline.storage.parquet.lake import Lake

    rows = (
        Lake(Settings.load().path("lake"))
        .sql(
            "SELECT DISTINCT tenant_id, user_id FROM memory_versions WHERE memory_id = $id "
            "AND ($tenant IS NULL OR tenant_id = $tenant)",
            {"id": memory_id, "tenant": tenant},
        )
        .to_pylist()
    )
    if not rows:
        raise NotFound(
            f"no memory {memory_id}; list them with `memory-pipeline memories --user USER`", memory_id=memory_id
        )
    return Scope(rows[0]["tenant_id"], rows[0]["user_id"])


def owner_of_item(item_id: str, user: str | None, tenant: str | None) -> tuple[Scope, bool]:
    """The scope of a memory or a message, and whether it is a memory.

    Raises:
        NotFound: there is neither.
        QueryError: several users have a message of that id.
    """
    from memory_pipeline.settings import Settings
    from memory_pipeline.storage.parquet.lake import Lake

    mine = "($tenant IS NULL OR tenant_id = $tenant) AND ($user IS NULL OR user_id = $user)"
    rows = (
        Lake(Settings.load().path("lake"))
        .sql(
            f"SELECT DISTINCT tenant_id, user_id, true AS memory FROM memory_versions WHERE memory_id = $id AND {mine} "
            f"UNION SELECT DISTINCT tenant_id, user_id, false FROM messages WHERE message_id = $id AND {mine} "
            "ORDER BY memory DESC",
            {"id": item_id, "tenant": tenant, "user": user},
        )
        .to_pylist()
    )
    if not rows:
        raise NotFound(f"no memory and no message {item_id}; list them with `memory-pipeline memories --user USER`")
    if not rows[0]["memory"] and len(rows) > 1:
        raise QueryError(f"several users have a message {item_id}: say whose with --user and --tenant")
    return Scope(rows[0]["tenant_id"], rows[0]["user_id"]), rows[0]["memory"]
