"""One row of an index table as a reader's hit holds it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import pyarrow as pa

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Row(Mapping[str, Any]):
    """A whole row, of which each column is read when it is first looked at; times are UTC.

    Args:
        columns: of the table, by name.
        place: of the row in them.
    """

    __slots__ = ("_columns", "_place", "_read")

    def __init__(self, columns: Mapping[str, pa.Array], place: int) -> None:
        self._columns = columns
        self._place = place
        self._read: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        try:
            return self._read[name]
        except KeyError:
            value = self._read[name] = _plain(self._columns[name][self._place])
            return value

    def __contains__(self, name: object) -> bool:
        return name in self._columns

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)


def _plain(value: pa.Scalar) -> Any:
    if isinstance(value, pa.TimestampScalar):
        return None if value.value is None else _EPOCH + timedelta(microseconds=value.value)
    return value.as_py()
