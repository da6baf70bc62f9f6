"""A table as arrays, each made when it is first asked for."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from memory_pipeline.retrieval.store.row import Row

if TYPE_CHECKING:
    import numpy.typing as npt

_ROWS_KEPT = 512
_MATCHES_KEPT = 64


class Columns:
    """The columns of a table; immutable once made, and shared between threads."""

    def __init__(self, table: pa.Table) -> None:
        self.table = table.combine_chunks()
        self._arrays = {column: _whole(self.table.column(column)) for column in self.table.column_names}
        self._columns: dict[str, npt.NDArray[Any]] = {}
        self._codes: dict[str, tuple[list[str], npt.NDArray[np.int64]]] = {}
        self._matching: dict[tuple[str, frozenset[str]], npt.NDArray[np.bool_]] = {}
        self._within: dict[tuple[str, str], npt.NDArray[np.bool_]] = {}
        self._rows: dict[int, Row] = {}  # whole rows of late: a hot user's queries come back to them

    def __len__(self) -> int:
        return int(self.table.num_rows)

    def values(self, column: str) -> npt.NDArray[Any]:
        """A column of texts or lists as an array of Python objects."""
        if column not in self._columns:
            found = np.empty(len(self), dtype=object)
            found[:] = self._arrays[column].to_pylist()
            self._columns[column] = found
        return self._columns[column]

    def numbers(self, column: str) -> npt.NDArray[np.float64]:
        """A column of numbers or truth values; None as nan."""
        if column not in self._columns:
            found = pc.cast(self._arrays[column], pa.float64()).to_numpy(zero_copy_only=False)
            self._columns[column] = np.asarray(found, dtype=np.float64)
        return self._columns[column]

    def seconds(self, column: str) -> npt.NDArray[np.float64]:
        """A column of times as seconds since 1970; None as nan."""
        if column not in self._columns:
            micros = pc.cast(pc.cast(self._arrays[column], pa.int64()), pa.float64(), safe=False)
            self._columns[column] = np.asarray(micros.to_numpy(zero_copy_only=False), dtype=np.float64) / 1e6
        return self._columns[column]

    def has(self, column: str) -> bool:
        """Whether the table's noun has that field."""
        return column in self._arrays

    def matching(self, column: str, wanted: Collection[str]) -> npt.NDArray[np.bool_]:
        """Which rows have one of some texts in a column, shape (rows,)."""
        key = (column, frozenset(wanted))
        found = self._matching.get(key)
        if found is None:
            names, codes = self.coded(column)
            if len(self._matching) > _MATCHES_KEPT:
                self._matching = {}
            found = self._matching[key] = np.array([*(name in wanted for name in names), False], dtype=bool)[codes]
            found.flags.writeable = False
        return found

    def within(self, column: str, wanted: str) -> npt.NDArray[np.bool_]:
        """Which rows have no other text than this in a column of lists; None is not known to be so. Shape (rows,)."""
        key = (column, wanted)
        found = self._within.get(key)
        if found is None:
            lists = self._arrays[column]
            parents = pc.list_parent_indices(lists).to_numpy(zero_copy_only=False)
            strange = pc.not_equal(pc.list_flatten(lists), wanted).to_numpy(zero_copy_only=False).astype(bool)
            found = lists.is_valid().to_numpy(zero_copy_only=False).astype(bool)
            found[parents[strange]] = False
            found.flags.writeable = False
            if len(self._within) > _MATCHES_KEPT:
                self._within = {}
            self._within[key] = found
        return found

    def coded(self, column: str) -> tuple[list[str], npt.NDArray[np.int64]]:
        """The distinct texts of a column, and for each row the place of its own there, behind the last for None."""
        if column not in self._codes:
            coded = pc.dictionary_encode(self._arrays[column])
            codes = pc.fill_null(coded.indices, len(coded.dictionary)).to_numpy()
            self._codes[column] = (coded.dictionary.to_pylist(), np.asarray(codes, dtype=np.int64))
        return self._codes[column]

    def places_by(self, column: str) -> Mapping[str, list[int]]:
        """Where the rows of each distinct text of a column stand; those with None are left out."""
        names, codes = self.coded(column)
        order = np.argsort(codes, kind="stable")
        starts = np.searchsorted(codes[order], np.arange(len(names) + 1)).tolist()
        return {name: order[starts[n] : starts[n + 1]].tolist() for n, name in enumerate(names)}

    def row(self, place: int) -> Row:
        """The whole row at a place."""
        found = self._rows.get(place)
        if found is None:
            if len(self._rows) > _ROWS_KEPT:
                self._rows = {}
            found = self._rows[place] = Row(self._arrays, place)
        return found


def _whole(column: pa.ChunkedArray) -> pa.Array:
    """A column as one array: a value of it is read in half the time."""
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
