"""How values read on a page: labels, days, times, figures, marked words."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from importlib.resources import files
from typing import Any

LABELS: Mapping[str, Mapping[str, str]] = tomllib.loads(
    files("memory_pipeline.serving.panel").joinpath("labels.toml").read_text(encoding="utf-8")
)
_AROUND = 280  # characters of a message shown on each side of the words that are marked


def label(code: str, table: str) -> str:
    """What a person reads in the place of a code."""
    return LABELS[table].get(code, code.replace("_", " "))


def day(value: date | datetime | None) -> str:
    """ "10 April 2026"; times in UTC."""
    if value is None:
        return ""
    at = value.astimezone(UTC) if isinstance(value, datetime) else value
    return f"{at.day} {at:%B %Y}"


def moment(value: datetime | None) -> str:
    """ "10 Apr 2026, 14:05" in UTC."""
    if value is None:
        return ""
    at = value.astimezone(UTC)
    return f"{at.day} {at:%b %Y, %H:%M}"


def machine(value: date | datetime) -> str:
    """A day or a time as ``<time datetime>`` takes it."""
    return value.isoformat()


def number(value: float | int) -> str:
    """ "12,345"; three digits of what is no whole number."""
    return f"{value:,}" if isinstance(value, int) else f"{value:,.3g}"


def percent(value: float) -> str:
    """A share as "12 %", of less than a tenth "1.2 %"."""
    share = 100 * value
    return f"{share:.1f} %" if 0 < share < 10 else f"{share:.0f} %"


def marked(content: str, quotes: Sequence[str]) -> list[dict[str, Any]]:
    """A message in parts, each ``text`` and whether it is ``quoted``; a long one is cut around the quoted words."""
    folded = content.casefold()
    spans = sorted({(at, at + len(q)) for q in quotes if q.strip() and (at := folded.find(q.casefold())) >= 0})
    if not spans or len(folded) != len(content):
        cut = content if len(content) <= 2 * _AROUND else content[: 2 * _AROUND] + "…"
        return [{"text": cut, "quoted": False}]
    low, high = max(spans[0][0] - _AROUND, 0), min(max(end for _, end in spans) + _AROUND, len(content))
    parts, at = [{"text": "…", "quoted": False}] if low else [], low
    for start, end in spans:
        start = max(start, at)
        if end > start:
            parts += [{"text": content[at:start], "quoted": False}, {"text": content[start:end], "quoted": True}]
            at = end
    parts.append({"text": content[at:high] + ("…" if high < len(content) else ""), "quoted": False})
    return [part for part in parts if part["text"]]


FILTERS = {
    "label": label,
    "day": day,
    "moment": moment,
    "machine": machine,
    "number": number,
    "percent": percent,
    "marked": marked,
}
