"""Ids by their beginnings: as terminals show them, and as commands take them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

_MADE = re.compile(r"[a-z]{3,4}_[0-9a-f]{24}")  # as ``domain.ids.identifier`` makes them; ids of users are left whole
_BEGINNING = re.compile(r"[a-z]{3,4}_[0-9a-f]{4,23}")
_KIND = 4  # characters of the readable kind
_LEAST = 8  # hexadecimal digits: with fewer, ids of a large home soon share their beginnings


def is_whole(item_id: str) -> bool:
    """Whether it is an id of ours in full."""
    return _MADE.fullmatch(item_id) is not None


def shortened(cells: Sequence[Sequence[str]]) -> list[list[str]]:
    """Rows with each id of ours cut to the fewest digits that tell all ids of the rows apart."""
    ids = {cell for row in cells for cell in row if is_whole(cell)}
    length = shortest(ids)
    return [[cell[:length] if cell in ids else cell for cell in row] for row in cells]


def shortest(ids: Iterable[str]) -> int:
    """The length from which on the beginnings of some ids differ."""
    ordered = sorted(set(ids))
    length = _KIND + _LEAST
    for one, other in zip(ordered, ordered[1:], strict=False):
        while one[:length] == other[:length]:
            length += 1
    return length


def beginning(item_id: str) -> bool:
    """Whether it may stand for an id of ours that it is the beginning of."""
    return _BEGINNING.fullmatch(item_id) is not None
