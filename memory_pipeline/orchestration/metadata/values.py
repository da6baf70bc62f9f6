"""Metadata that people want to look at: tables, a small plot, counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import dagster as dg

OF_RUN = "whole run: "
"""How metadata of a run over several partitions are named where they stand, at the last of them."""
OPEN = "made from, and left open"
"""Metadata of a partition that stays stale because a reply did not fit: digest of what it was to be made from."""
_BARS = "▁▂▃▄▅▆▇█"


def plot(values: Mapping[Any, int]) -> dg.MarkdownMetadataValue:
    """Counts by day as a line of bars, with the ends and the peak named."""
    if not values:
        return dg.MetadataValue.md("nothing")
    keys = sorted(values)
    top = max(max(values.values()), 1)
    line = "".join(_BARS[min(values[k] * len(_BARS) // (top + 1), len(_BARS) - 1)] for k in keys)
    peak = max(keys, key=lambda k: values[k])
    return dg.MetadataValue.md(f"`{line}`\n\n{keys[0]} … {keys[-1]}, at most {values[peak]} on {peak}")


def table(rows: Sequence[Mapping[str, Any]]) -> dg.MetadataValue[Any]:
    """Rows as a table; all rows have the same keys."""
    if not rows:
        return dg.MetadataValue.md("no rows")
    return dg.MetadataValue.table([dg.TableRecord({k: _plain(v) for k, v in row.items()}) for row in rows])


def chart(text: str) -> dg.MarkdownMetadataValue:
    """A chart of :mod:`orchestration.charts`, in letters of one width."""
    return dg.MetadataValue.md(f"```\n{text}\n```")


def _plain(value: Any) -> str | int | float | bool | None:
    return value if isinstance(value, (str, int, float, bool)) or value is None else str(value)
