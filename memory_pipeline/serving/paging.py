"""Pages of a list: a cursor is the place after the last item, so that what is added or goes meanwhile moves nothing."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from memory_pipeline.errors import QueryError

Row = TypeVar("Row", bound=Mapping[str, Any])
_TEXT = "utf-8"


def page(
    items: Sequence[Row],
    place: Callable[[Row], Sequence[str]],
    limit: int,
    cursor: str | None,
) -> dict[str, Any]:
    """One page of a list.

    Args:
        place: what the list is ordered by; texts, different for any two items.

    Returns:
        ``items`` and ``next_cursor``, which is None on the last page.

    Raises:
        QueryError: the cursor is none of this list's.
    """
    after = [] if cursor is None else _read(cursor)
    ordered = sorted(items, key=lambda item: list(place(item)))
    rest = [item for item in ordered if cursor is None or list(place(item)) > after]
    shown = rest[:limit]
    return {"items": shown, "next_cursor": _written(place(shown[-1])) if len(rest) > limit else None}


def _written(place: Sequence[str]) -> str:
    return base64.urlsafe_b64encode(json.dumps(list(place)).encode(_TEXT)).decode().rstrip("=")


def _read(cursor: str) -> list[str]:
    try:
        found = json.loads(base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True))
    except ValueError as error:
        raise QueryError("the cursor is none that this list has given", argument="cursor") from error
    if not isinstance(found, list) or not all(isinstance(part, str) for part in found):
        raise QueryError("the cursor is none that this list has given", argument="cursor")
    return found
