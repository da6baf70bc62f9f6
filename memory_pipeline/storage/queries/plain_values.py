"""Values of a SQL result as plain Python: what no Python date or JSON number can hold becomes text."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import time, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa


def plain_rows(table: pa.Table) -> list[dict[str, Any]]:
    """The rows of a table; of several columns of one name each is kept, with a number behind it."""
    names: list[str] = []
    for name in table.column_names:
        names.append(name if name not in names else f"{name}_{len(names) + 1}")
    columns = [list(_values(column)) for column in table.columns]
    return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]


def _values(column: pa.ChunkedArray) -> Iterator[Any]:
    for value in column:
        try:
            yield _plain(value.as_py())
        except (OverflowError, ValueError):  # "infinity", or a year that Python's dates do not know
            yield str(value.cast("string"))


def _plain(value: Any) -> Any:
    match value:
        case Decimal():
            return int(value) if value == value.to_integral_value() else str(value)
        case bytes():
            return value.hex()
        case time():
            return value.isoformat()
        case timedelta():
            return str(value)
        case dict():
            return {str(key): _plain(inner) for key, inner in value.items()}
        case list() | tuple():
            return [_plain(inner) for inner in value]
        case _:
            return value
