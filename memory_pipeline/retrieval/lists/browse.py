"""A user's memories as a person looks through them: by words, type, state and time, a page at a time.

It reads the rows that reads into prompts keep in memory, so that a list of any length answers while somebody types.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow.compute as pc

from memory_pipeline.domain.calendar import age
from memory_pipeline.domain.consolidation.plans.open_loops import due_note
from memory_pipeline.domain.ledger.memory import Status
from memory_pipeline.domain.proposal import MemoryType
from memory_pipeline.errors import QueryError
from memory_pipeline.retrieval.query import one_of
from memory_pipeline.retrieval.store.user_rows import UserRows

if TYPE_CHECKING:
    import numpy.typing as npt

    Mask = npt.NDArray[np.bool_]

FORGOTTEN, EVERY = "forgotten", "all"
STATES = (*Status, FORGOTTEN, EVERY)
"""What may be asked for: a status; what the user has had forgotten, which no status shows; everything."""
ORDERS = ("newest", "oldest", "important", "due", "words")
_SHOWN = (
    "memory_id",
    "type",
    "status",
    "content",
    "surface",
    "classification",
    "importance",
    "pinned",
    "reinforcements",
    "observed_at",
    "due_at",
    "superseded_by",
)


@dataclass(frozen=True, slots=True)
class MemoryFilter:
    """Which memories are asked for, and in which order.

    Attributes:
        text: words that the content holds, each of them, in any order and case.
        type: of memory; None = any.
        state: one of :data:`STATES`.
        since, until: when it was said, both included; None = any time.
        order: one of :data:`ORDERS`.
    """

    text: str = ""
    type: str | None = None
    state: str = Status.ACTIVE
    since: datetime | None = None
    until: datetime | None = None
    order: str = "newest"

    def checked(self) -> MemoryFilter:
        """The same.

        Raises:
            QueryError: there is no such type, state or order, or the time ends before it begins.
        """
        if self.type is not None:
            one_of("type", self.type, MemoryType)
        one_of("state", self.state, STATES)
        one_of("order", self.order, ORDERS)
        if self.since is not None and self.until is not None and self.until < self.since:
            raise QueryError("the time ends before it begins", argument="until")
        return self


def browse(rows: UserRows, wanted: MemoryFilter, at: datetime, *, offset: int = 0, limit: int = 50) -> dict[str, Any]:
    """A page of a user's memories.

    Args:
        rows: the user's memories as they are now.
        at: the moment that ages count from, UTC.

    Returns:
        ``items``, each with the columns of a list, ``age`` ("3 days ago"), ``due`` ("due 2026-05-01, in 3 days", or
        None) and ``forgotten``; ``total`` (number of all pages), ``offset``; ``types`` and ``states``: how many there
        would be of each, were that asked for beside the rest.

    Raises:
        QueryError: see :meth:`Wanted.checked`.
    """
    wanted.checked()
    gone = _gone(rows)
    said = _said(rows, wanted)
    of_type = np.ones(len(rows), dtype=bool) if wanted.type is None else rows.matching("type", (wanted.type,))
    in_state = _in_state(rows, wanted.state, gone)
    places = np.flatnonzero(said & of_type & in_state)
    ordered = _ordered(rows, places, wanted.order)
    return {
        "items": [_item(rows, place, at, bool(gone[place])) for place in ordered[offset : offset + limit].tolist()],
        "total": len(places),
        "offset": offset,
        "types": _counted(rows, "type", said & in_state),
        "states": _counted(rows, "status", said & of_type & ~gone)
        | {FORGOTTEN: int((said & of_type & gone).sum()), EVERY: int((said & of_type).sum())},
    }


def _gone(rows: UserRows) -> Mask:
    return rows.matching("memory_id", rows.forgotten) if rows.forgotten else np.zeros(len(rows), dtype=bool)


def _said(rows: UserRows, wanted: MemoryFilter) -> Mask:
    """What holds the words and was said within the time; nothing that was pruned has any words."""
    mask: Mask = ~rows.matching("change", ("prune",))
    lowered = pc.utf8_lower(rows.table.column("content")) if wanted.text.strip() else None
    for word in wanted.text.lower().split():
        mask &= pc.match_substring(lowered, word).to_numpy().astype(bool)
    times = rows.seconds("observed_at")
    if wanted.since is not None:
        mask &= times >= wanted.since.timestamp()
    if wanted.until is not None:
        mask &= times <= wanted.until.timestamp()
    return mask


def _in_state(rows: UserRows, state: str, gone: Mask) -> Mask:
    if state == EVERY:
        return np.ones(len(rows), dtype=bool)
    return gone if state == FORGOTTEN else rows.matching("status", (state,)) & ~gone


def _ordered(rows: UserRows, places: npt.NDArray[np.int64], order: str) -> npt.NDArray[np.int64]:
    """Places in their order; what is equal in it stands by time, the latest first."""
    times = rows.seconds("observed_at")[places]
    if order == "words":
        lowered = pc.utf8_lower(rows.table.column("content")).take(places)
        return np.asarray(places[pc.sort_indices(lowered).to_numpy()], dtype=np.int64)
    if order == "important":
        first = -rows.numbers("importance")[places]
    elif order == "due":
        due = rows.seconds("due_at")[places]
        first = np.where(np.isnan(due), np.inf, due)
    else:
        first = times if order == "oldest" else -times
    return np.asarray(places[np.lexsort((-times, first))], dtype=np.int64)


def _item(rows: UserRows, place: int, at: datetime, gone: bool) -> dict[str, Any]:
    row = rows.row(place)
    item = {name: row[name] for name in _SHOWN}
    due = None if row["due_at"] is None else due_note(row["due_at"], at, row["timezone"])
    return {**item, "age": age(row["observed_at"], at), "due": due, "forgotten": gone}


def _counted(rows: UserRows, column: str, mask: Mask) -> dict[str, int]:
    names, codes = rows.coded(column)
    counts = Counter(codes[mask].tolist())
    return {names[code]: count for code, count in counts.most_common() if code < len(names)}
