"""Values as JSON has them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from datetime import date, datetime
from enum import Enum
from functools import cache
from pathlib import PurePath
from types import NoneType, UnionType
from typing import Any, ClassVar, TypeVar, Union, cast, get_args, get_origin, get_type_hints

T = TypeVar("T")


def plain(value: Any) -> Any:
    """A value as JSON has it: dataclasses as objects, times as ISO 8601."""
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: plain(getattr(value, f.name)) for f in fields(value)}
    if isinstance(value, Mapping):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, (datetime, date)):
        return value.isoformat()
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain(v) for v in value]
    return str(value) if isinstance(value, PurePath) else value


def parsed(cls: type[T], value: Any) -> T:
    """The dataclass that :func:`plain` made a value of. Keys that it has not are left out: a newer release wrote them.

    Raises:
        ValueError: a field is missing, or is not of its type.
    """
    try:
        return cast(T, _dataclass(cls, value))
    except (TypeError, KeyError, AttributeError) as error:
        raise ValueError(f"{cls.__name__} was expected: {error}") from error


def _dataclass(cls: Any, value: Mapping[str, Any]) -> Any:
    needed = {f.name for f in fields(cls) if f.default is MISSING and f.default_factory is MISSING}
    if missing := sorted(needed - value.keys()):
        raise ValueError(f"{cls.__name__} was expected, and {', '.join(missing)} is missing")
    hints = _hints(cls)
    return cls(**{f.name: _typed(hints[f.name], value[f.name]) for f in fields(cls) if f.name in value})


@cache
def _hints(cls: type) -> Mapping[str, Any]:
    return get_type_hints(cls)


def _typed(hint: Any, value: Any) -> Any:
    if hint is Any:
        return value
    origin, parts = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return None if value is None else _typed(next(part for part in parts if part is not NoneType), value)
    if is_dataclass(hint):
        return _dataclass(hint, value)
    if hint is datetime:
        return datetime.fromisoformat(value)
    if origin is tuple:
        return tuple(_typed(parts[0], item) for item in value)
    if origin is Mapping:
        return {key: _typed(parts[1], item) for key, item in value.items()}
    if hint is float:
        return float(value)
    if isinstance(hint, type) and not isinstance(value, hint):
        raise ValueError(f"{value!r} is no {hint.__name__}")
    return value


class Plain:
    """A result that can be written as JSON."""

    __slots__ = ()

    def to_dict(self) -> dict[str, Any]:
        """Its fields as ``json.dumps`` takes them: times as ISO 8601."""
        found: dict[str, Any] = plain(self)
        return found


class Record(Plain, dict[str, Any]):
    """A result whose fields can be read by name as well, as those of a dict can: ``row["content"]``, ``{**row}``.

    It is a dict, and so the caller's to add to and to change; the attributes stay. Read by name, what there are several
    of is a list. For dataclasses with ``eq=False``: equal is what has equal values.
    """

    __dataclass_fields__: ClassVar[dict[str, Any]]

    def __post_init__(self) -> None:
        for name in self.__dataclass_fields__:
            value = getattr(self, name)
            self[name] = list(value) if isinstance(value, tuple) else value
