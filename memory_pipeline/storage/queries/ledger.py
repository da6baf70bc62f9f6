"""Reading the ledger of memory versions: one user's history, or who is touched by a span of days."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime

import pyarrow as pa

from memory_pipeline.domain.ledger.memory import RETIRED, MemoryVersion
from memory_pipeline.domain.scope import Scope
from memory_pipeline.storage.parquet.arrow_rows import from_table
from memory_pipeline.storage.parquet.lake import Lake
from memory_pipeline.storage.parquet.lake import scopes_table as scopes_table
from memory_pipeline.storage.parquet.layouts.checkpoint import LEDGER, files_of, load, tail

LedgerFiles = tuple[str, Sequence[str]]

_TAKING_BACK = ("forget", "suppress", "edit", "classify", "undo")

# The versions that hold: of each version_id its last row, unless that row withdraws it.
STANDING = """
SELECT * FROM memory_versions
QUALIFY row_number() OVER (PARTITION BY version_id ORDER BY recorded_at DESC, asserted ASC) = 1 AND asserted
"""
# What is remembered now: of each memory its highest standing version.
CURRENT = f"""
SELECT * FROM ({STANDING})
QUALIFY row_number() OVER (PARTITION BY memory_id ORDER BY version DESC, recorded_at DESC, version_id DESC) = 1
"""

# The rows of the memories in ``ids``. Files are sorted by user: what is not of their users is passed over undecoded, a
# fifth of the CPU time in a large store (measured).
ABOUT = """
SELECT * FROM memory_versions
SEMI JOIN (SELECT DISTINCT tenant_id, user_id FROM memory_versions SEMI JOIN ids USING (memory_id)) owners
USING (tenant_id, user_id)
SEMI JOIN ids USING (memory_id)
"""

# Users' rows without memories that had ended before a day, that the user has not touched, and that nothing later names:
# nothing that happens from that day on concerns them.
_LIVING = """
WITH own AS (SELECT v.* FROM memory_versions v SEMI JOIN wanted USING (tenant_id, user_id)),
late AS (SELECT * FROM own WHERE day >= $since),
by_hand AS (SELECT DISTINCT tenant_id, user_id FROM late WHERE cause = 'manual'),
mentioned AS (
    SELECT memory_id FROM named UNION ALL SELECT unnest(derived_from) FROM late UNION ALL SELECT superseded_by FROM late
    UNION ALL SELECT memory_id FROM own WHERE $derived AND type = 'reflection'
    UNION ALL SELECT unnest(derived_from) FROM own WHERE $derived AND type = 'reflection'
),
ended AS (
    SELECT tenant_id, user_id, memory_id FROM own ANTI JOIN by_hand USING (tenant_id, user_id)
    GROUP BY ALL
    HAVING max(day) < $since AND bool_and(asserted AND cause <> 'manual')
        AND list_contains($retired, arg_max(status, version))
)
SELECT own.* FROM own ANTI JOIN (SELECT * FROM ended ANTI JOIN mentioned USING (memory_id)) gone
USING (tenant_id, user_id, memory_id)
ORDER BY tenant_id, user_id, memory_id, version, recorded_at
"""


def ledger_files(lake: Lake, scopes: Iterable[Scope] | None, since: date | None = None) -> Mapping[str, LedgerFiles]:
    """What a query reads as ``memory_versions`` to know some users' present state (``files`` of :meth:`Lake.sql`).

    Rows between a memory's first and last may be missing where no later one says anything new of it; see
    ``storage.parquet.checkpoint``.

    Args:
        scopes: users; None = all.
        since: day from which on no row may be missing.
    """
    return {LEDGER: (LEDGER, files_of(lake, scopes, since))}


def versions_of(lake: Lake, scopes: Iterable[Scope], since: date | None = None) -> list[MemoryVersion]:
    """Rows of the ledger that belong to some users, withdrawals included.

    Args:
        since: day from which on every row is needed, and before it the state only; None = every row there is.
    """
    wanted = set(scopes)
    table = lake.sql(
        "SELECT v.* FROM memory_versions v SEMI JOIN wanted USING (tenant_id, user_id) "
        "ORDER BY tenant_id, user_id, memory_id, version, recorded_at",
        tables={"wanted": scopes_table(wanted)},
        files=None if since is None else ledger_files(lake, wanted, since),
    )
    return from_table(table, MemoryVersion)


def living_of(
    lake: Lake, scopes: Iterable[Scope], since: date, named: Iterable[str] = (), *, derived: bool = False
) -> list[MemoryVersion]:
    """What :func:`versions_of` gives since a day, without memories that had ended before it.

    Args:
        named: ids of memories that are wanted all the same.
        derived: also every reflection, and what they rest on.
    """
    wanted = set(scopes)
    table = lake.sql(
        _LIVING,
        {"since": since, "retired": sorted(map(str, RETIRED)), "derived": derived},
        tables={"wanted": scopes_table(wanted), "named": _ids(named)},
        files=ledger_files(lake, wanted, since),
    )
    return from_table(table, MemoryVersion)


def marks_of(lake: Lake, scopes: Iterable[Scope]) -> dict[Scope, tuple[int, int]]:
    """A mark of each user's part of the ledger, which differs once a row was added; users without rows are absent."""
    wanted = set(scopes)
    table = lake.sql(
        "SELECT tenant_id, user_id, count(*) AS n, bit_xor(hash(version_id, asserted, recorded_at)) AS mark "
        "FROM memory_versions SEMI JOIN wanted USING (tenant_id, user_id) GROUP BY ALL",
        tables={"wanted": scopes_table(wanted)},
        files=ledger_files(lake, wanted),
    )
    columns = (table[c].to_pylist() for c in ("tenant_id", "user_id", "n", "mark"))
    return {Scope(t, u): (n, mark) for t, u, n, mark in zip(*columns, strict=True)}


