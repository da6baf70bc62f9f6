"""What an audit found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

SHOWN = 20


@dataclass(frozen=True, slots=True)
class Audit:
    """The result of one audit.

    Attributes:
        found: how many rows break the rule.
        examples: a few of them.
    """

    name: str
    ok: bool
    found: int
    detail: str
    examples: tuple[Mapping[str, Any], ...] = ()


def empty(name: str, rows: list[dict[str, Any]], rule: str) -> Audit:
    """An audit that passes where a query found no row which breaks its rule."""
    return Audit(name, not rows, len(rows), rule, tuple(rows[:SHOWN]))
