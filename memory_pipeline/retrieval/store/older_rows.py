"""Whether rows of an older version of the index may be read in place of a damaged one: only where that brings nothing
back that the user has taken back since. What rests on memories is held against these by every read."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from memory_pipeline.domain.scope import Scope
from memory_pipeline.retrieval.store.user_rows import MEMORIES
from memory_pipeline.storage.queries.ledger import last_taken_back, reclassified_since

if TYPE_CHECKING:
    import pyarrow as pa

    from memory_pipeline.storage.parquet.lake import Lake


def harmless(lake: Lake, name: str, scope: Scope, rows: pa.Table, written_at: datetime) -> bool:
    """Whether some rows show nothing that was forgotten, silenced, put otherwise or given a stricter class since.

    Args:
        rows: of the user, or those of others who share with it.
        written_at: when their version of the table was written, UTC.
    """
    if name != MEMORIES:
        return not reclassified_since(lake, scope, written_at)
    there = dict(zip(rows["memory_id"].to_pylist(), rows["version"].to_pylist(), strict=True))
    return all(there.get(memory_id, version) >= version for memory_id, version in last_taken_back(lake, scope).items())