def current_of(lake: Lake, memory_ids: Iterable[str]) -> list[MemoryVersion]:
    """Current versions of some memories; withdrawn ones are absent."""
    ids = _ids(memory_ids)
    if not ids.num_rows:
        return []
    query = f"WITH memory_versions AS ({ABOUT}) {CURRENT}"
    return from_table(lake.sql(query, tables={"ids": ids}, files=_files_about(lake, ids)), MemoryVersion)


def _files_about(lake: Lake, ids: pa.Table) -> Mapping[str, LedgerFiles] | None:
    """The files to look for some memories in: those of the users of whom late rows name them all; None = every file."""
    held = load(lake)
    if held is None:
        return None
    table = lake.sql(
        "SELECT DISTINCT tenant_id, user_id, memory_id FROM memory_versions SEMI JOIN ids USING (memory_id)",
        tables={"ids": ids},
        files={LEDGER: (LEDGER, tail(lake, held))},
    )
    if len(set(table["memory_id"].to_pylist())) < ids.num_rows:
        return None
    owners = zip(table["tenant_id"].to_pylist(), table["user_id"].to_pylist(), strict=True)
    return ledger_files(lake, {Scope(t, u) for t, u in owners})


def _ids(memory_ids: Iterable[str]) -> pa.Table:
    return pa.table({"memory_id": sorted(set(memory_ids))}, schema=pa.schema([("memory_id", pa.string())]))


def touched(lake: Lake, days: Iterable[date]) -> dict[str, str | None]:
    """The memories that a span of partitions changed or withdrew, by id.

    With each the id of the version that holds as far as these partitions tell, None where they withdraw it: a later
    one is in a later partition.
    """
    table = lake.sql(
        "SELECT memory_id, version_id FROM (SELECT DISTINCT memory_id FROM memory_versions) "
        f"LEFT JOIN ({CURRENT}) USING (memory_id) ORDER BY memory_id",
        days={"memory_versions": list(days)},
    )
    return dict(zip(table["memory_id"].to_pylist(), table["version_id"].to_pylist(), strict=True))


def last_taken_back(lake: Lake, scope: Scope) -> dict[str, int]:
    """Of the memories that a user, or another one of the tenant who shares, has had forgotten, silenced, put otherwise
    or given another class: the last version by which, by memory id."""
    found = lake.sql(
        "SELECT memory_id, max(version) AS version FROM memory_versions "
        "WHERE tenant_id = $tenant AND (user_id = $user OR shared) AND list_contains($changes, change) "
        "GROUP BY memory_id",
        {"tenant": scope.tenant_id, "user": scope.user_id, "changes": list(_TAKING_BACK)},
    )
    return dict(zip(found["memory_id"].to_pylist(), found["version"].to_pylist(), strict=True))


def reclassified_since(lake: Lake, scope: Scope, since: datetime) -> bool:
    """Whether memories or messages of a user have been given a class by hand since a time."""
    of_user = "tenant_id = $tenant AND user_id = $user AND recorded_at >= $since"
    found = lake.sql(
        f"SELECT 1 FROM memory_versions WHERE change = 'classify' AND {of_user} "
        f"UNION ALL SELECT 1 FROM message_classes WHERE {of_user}",
        {"tenant": scope.tenant_id, "user": scope.user_id, "since": since},
    )
    return bool(found.num_rows)
