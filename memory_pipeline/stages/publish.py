"""Memory versions → ledger → index.

The appearance of a ledger file is the commit point; the index follows idempotently.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

from memory_pipeline.domain.memory import MemoryVersion
from memory_pipeline.stages.context import StageContext


def publish(ctx: StageContext, asserted: Sequence[MemoryVersion], withdrawn: Sequence[MemoryVersion]) -> None:
    """Append versions, and withdrawals of others, to the ledger.

    A version that was withdrawn before is asserted again by a later row, whatever the machine's clock says.
    """
    rows = [replace(v, asserted=False, run_id=ctx.run_id, recorded_at=_after(v, ctx.now)) for v in withdrawn]
    rows += _reasserted(ctx, asserted)
    ctx.lake.append("memory_versions", rows)


def _after(version: MemoryVersion, now: datetime) -> datetime:
    return max(now, version.recorded_at + timedelta(microseconds=1))


def _reasserted(ctx: StageContext, versions: Sequence[MemoryVersion]) -> list[MemoryVersion]:
    if not versions:
        return []
    import pyarrow as pa

    table = ctx.lake.sql(
        "SELECT version_id, max(recorded_at) AS last FROM memory_versions SEMI JOIN ids USING (version_id) "
        "GROUP BY version_id",
        days={"memory_versions": {v.day for v in versions}},
        tables={"ids": pa.table({"version_id": [v.version_id for v in versions]})},
    )
    last = {
        i: at.replace(tzinfo=UTC)
        for i, at in zip(table["version_id"].to_pylist(), table["last"].to_pylist(), strict=True)
    }
    return [
        replace(v, recorded_at=max(v.recorded_at, last[v.version_id] + timedelta(microseconds=1)), run_id=ctx.run_id)
        if v.version_id in last
        else v
        for v in versions
    ]


def index_memories(ctx: StageContext, memory_ids: Iterable[str]) -> int:
    """Bring the index rows of some memories up to the ledger. Returns how many rows were written or removed."""
    from memory_pipeline.storage.index import IndexedMemory
    from memory_pipeline.storage.ledger import current_of
    from memory_pipeline.storage.projection import indexed_memory
    from memory_pipeline.storage.rows import to_table

    wanted = set(memory_ids)
    if not wanted:
        return 0
    current = {v.memory_id: v for v in current_of(ctx.lake, wanted)}
    there = ctx.index.lookup("memories", wanted, ["memory_id", "version_id"])
    indexed = dict(zip(there["memory_id"].to_pylist(), there["version_id"].to_pylist(), strict=True))
    changed = [v for i, v in sorted(current.items()) if indexed.get(i) != v.version_id]
    gone = [i for i in indexed if i not in current]
    rows = [indexed_memory(v) for v in changed]
    if rows:
        vectors = ctx.encoder.encode([row.content for row in rows])
        ctx.index.upsert("memories", to_table(rows, IndexedMemory), vectors)
    ctx.index.delete("memories", gone)
    return len(rows) + len(gone)


def index_days(ctx: StageContext, days: Iterable[date]) -> int:
    """Bring the index up to everything that some ledger partitions changed."""
    from memory_pipeline.storage.ledger import touched

    return index_memories(ctx, touched(ctx.lake, days))
