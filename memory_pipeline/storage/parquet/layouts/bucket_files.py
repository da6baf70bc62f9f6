"""Rows of a dataset once more, in a file for each bucket of users, and a note that names the files.

New files come first, then the note that names them; those that it no longer names go the next time. Whoever reads
meanwhile, or after a crash, finds files that are whole. Only one process may write at a time.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any, TypeVar

import pyarrow as pa

from memory_pipeline.domain.scope import Scope
from memory_pipeline.storage.parquet.files import NOTES
from memory_pipeline.storage.parquet.lake import Lake
from memory_pipeline.storage.parquet.layouts.buckets import bucket_of, by_bucket, enough


@dataclass(frozen=True, slots=True, kw_only=True)
class Bucketed:
    """What the note says.

    Attributes:
        states: of the partitions that the files hold (``Files.states``).
        buckets: how many there are.
        parts: path and rows of each bucket that has any.
    """

    states: Mapping[date, str] = field(default_factory=dict)
    buckets: int = 1
    parts: Mapping[int, tuple[str, int]] = field(default_factory=dict)

    def bucket(self, scope: Scope) -> int:
        """Where a user's rows are."""
        return bucket_of(scope, self.buckets)

    @staticmethod
    def fields_of(note: Mapping[str, Any]) -> dict[str, Any]:
        """The attributes as :meth:`to_note` has written them."""
        return {
            "states": {date.fromisoformat(day): state for day, state in note["states"].items()},
            "buckets": note["buckets"],
            "parts": {int(place): (path, rows) for place, (path, rows) in note["parts"].items()},
        }

    def to_note(self) -> dict[str, Any]:
        """The attributes as JSON has them."""
        return {
            "states": {day.isoformat(): state for day, state in sorted(self.states.items())},
            "buckets": self.buckets,
            "parts": {str(place): part for place, part in sorted(self.parts.items())},
        }


_Held = TypeVar("_Held", bound=Bucketed)


@dataclass(frozen=True, slots=True)
class BucketFiles:
    """The files of a dataset's buckets.

    Args:
        name: of the note and of the folder, among the lake's own.
        form: raised when what is kept of the dataset changes.
    """

    lake: Lake
    dataset: str
    name: str
    form: int

    @property
    def _note(self) -> str:
        return f"{self.name.replace('/', '.')}.json"

    @property
    def _folder(self) -> str:
        return f"{NOTES}/{self.name}"

    def read(self, make: Callable[[Mapping[str, Any]], _Held]) -> _Held | None:
        """What is made of the note; None where there is none that can be used."""
        try:
            note = json.loads(self.lake.store.note(self._note))
            return make(note) if note["form"] == self.form else None
        except (ValueError, KeyError, TypeError, AttributeError):
            return None

    def write(self, held: Bucketed) -> None:
        """Write the note, unless an erasure came between: what was read before it may hold what is no more."""
        if not self.lake.fence.crossed:
            note = {"form": self.form, **held.to_note()}
            self.lake.store.write_note(self._note, json.dumps(note, separators=(",", ":")).encode())

    def paths(self, held: Bucketed, places: Collection[int] | None = None) -> list[str]:
        """The files of some buckets; None = of all."""
        chosen = held.parts.keys() if places is None else held.parts.keys() & set(places)
        return [self.lake.store.beside(held.parts[place][0]) for place in sorted(chosen)]

    def sweep(self, held: Bucketed, kept: timedelta) -> None:
        """Remove files that the note does not name.

        Args:
            kept: how long whoever has read the note of before may take to read the files that it names.
        """
        noted = self.lake.store.noted_at(self._note)
        if noted is None or abs(time.time() - noted) >= kept.total_seconds():
            self.lake.store.keep_only(self._folder, {path for path, _ in held.parts.values()})

    def remade(
        self, held: Bucketed, touched: Collection[Scope], select: Callable[[list[str]], pa.Table]
    ) -> tuple[int, dict[int, tuple[str, int]]]:
        """How many buckets there are, and their parts, after the rows of some users have changed.

        Args:
            select: of the files of buckets that are written again, the rows that they are to hold.
        """
        buckets = enough(held.buckets, sum(rows for _, rows in held.parts.values()))
        again = held.parts.keys() if buckets != held.buckets else {held.bucket(scope) for scope in touched}
        rows = select(self.paths(held, again))
        if not held.parts:
            buckets = enough(buckets, rows.num_rows)
        parts = {place: part for place, part in held.parts.items() if place not in again}
        for place, table in by_bucket(rows, buckets).items():
            if place not in parts:  # of the users of the others nothing has changed
                parts[place] = self._put(place, table)
        return buckets, parts

    def _put(self, place: int, table: pa.Table) -> tuple[str, int]:
        data = self.lake.encoded(self.dataset, table)
        path = f"{self._folder}/{place:05}-{hashlib.sha256(data).hexdigest()[:24]}.parquet"
        self.lake.store.put(path, data)
        return path, table.num_rows
