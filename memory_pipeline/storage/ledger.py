"""Reading the ledger of memory versions: one user's history, or who is touched by a span of days."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date

import pyarrow as pa

from memory_pipeline.domain.memory import MemoryVersion
from memory_pipeline.domain.scope import Scope
from memory_pipeline.storage.lake import Lake
from memory_pipeline.storage.rows import from_table

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


def scopes_table(scopes: Iterable[Scope]) -> pa.Table:
    """Scopes as a table to join with: the only way that user names enter a query."""
    ordered = sorted(set(scopes))
    return pa.table(
        {"tenant_id": [s.tenant_id for s in ordered], "user_id": [s.user_id for s in ordered]},
        schema=pa.schema([("tenant_id", pa.string()), ("user_id", pa.string())]),
    )


def versions_of(lake: Lake, scopes: Iterable[Scope]) -> list[MemoryVersion]:
    """Every row of the ledger that belongs to some users, withdrawals included."""
    table = lake.sql(
        "SELECT v.* FROM memory_versions v SEMI JOIN wanted USING (tenant_id, user_id) "
        "ORDER BY tenant_id, user_id, memory_id, version, recorded_at",
        tables={"wanted": scopes_table(scopes)},
    )
    return from_table(table, MemoryVersion)


def marks_of(lake: Lake, scopes: Iterable[Scope]) -> dict[Scope, tuple[int, int]]:
    """A mark of each user's part of the ledger, which differs once a row was added; users without rows are absent."""
    table = lake.sql(
        "SELECT tenant_id, user_id, count(*) AS n, bit_xor(hash(version_id, asserted, recorded_at)) AS mark "
        "FROM memory_versions SEMI JOIN wanted USING (tenant_id, user_id) GROUP BY ALL",
        tables={"wanted": scopes_table(scopes)},
    )
    columns = (table[c].to_pylist() for c in ("tenant_id", "user_id", "n", "mark"))
    return {Scope(t, u): (n, mark) for t, u, n, mark in zip(*columns, strict=True)}


def current_of(lake: Lake, memory_ids: Iterable[str]) -> list[MemoryVersion]:
    """Current versions of some memories; withdrawn ones are absent."""
    ids = pa.table({"memory_id": sorted(set(memory_ids))}, schema=pa.schema([("memory_id", pa.string())]))
    table = lake.sql(
        f"WITH memory_versions AS (SELECT * FROM memory_versions SEMI JOIN ids USING (memory_id)) {CURRENT}",
        tables={"ids": ids},
    )
    return from_table(table, MemoryVersion)


def due(lake: Lake, through: date) -> list[Scope]:
    """Users who have a memory that the lifecycle policy would change by the end of a day."""
    table = lake.sql(
        f"SELECT DISTINCT tenant_id, user_id FROM ({CURRENT}) WHERE review_on <= $through ORDER BY ALL",
        {"through": through},
    )
    return [Scope(t, u) for t, u in zip(*(table[c].to_pylist() for c in ("tenant_id", "user_id")), strict=True)]


def touched(lake: Lake, days: Iterable[date]) -> list[str]:
    """Ids of the memories that a span of partitions changed or withdrew."""
    table = lake.sql(
        "SELECT DISTINCT memory_id FROM memory_versions ORDER BY memory_id", days={"memory_versions": list(days)}
    )
    ids: list[str] = table["memory_id"].to_pylist()
    return ids
