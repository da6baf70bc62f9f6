"""Domain dataclasses to Arrow tables and back: one definition of every noun, in ``domain``."""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable, Sequence
from dataclasses import MISSING, Field, fields, is_dataclass
from datetime import UTC, date, datetime
from enum import StrEnum
from operator import attrgetter
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

import pyarrow as pa

T = TypeVar("T")
TIMESTAMP = pa.timestamp("us", tz="UTC")
_SCALARS: dict[type, pa.DataType] = {
    str: pa.string(),
    bool: pa.bool_(),
    int: pa.int64(),
    float: pa.float64(),
    datetime: TIMESTAMP,
    date: pa.date32(),
}
_SCHEMAS: dict[type[Any], pa.Schema] = {}
_BUILDERS: dict[type[Any], Callable[[dict[str, Any]], Any]] = {}


def _unwrap(hint: Any) -> tuple[Any, bool]:
    if get_origin(hint) in (Union, types.UnionType):
        inner = [a for a in get_args(hint) if a is not type(None)]
        return inner[0], True
    return hint, False


def _arrow_type(hint: Any) -> pa.DataType:
    hint, _ = _unwrap(hint)
    if get_origin(hint) is tuple:
        return pa.list_(_arrow_type(get_args(hint)[0]))
    if isinstance(hint, type) and is_dataclass(hint):
        return pa.struct(list(arrow_schema(hint)))
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return pa.string()
    return _SCALARS[hint]


def arrow_schema(cls: type[Any]) -> pa.Schema:
    """Arrow schema of a dataclass, columns in the order of its fields."""
    if cls not in _SCHEMAS:
        _SCHEMAS[cls] = _schema(cls)
    return _SCHEMAS[cls]


def _schema(cls: type[Any]) -> pa.Schema:
    hints = get_type_hints(cls)
    return pa.schema([pa.field(f.name, _arrow_type(hints[f.name]), nullable=_may_lack(f, hints)) for f in fields(cls)])


def _may_lack(field: Field[Any], hints: dict[str, Any]) -> bool:
    """Whether rows may have nothing there: what is optional, and what came later and so has a default."""
    return _unwrap(hints[field.name])[1] or field.default is not MISSING


def _plain(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: _plain(getattr(value, f.name)) for f in fields(value)}
    if isinstance(value, tuple):
        return [_plain(v) for v in value]
    return value


def to_table(rows: Iterable[Any], cls: type[Any]) -> pa.Table:
    """Dataclass instances as a table of :func:`arrow_schema`."""
    rows = rows if isinstance(rows, Sequence) else list(rows)
    schema = arrow_schema(cls)
    columns = []
    for field in schema:
        get = attrgetter(field.name)
        values: Iterable[Any] = map(get, rows)
        if pa.types.is_nested(field.type):
            values = map(_plain, values)
        columns.append(pa.array(values, type=field.type, size=len(rows)))
    return pa.Table.from_arrays(columns, schema=schema)


def _reader(hint: Any) -> Callable[[Any], Any] | None:
    hint, _ = _unwrap(hint)
    if get_origin(hint) is tuple:
        inner = _reader(get_args(hint)[0])
        return (lambda v: tuple(map(inner, v))) if inner else tuple
    if isinstance(hint, type) and is_dataclass(hint):
        return _builder(hint)
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        members = {str(m): m for m in hint}
        return members.__getitem__
    if hint is datetime:
        # Arrow hands back its own UTC object; one spelling of UTC keeps derived ids stable.
        return lambda v: v.replace(tzinfo=UTC)
    return None


def _builder(cls: type[Any]) -> Callable[[dict[str, Any]], Any]:
    if cls not in _BUILDERS:
        _BUILDERS[cls] = _make_builder(cls)
    return _BUILDERS[cls]


def _make_builder(cls: type[Any]) -> Callable[[dict[str, Any]], Any]:
    hints = get_type_hints(cls)
    readers = {f.name: _reader(hints[f.name]) for f in fields(cls)}
    converted = [(name, read) for name, read in readers.items() if read is not None]
    later = [(f.name, f.default) for f in fields(cls) if f.default is not MISSING]
    names = list(readers)

    def build(row: dict[str, Any]) -> Any:
        given = {name: row.get(name) for name in names}
        for name, read in converted:
            if given[name] is not None:
                given[name] = read(given[name])
        for name, default in later:
            if given[name] is None:
                given[name] = default
        return cls(**given)

    return build


def from_table(table: pa.Table, cls: type[T]) -> list[T]:
    """Dataclass instances from a table that holds (at least) the columns of :func:`arrow_schema`."""
    build = _builder(cls)
    return [build(row) for row in table.select(arrow_schema(cls).names).to_pylist()]
