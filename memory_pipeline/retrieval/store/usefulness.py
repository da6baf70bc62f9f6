"""What earlier reads and the feedback on them say of a user's items (KN-19 to KN-21, LS-33)."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import date, datetime

from memory_pipeline.domain.scope import Scope
from memory_pipeline.storage.parquet.arrow_rows import from_table
from memory_pipeline.storage.parquet.lake import Lake
from memory_pipeline.storage.parquet.schemas import Usefulness

_QUERY = """
SELECT * FROM usefulness
WHERE tenant_id = $tenant AND user_id = $user AND day <= $day
QUALIFY row_number() OVER (PARTITION BY item_id ORDER BY day DESC) = 1
"""
_KEPT_SECONDS = 600  # it changes once a night
_KEPT_USERS = 512


def usefulness(
    lake: Lake, scope: Scope, until: datetime, days: Collection[date] | None = None
) -> dict[str, Usefulness]:
    """The newest row of each of a user's items up to a moment, by item id.

    Args:
        days: only rows of these; None = of all.
    """
    if not (lake.days("usefulness") if days is None else days):
        return {}
    given = {"tenant": scope.tenant_id, "user": scope.user_id, "day": until.date()}
    table = lake.sql(_QUERY, given, days=None if days is None else {"usefulness": days})
    return {row.item_id: row for row in from_table(table, Usefulness)}


@dataclass(frozen=True, slots=True)
class _CachedStates:
    read_at: float
    states: Mapping[date, str]  # of the days that were read; one for all users who were read of the same ones
    newest: Mapping[str, Usefulness]


class RecentUsefulness:
    """The newest usefulness of hot users, looked at again every ten minutes; safe for threads.

    Days that are still as they were are not read again.
    """

    def __init__(self, lake: Lake) -> None:
        self._lake = lake
        self._lock = threading.Lock()
        self._kept: OrderedDict[Scope, _CachedStates] = OrderedDict()
        self._states: Mapping[date, str] = {}

    def of(self, scope: Scope, now: datetime) -> Mapping[str, Usefulness]:
        """Newest usefulness by item id."""
        with self._lock:
            kept = self._kept.get(scope)
        if kept is not None and time.monotonic() - kept.read_at < _KEPT_SECONDS:
            return kept.newest
        found = self._read(scope, now, kept)
        with self._lock:
            self._kept[scope] = found
            self._kept.move_to_end(scope)
            while len(self._kept) > _KEPT_USERS:
                self._kept.popitem(last=False)
        return found.newest

    def _read(self, scope: Scope, now: datetime, kept: _CachedStates | None) -> _CachedStates:
        read_at, today = time.monotonic(), now.date()
        found = {day: state for day, state in self._lake.store.states("usefulness").items() if day <= today}
        with self._lock:
            states = self._states = self._states if self._states == found else found
        before: Mapping[date, str] = {} if kept is None else kept.states
        # A state is empty where it cannot tell.
        changed = {d for d in states.keys() | before.keys() if not states.get(d) or states[d] != before.get(d)}
        if kept is None or any(row.day in changed for row in kept.newest.values()):
            # What a row that may be gone stood in front of is not known.
            return _CachedStates(read_at, states, usefulness(self._lake, scope, now, states.keys()))
        newest = dict(kept.newest)
        for item_id, row in usefulness(self._lake, scope, now, changed & states.keys()).items():
            if item_id not in newest or newest[item_id].day < row.day:
                newest[item_id] = row
        return _CachedStates(read_at, states, newest)
