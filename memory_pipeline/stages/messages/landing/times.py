"""``created_at`` as it is given, to an instant."""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo
from typing import Any


def instant(value: Any, zone: tzinfo) -> datetime:
    """An ISO 8601 text (or a datetime) as UTC.

    A time without an offset is local time in ``zone``. Where clocks are set back and it comes twice, it is the first of
    the two; where they are set forward and it does not exist, it is read with the offset before the change (PEP 495).
    Both depend on the text alone, so importing it again gives the same instant.

    Raises:
        ValueError: with the reason.
    """
    if isinstance(value, str):
        try:
            at = datetime.fromisoformat(value)
        except ValueError as error:
            raise ValueError(f"created_at is not an ISO 8601 time: {value[:60]!r}") from error
    elif isinstance(value, datetime):
        at = value
    elif value is None:
        raise ValueError("created_at is missing")
    else:
        raise ValueError(f"created_at must be ISO 8601 text, not {str(value)[:60]}")
    if at.tzinfo is UTC:
        return at
    if at.tzinfo is None:
        at = at.replace(tzinfo=zone)
    try:
        return at.astimezone(UTC)
    except OverflowError as error:
        raise ValueError(f"created_at is out of range: {str(value)[:60]!r}") from error
