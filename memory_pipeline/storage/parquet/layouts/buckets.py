"""Files that hold the rows of a few users each: which user is in which, and how many there are to be."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from memory_pipeline.domain.ids import digest
from memory_pipeline.domain.scope import Scope

_ROWS = 1_000  # a user's rows are read with those of their bucket


def bucket_of(scope: Scope, buckets: int) -> int:
    """Where the rows of a user are, of so many buckets."""
    return int(digest(scope.tenant_id, scope.user_id)[:8], 16) % buckets


def enough(buckets: int, rows: int) -> int:
    """How many buckets hold so many rows well: as many as before, or twice, four times … as many."""
    while rows > 2 * buckets * _ROWS:
        buckets *= 2
    return buckets


def by_bucket(rows: pa.Table, buckets: int) -> dict[int, pa.Table]:
    """Rows with ``tenant_id`` and ``user_id`` by bucket, in their order; buckets without any are absent."""
    tenants, users = (rows[name].combine_chunks().dictionary_encode() for name in ("tenant_id", "user_id"))
    pairs = tenants.indices.to_numpy().astype(np.int64) * max(1, len(users.dictionary)) + users.indices.to_numpy()
    found, pair = np.unique(pairs, return_inverse=True)
    names = tenants.dictionary.to_pylist(), users.dictionary.to_pylist()
    owners = [Scope(names[0][n // len(names[1])], names[1][n % len(names[1])]) for n in found.tolist()]
    places = np.array([bucket_of(owner, buckets) for owner in owners], np.int64)[pair]
    order = np.argsort(places, kind="stable")
    ordered = rows.take(pa.array(order))
    there, starts = np.unique(places[order], return_index=True)
    ends = [*starts.tolist()[1:], rows.num_rows]
    return {
        place: ordered.slice(start, end - start)
        for place, start, end in zip(there.tolist(), starts.tolist(), ends[: len(there)], strict=True)
    }
