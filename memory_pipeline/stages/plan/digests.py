"""Digests of what stages read, by day: worked out anew only for partitions whose files have changed.

So planning a night costs a look at the folders, not at the rows of a year.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from datetime import date
from typing import TYPE_CHECKING

from memory_pipeline.domain.ids import digest
from memory_pipeline.domain.ledger.memory import RETIRED
from memory_pipeline.stages.context import StageContext
from memory_pipeline.storage.parquet.partition_values import by_partition
from memory_pipeline.storage.queries.ledger import STANDING

if TYPE_CHECKING:
    import pyarrow as pa

REACHING_BACK = "reaching_back"
"""Relation that a query may name: ``memory_id``, ``back`` of what was forgotten, put right or silenced, and how."""

# As ``evidence.Diary`` takes a memory: hidden, told in other words than at the time, or neither, and above the default
# class; with what was taken back. What only comes to the same again (a boundary that is repeated) leaves the earlier
# days as they are.
_BACK = f"""
SELECT day, list([
    memory_id, lpad(version::VARCHAR, 9, '0'), version_id,
    CASE
        WHEN change = 'forget' OR list_contains(taken_back, memory_id) THEN 'hidden'
        WHEN (surface = 'avoid' OR type = 'boundary') AND NOT list_contains($retired, status) THEN 'hidden'
        WHEN surface = 'avoid' OR type = 'boundary' OR own_words OR len(taken_back) > 0 THEN 'told'
        ELSE ''
    END || CASE WHEN classification IN ('public', 'internal') THEN '' ELSE ' ' || classification END,
    content, to_json(list_sort(taken_back))::VARCHAR
] ORDER BY memory_id, version, version_id) AS found
FROM ({STANDING})
WHERE change IN ('forget', 'undo', 'classify') OR own_words OR len(taken_back) > 0 OR surface = 'avoid'
OR type = 'boundary' OR classification NOT IN ('public', 'internal')
GROUP BY day
"""


def of_rows(ctx: StageContext, name: str, query: str) -> Mapping[date, str]:
    """Digest of the items of each day.

    Args:
        query: gives ``day`` and ``item`` from one dataset, row by row, perhaps joined with :data:`REACHING_BACK`.
    """
    dataset = query.split(" FROM ")[1].split()[0]
    back = _reaching_back(ctx) if REACHING_BACK in query else {}

    def compute(days: Collection[date]) -> Mapping[date, str]:
        table = ctx.lake.sql(
            f"SELECT day, md5(string_agg(item, ',' ORDER BY item)) AS found FROM ({query}) GROUP BY day",
            days={dataset: days},
            tables={REACHING_BACK: _table({"memory_id": list(back), "back": list(back.values())})},
        )
        return dict(zip(table["day"].to_pylist(), table["found"].to_pylist(), strict=True))

    def moved(before: Mapping[str, str] | None) -> Iterable[date]:
        old = before or {}
        return _days_of(ctx, {i for i in old.keys() | back.keys() if old.get(i) != back.get(i)})

    return by_partition(ctx.lake, name, digest(query)[:16], dataset, compute, beside=back, moved=moved)


def of_windows(ctx: StageContext) -> Mapping[date, str]:
    """Digest of what the windows of each day are extracted from and look back on."""
    from memory_pipeline.stages.extraction import session_context

    figures = (ctx.policy.window.context_messages, ctx.policy.summary.rolling_user_turns, session_context.DAYS)
    return by_partition(
        ctx.lake,
        "windows",
        digest(session_context.DIGESTS, *map(str, figures))[:16],
        "messages",
        lambda days: session_context.digests(ctx, days),
        reach=session_context.DAYS,
    )


def _reaching_back(ctx: StageContext) -> dict[str, str]:
    """By memory how its days are to tell of it by now; those that are told as they came are absent."""

    def compute(days: Collection[date]) -> Mapping[date, list[list[str]]]:
        table = ctx.lake.sql(_BACK, {"retired": sorted(RETIRED)}, days={"memory_versions": days})
        return dict(zip(table["day"].to_pylist(), table["found"].to_pylist(), strict=True))

    last: dict[str, list[str]] = {}
    rows = by_partition(ctx.lake, REACHING_BACK, digest(_BACK)[:16], "memory_versions", compute).values()
    for memory_id, *of in sorted(row for part in rows for row in part):
        last[memory_id] = of
    return {i: ":".join(state) for i, (_, _, *state) in sorted(last.items()) if state[0]}


def _days_of(ctx: StageContext, memory_ids: Collection[str]) -> Iterable[date]:
    """Partitions that hold versions of some memories."""
    if not memory_ids:
        return ()
    table = ctx.lake.sql(
        "SELECT DISTINCT day FROM memory_versions SEMI JOIN wanted USING (memory_id)",
        tables={"wanted": _table({"memory_id": sorted(memory_ids)})},
    )
    days: list[date] = table["day"].to_pylist()
    return days


def _table(columns: Mapping[str, list[str]]) -> pa.Table:
    import pyarrow as pa

    from memory_pipeline.storage.parquet.arrow_rows import empty

    schema = pa.schema([(name, pa.string()) for name in columns])
    return pa.table(dict(columns), schema=schema) if any(columns.values()) else empty(schema)
