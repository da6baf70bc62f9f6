"""Changes to rows that are made from the whole of a user's memories and lie in several partitions.

A late message, an edit or a withdrawal reaches back into partitions of other days. Only partitions that change are
written again, each by one rename, and other users' rows in them stay as they are.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import date
from typing import Any

from memory_pipeline.stages.context import StageContext


class RowChanges:
    """Rows to add to a dataset and rows to remove from it, gathered over users.

    Args:
        key: column that identifies a row.
    """

    def __init__(self, ctx: StageContext, dataset: str, key: str) -> None:
        self._ctx = ctx
        self._dataset = dataset
        self._key = key
        self._added: dict[date, list[Any]] = defaultdict(list)
        self._removed: dict[date, set[str]] = defaultdict(set)

    def change(self, stored: Iterable[Any], made: Iterable[Any]) -> None:
        """Some of the stored rows are to be what was made instead; equal rows stay untouched."""
        old = {(row.day, getattr(row, self._key)): row for row in stored}
        new = {(row.day, getattr(row, self._key)): row for row in made}
        for (day, identity), row in old.items():
            if new.get((day, identity)) != row:
                self._removed[day].add(identity)
        for place, row in new.items():
            if old.get(place) != row:
                self._added[row.day].append(row)

    def write(self) -> list[date]:
        """Write the partitions that change. Returns them, in order."""
        days = sorted(self._added.keys() | self._removed.keys())
        for day in days:
            self._write(day, self._added[day], self._removed[day])
        self._added.clear()
        self._removed.clear()
        return days

    def _write(self, day: date, added: Sequence[Any], removed: set[str]) -> None:
        import pyarrow as pa

        from memory_pipeline.storage.parquet.arrow_rows import to_table
        from memory_pipeline.storage.parquet.schemas import DATASETS

        dataset = DATASETS[self._dataset]
        gone = pa.table({self._key: sorted(removed)}, schema=pa.schema([(self._key, pa.string())]))
        rest = self._ctx.lake.sql(
            f"SELECT d.* FROM {self._dataset} d ANTI JOIN gone USING ({self._key})",
            days={self._dataset: [day]},
            tables={"gone": gone},
        )
        kept = rest.select(dataset.schema.names).cast(dataset.schema)
        table = pa.concat_tables([kept, to_table(added, dataset.noun).cast(dataset.schema)])
        self._ctx.lake.replace(self._dataset, day, table)
