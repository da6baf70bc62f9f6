"""Replaying a user's history from a day on: what derived memories changed is applied again to the re-made ones.

What the user did by hand is done again by ``domain.ledger.curation``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from memory_pipeline.domain.ledger.curation import is_act
from memory_pipeline.domain.ledger.fading import still_faded
from memory_pipeline.domain.ledger.memory import RETIRED, Cause, Change, MemoryVersion, evolve_as

# Made anew by every replay; everything else is carried over or done again.
REMADE = frozenset({Cause.PROPOSAL, Cause.LIFECYCLE})

_CARRIED_FIELDS: Mapping[Change, tuple[str, ...]] = {
    Change.REINFORCE: ("reinforcements", "referenced_at"),
    Change.FADE: ("status",),
    Change.PRUNE: ("status",),
}
_ENDING_FIELDS = ("status", "superseded_by", "valid_until")


def carried(row: MemoryVersion) -> bool:
    """Whether a replay takes a row over: what the user did, what reflections and patterns made, what faded unread; not
    what follows."""
    return is_act(row) if row.cause is Cause.MANUAL else row.cause not in REMADE


def carry(row: MemoryVersion, current: MemoryVersion | None) -> MemoryVersion | None:
    """A version made by a reflection, by a pattern or by fading, on top of the re-made state.

    Returns None when its memory does not exist any more, has been retired otherwise or was pinned by the user (DL-27),
    or, of what had faded, has been confirmed since;
    the row itself when it fits as it is.
    """
    if row.version == 1:
        return row if current is None else None
    if current is None:
        return None
    if row.cause is Cause.FADING:
        if not still_faded(row, current):
            return None
    elif current.status in RETIRED or (current.pinned and row.status in RETIRED):
        return None
    if row.previous_version_id == current.version_id:
        return row
    changes: dict[str, Any] = {name: getattr(row, name) for name in _CARRIED_FIELDS.get(row.change, _ENDING_FIELDS)}
    return evolve_as(row, current, **changes)


def difference(
    old: Iterable[MemoryVersion], new: Iterable[MemoryVersion]
) -> tuple[list[MemoryVersion], list[MemoryVersion]]:
    """Versions to assert and versions to withdraw, so that the ledger holds ``new`` instead of ``old``."""
    had = {v.version_id: v for v in old}
    has = {v.version_id: v for v in new}
    return [v for i, v in has.items() if i not in had], [v for i, v in had.items() if i not in has]
