"""Messages of an application as rows of the landing format."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date, datetime
from typing import Any

Given = str | Mapping[str, Any]


def landing_rows(
    messages: Given | Iterable[Given], user_id: str, session_id: str, tenant_id: str | None, now: datetime
) -> list[dict[str, Any]]:
    """The rows of some messages; what a message states of itself wins.

    Args:
        messages: what the user has said, or chat messages (``role``, ``content``) and rows of the landing format.
        now: the time of those that name none.
    """
    listed = [messages] if isinstance(messages, str | Mapping) else messages
    about = {"user_id": user_id, "session_id": session_id, "created_at": now.isoformat()}
    if tenant_id is not None:
        about["tenant_id"] = tenant_id
    return [{**about, **_message(given)} for given in listed]


def _message(given: Given) -> dict[str, Any]:
    if isinstance(given, str):
        return {"role": "user", "content": given}
    return {name: iso(value) for name, value in given.items() if value is not None}


def iso(value: Any) -> Any:
    """A day or a time as ISO 8601; any other value as it is."""
    return value.isoformat() if isinstance(value, date | datetime) else value
