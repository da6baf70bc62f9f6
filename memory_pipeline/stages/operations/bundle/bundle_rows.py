"""Rows of the lake as JSON and back, by the columns of their dataset's version."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, date, datetime
from enum import Enum
from typing import TYPE_CHECKING, Any

from memory_pipeline.errors import BundleError, SchemaTooNew

if TYPE_CHECKING:
    import pyarrow as pa


def line(row: Any) -> str:
    """A noun as one line of JSON; times in UTC to the microsecond."""
    return json.dumps(asdict(row), ensure_ascii=False, separators=(",", ":"), default=_spelt, allow_nan=False)


def _spelt(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat(timespec="microseconds")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Enum):
        return value.value
    raise TypeError(f"{type(value).__name__} cannot be written as JSON")


def nouns(dataset: str, rows: Sequence[Mapping[str, Any]], version: int) -> list[Any]:
    """Instances of a dataset's noun from rows of a version.

    Raises:
        BundleError: columns or values that the dataset does not have.
        SchemaTooNew: the version is a newer one.
    """
    from memory_pipeline.storage.parquet.arrow_rows import from_table
    from memory_pipeline.storage.parquet.migrations import upgraded
    from memory_pipeline.storage.parquet.schemas import DATASETS

    now = DATASETS[dataset]
    if version > now.version:
        raise SchemaTooNew(
            f"the bundle holds version {version} of {dataset}; this release knows versions up to {now.version}: "
            "install the release that wrote it, or a newer one",
            dataset=dataset,
            version=version,
            supported=now.version,
        )
    if not rows:
        return []
    import pyarrow as pa

    try:
        table = upgraded(dataset, _table(rows, now.schema), version)
        if set(table.column_names) != set(now.schema.names):
            raise ValueError(f"the columns differ in {set(table.column_names) ^ set(now.schema.names)}")
        table = table.select(now.schema.names).cast(now.schema)
        empty = [f.name for f in now.schema if not f.nullable and table[f.name].null_count]
        if empty:
            raise ValueError(f"there is nothing in {', '.join(empty)}")
        return from_table(table, now.noun)
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError, pa.ArrowException) as error:
        raise BundleError(f"rows of {dataset} are not of version {version}: {str(error)[:200]}") from error


def _table(rows: Sequence[Mapping[str, Any]], schema: pa.Schema) -> pa.Table:
    """Rows as a table: columns that the present version has are of its types."""
    import pyarrow as pa

    names = list(rows[0])
    if any(list(row) != names for row in rows):
        raise ValueError("the rows do not all have the same columns")
    columns = {}
    for name in names:
        of_type = schema.field(name).type if name in schema.names else None
        values = [_read(row[name], of_type) for row in rows]
        columns[name] = pa.array(values, of_type)
    return pa.table(columns)


def _read(value: Any, of_type: Any) -> Any:
    import pyarrow as pa

    if of_type is None or value is None:
        return value
    if pa.types.is_timestamp(of_type):
        return _time(value)
    if pa.types.is_date(of_type):
        return date.fromisoformat(value)
    if pa.types.is_list(of_type):
        return [_read(item, of_type.value_type) for item in value]
    if pa.types.is_struct(of_type):
        names = [of_type.field(n).name for n in range(of_type.num_fields)]
        if not isinstance(value, dict) or set(value) != set(names):
            raise ValueError(f"an object of {', '.join(names)} is wanted")
        return {n: _read(value[n], of_type.field(n).type) for n in names}
    if type(value) is int and pa.types.is_floating(of_type):
        return float(value)
    wanted = str if pa.types.is_string(of_type) else bool if pa.types.is_boolean(of_type) else None
    if wanted is not None and type(value) is not wanted:
        raise TypeError(f"{value!r:.40} is no {wanted.__name__}")
    return value


def _time(value: Any) -> datetime:
    at = datetime.fromisoformat(value)
    if at.tzinfo is None:
        raise ValueError(f"the time {value} has no zone")
    return at.astimezone(UTC)
