"""What an id, or the beginning of one, names, and whose it is: for an operator at the machine, who can read the lake
anyway.

Only ids that the pipeline has made may be cut short: `m-1` of a transcript never stands for its `m-17`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memory_pipeline.cli.short_ids import beginning, is_whole, shortest
from memory_pipeline.domain.scope import Scope
from memory_pipeline.errors import NotFound, QueryError

_MEMORIES = "SELECT DISTINCT tenant_id, user_id, memory_id AS id, true AS memory FROM memory_versions"
_MESSAGES = "SELECT DISTINCT tenant_id, user_id, message_id AS id, false AS memory FROM messages"
_RUNS = (
    "SELECT run_id AS id FROM memory_versions UNION SELECT run_id FROM made UNION SELECT run_id FROM costs "
    "UNION SELECT rollback_id FROM holds"
)
_SHOWN = 5
_LEAST = 4  # characters of a run's id


def memory_named(memory_id: str, user: str | None, tenant: str | None) -> tuple[Scope, str]:
    """The scope that was named, or the one that holds the memory; and the memory's whole id.

    Args:
        memory_id: the id, or its beginning.

    Raises:
        NotFound: no such memory.
        QueryError: several memories begin so, or several users have a memory of that id.
    """
    given = None if user is None else Scope(tenant or "default", user)
    if given is not None and (is_whole(memory_id) or not beginning(memory_id)):
        return given, memory_id
    found = _named([_MEMORIES], memory_id, user, tenant)
    if not found:
        if given is not None:
            return given, memory_id  # whoever looks for it there says best what is wrong
        raise NotFound(
            f"no memory {memory_id}; list them with `memory-pipeline memories --user USER`",
            memory_id=memory_id,
            tenant_id=tenant,
            user_id=user,
        )
    ((scope, whole, _),) = found
    return scope, whole


def item_named(item_id: str, user: str | None, tenant: str | None) -> tuple[Scope, str, bool]:
    """The scope of a memory or a message, its whole id, and whether it is a memory.

    Raises:
        NotFound: there is neither.
        QueryError: several begin so, or several users have a message of that id.
    """
    found = _named([_MEMORIES, _MESSAGES], item_id, user, tenant)
    if not found:
        sentence = f"no memory and no message {item_id}; list them with `memory-pipeline memories --user USER`"
        raise NotFound(sentence, item_id=item_id, tenant_id=tenant, user_id=user)
    return found[0]


def message_named(message_id: str, user: str, tenant: str) -> str:
    """The whole id of a user's message; what was given, where none begins so.

    Raises:
        QueryError: several of them begin so.
    """
    if not beginning(message_id):
        return message_id
    found = _named([_MESSAGES], message_id, user, tenant)
    return found[0][1] if found else message_id


def run_named(run_id: str) -> str:
    """The whole id of a run or a rollback; what was given, where none begins so.

    Raises:
        QueryError: several of them begin so.
    """
    if len(run_id) < _LEAST:
        return run_id
    rows = _rows(f"SELECT id FROM ({_RUNS}) WHERE starts_with(id, $id) ORDER BY id", {"id": run_id})
    ids = [str(row["id"]) for row in rows]
    if run_id in ids or not ids:
        return run_id
    if len(ids) > 1:
        raise _ambiguous("runs", run_id, ids)
    return ids[0]


def _named(sources: Sequence[str], item_id: str, user: str | None, tenant: str | None) -> list[tuple[Scope, str, bool]]:
    """The one that an id names, with its scope and whether it is a memory; none where there is none."""
    rows = _rows(
        f"SELECT * FROM ({' UNION '.join(sources)}) WHERE (id = $id OR ($short AND starts_with(id, $id))) "
        "AND ($tenant IS NULL OR tenant_id = $tenant) AND ($user IS NULL OR user_id = $user) "
        "ORDER BY memory DESC, id, tenant_id, user_id",
        {"id": item_id, "short": beginning(item_id), "tenant": tenant, "user": user},
    )
    rows = [row for row in rows if row["id"] == item_id] or [row for row in rows if is_whole(str(row["id"]))]
    kinds = {bool(row["memory"]) for row in rows}
    rows = [row for row in rows if row["memory"] == max(kinds)]
    what = "a memory" if True in kinds else "a message"
    ids = sorted({str(row["id"]) for row in rows})
    if len(ids) > 1:
        raise _ambiguous("memories" if True in kinds else "messages", item_id, ids)
    if len(rows) > 1:
        raise QueryError(f"several users have {what} {ids[0]}: say whose with --user and --tenant")
    return [(Scope(row["tenant_id"], row["user_id"]), str(row["id"]), bool(row["memory"])) for row in rows]


def _ambiguous(what: str, given: str, ids: Sequence[str]) -> QueryError:
    length = shortest(ids)
    shown = ", ".join(i[:length] for i in ids[:_SHOWN]) + (", …" if len(ids) > _SHOWN else "")
    return QueryError(f"several {what} begin with {given}: {shown}; give more of the id")


def _rows(query: str, params: dict[str, Any]) -> list[dict[str, Any]]:
    from memory_pipeline.settings import Settings
    from memory_pipeline.storage.parquet.lake import Lake

    found: list[dict[str, Any]] = Lake(Settings.load().path("lake")).sql(query, params).to_pylist()
    return found
