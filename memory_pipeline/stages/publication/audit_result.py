"""What an audit found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

SHOWN = 20


@dataclass(frozen=True, slots=True)
class Audit:
    """The result of one audit.

    Attributes:
        found: how many rows break the rule.
        detail: the rule, or the figure and its limit.
        examples: a few of them.
        accepted: it did not pass, and whoever started the run had said that it need not.
        whose: tenant and user of every row that was found; empty where no single row breaks the rule.
    """

    name: str
    ok: bool
    found: int
    detail: str
    examples: tuple[Mapping[str, Any], ...] = ()
    accepted: bool = False
    whose: tuple[tuple[str, str], ...] = ()


@dataclass
class Findings:
    """What an audit found so far, in one batch of users after another.

    Attributes:
        found: rows that break the rule.
        of: rows that it is about, where the rule is about a share.
        examples: the first that were found.
        whose: tenant and user of all of them.
    """

    found: int = 0
    of: int = 0
    examples: list[Mapping[str, Any]] = field(default_factory=list)
    whose: set[tuple[str, str]] = field(default_factory=set)

    def add(self, rows: Sequence[Mapping[str, Any]], of: int = 0) -> None:
        """Take in what was found in a batch."""
        self.found += len(rows)
        self.of += of
        self.whose |= {(row["tenant_id"], row["user_id"]) for row in rows if "user_id" in row}
        self.examples += rows[: SHOWN - len(self.examples)]


def empty(name: str, rows: list[dict[str, Any]], rule: str) -> Audit:
    """An audit that passes where a query found no row which breaks its rule."""
    return Audit(name, not rows, len(rows), rule, tuple(rows[:SHOWN]))
