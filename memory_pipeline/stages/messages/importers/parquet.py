"""Parquet with the columns of the landing format, read a batch of rows at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from memory_pipeline.errors import IngestError
from memory_pipeline.stages.messages.importers.csv import REQUIRED
from memory_pipeline.stages.messages.importers.files.source import Fault, Item, Record, SourceFile
from memory_pipeline.stages.messages.importers.files.strict_json import loads

_ROWS = 1_000


def read(source: SourceFile) -> Iterator[Item]:
    """The rows as records. ``created_at`` may be a timestamp or text, ``metadata`` JSON text, a struct or a map.

    Raises:
        IngestError: not Parquet, damaged, or without a required column.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    number = 0
    try:
        with pq.ParquetFile(source.path) as file:
            missing = [name for name in REQUIRED if name not in file.schema_arrow.names]
            if missing:
                raise IngestError(f"{source.path}: the columns {', '.join(missing)} are missing", path=str(source.path))
            for batch in file.iter_batches(batch_size=_ROWS):
                for row in _rows(_plain(batch)):
                    number += 1
                    yield _item(number, row)
    except (OSError, pa.ArrowException) as error:
        raise IngestError(f"{source.path}: not a readable Parquet file: {error}", path=str(source.path)) from error


def _plain(batch: Any) -> Any:
    """The batch with timestamps in microseconds: Python has none that are finer."""
    import pyarrow as pa

    for i, field in enumerate(batch.schema):
        if pa.types.is_timestamp(field.type) and field.type.unit == "ns":
            finer = pa.timestamp("us", tz=field.type.tz)
            batch = batch.set_column(i, pa.field(field.name, finer), batch.column(i).cast(finer, safe=False))
    return batch


def _rows(batch: Any) -> list[dict[str, Any] | str]:
    """The rows, or the reason in place of one that Python cannot hold (bytes that are no text, the year 30000)."""
    try:
        rows: list[dict[str, Any] | str] = batch.to_pylist(maps_as_pydicts="lossy")
    except (ValueError, OverflowError, KeyError) as error:
        if batch.num_rows == 1:
            return [f"the row cannot be read: {error}"]
        return [row for n in range(batch.num_rows) for row in _rows(batch.slice(n, 1))]
    return rows


def _item(number: int, row: dict[str, Any] | str) -> Item:
    if isinstance(row, str):
        return Fault(number, row, "")
    fields = {name: value for name, value in row.items() if value is not None}
    if isinstance(fields.get("metadata"), str):
        try:
            fields["metadata"] = loads(fields["metadata"].encode()) if fields["metadata"] else {}
        except ValueError as error:
            return Fault(number, f"metadata: {error}", str(row))
    return Record(number, fields)
