"""Values as JSON has them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import date, datetime
from enum import Enum
from pathlib import PurePath
from typing import Any


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


class Plain:
    """A result that can be written as JSON."""

    __slots__ = ()

    def to_dict(self) -> dict[str, Any]:
        """Its fields as ``json.dumps`` takes them: times as ISO 8601."""
        found: dict[str, Any] = plain(self)
        return found
