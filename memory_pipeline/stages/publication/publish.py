"""Memory versions → ledger → index.

The appearance of a ledger file is the commit point; the index follows idempotently.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING

from memory_pipeline.domain.ledger.memory import Change, MemoryVersion
from memory_pipeline.errors import IndexMismatch
from memory_pipeline.inference.vector_cache import OwnedText
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.tracing import traced

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


@traced("persist", lambda rows: {"rows": rows})
def publish(ctx: StageContext, asserted: Sequence[MemoryVersion], withdrawn: Sequence[MemoryVersion]) -> int:
    """Append versions, and withdrawals of others, to the ledger. Returns how many rows that took."""
    rows = ledger_rows(ctx, asserted, withdrawn)
    ctx.lake.append("memory_versions", rows)
    return len(rows)


def ledger_rows(
    ctx: StageContext, asserted: Sequence[MemoryVersion], withdrawn: Sequence[MemoryVersion]
) -> list[MemoryVersion]:
    """The rows that assert some versions and withdraw others.

    A version that was withdrawn before is asserted again by a later row, whatever the machine's clock says.
    """
    rows = [replace(v, asserted=False, run_id=ctx.run_id, recorded_at=_after(v, ctx.now)) for v in withdrawn]
    return rows + _reasserted(ctx, asserted)


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


@traced("index", lambda written: {"rows": written, "table": "memories"})
def index_memories(ctx: StageContext, memory_ids: Iterable[str], last: Mapping[str, str | None] | None = None) -> int:
    """Bring the index rows of some memories up to the ledger. Returns how many rows were written or removed.

    The ledger is looked at again after writing: what another process has added to it meanwhile, and perhaps indexed
    already, is not left behind an older version.

    Args:
        last: by id the version from which on a memory's row may be behind: where it is that of this version, the ledger
            is not asked for a later one.
    """
    ids = set(memory_ids)
    try:
        return _index_all(ctx, set(ids), last or {})
    except IndexMismatch:
        if not ctx.index.switched:
            raise
    ctx.reopen_index()  # the home was switched to another encoder just now: what was decided belongs into its index
    return _index_all(ctx, ids, last or {})


def _index_all(ctx: StageContext, wanted: set[str], last: Mapping[str, str | None]) -> int:
    if last:
        there = indexed_versions(ctx, wanted)
        wanted = {i for i in wanted if there.get(i) is None or there[i] != last.get(i)}
    written = 0
    while wanted:
        before = ctx.lake.files("memory_versions")
        wanted = _index(ctx, wanted)
        written += len(wanted)
        if ctx.lake.files("memory_versions") == before:
            break
    return written


def _index(ctx: StageContext, wanted: set[str]) -> set[str]:
    """Write or remove the rows that differ from the ledger. Returns their ids."""
    from memory_pipeline.storage.parquet.arrow_rows import to_table
    from memory_pipeline.storage.queries.ledger import current_of
    from memory_pipeline.storage.vectors.index import IndexedMemory
    from memory_pipeline.storage.vectors.projection import indexed_memory

    current = {v.memory_id: v for v in current_of(ctx.lake, wanted) if v.change is not Change.PRUNE}
    indexed = indexed_versions(ctx, wanted)
    changed = [v for i, v in sorted(current.items()) if indexed.get(i) != v.version_id]
    gone = [i for i in indexed if i not in current]
    rows = [indexed_memory(v) for v in changed]
    if rows:
        ctx.index.upsert("memories", to_table(rows, IndexedMemory), _vectors(ctx, changed))
    ctx.index.delete("memories", gone)
    return {row.memory_id for row in rows} | set(gone)


def indexed_versions(ctx: StageContext, memory_ids: Iterable[str]) -> dict[str, str]:
    """Of which version the index holds a row, by memory id; memories without one are absent."""
    there = ctx.index.lookup("memories", memory_ids, ["memory_id", "version_id"])
    return dict(zip(there["memory_id"].to_pylist(), there["version_id"].to_pylist(), strict=True))


def _vectors(ctx: StageContext, rows: Sequence[MemoryVersion]) -> npt.NDArray[np.float32]:
    """Vectors of versions, in their order. A memory whose words are as they were keeps the one it has: what the user
    wants forgotten is gone at once, also when the encoder cannot be reached."""
    import numpy as np

    from memory_pipeline.storage.vectors.index import vectors_of

    there = ctx.index.lookup("memories", [r.memory_id for r in rows], ["memory_id", "content", "vector"])
    places = zip(there["memory_id"].to_pylist(), there["content"].to_pylist(), strict=True)
    known = dict(zip(places, vectors_of(there), strict=True))
    new = [row for row in rows if (row.memory_id, row.content) not in known]
    if new:
        fresh = ctx.vectors.encode([OwnedText(row.scope, row.day, row.content) for row in new])
        known.update(zip(((row.memory_id, row.content) for row in new), fresh, strict=True))
    return np.stack([known[row.memory_id, row.content] for row in rows])


def index_days(ctx: StageContext, days: Iterable[date]) -> int:
    """Bring the index up to everything that some ledger partitions changed."""
    from memory_pipeline.storage.queries.ledger import touched

    last = touched(ctx.lake, days)
    return index_memories(ctx, last, last)
