"""What earlier reads and the feedback on them say of a user's items (KN-19 to KN-21, LS-33)."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Mapping
from datetime import datetime

from memory_pipeline.domain.scope import Scope
from memory_pipeline.storage.lake import Lake
from memory_pipeline.storage.rows import from_table
from memory_pipeline.storage.schemas import Usefulness

_QUERY = """
SELECT * FROM usefulness
WHERE tenant_id = $tenant AND user_id = $user AND day <= $day
QUALIFY row_number() OVER (PARTITION BY item_id ORDER BY day DESC) = 1
"""
_KEPT_SECONDS = 600  # it changes once a night
_KEPT_USERS = 512


def usefulness(lake: Lake, scope: Scope, until: datetime) -> dict[str, Usefulness]:
    """The newest row of each of a user's items up to a moment, by item id."""
    if not lake.days("usefulness"):
        return {}
    given = {"tenant": scope.tenant_id, "user": scope.user_id, "day": until.date()}
    return {row.item_id: row for row in from_table(lake.sql(_QUERY, given), Usefulness)}


class RecentUsefulness:
    """The newest usefulness of hot users, read again every ten minutes; safe for threads."""

    def __init__(self, lake: Lake) -> None:
        self._lake = lake
        self._lock = threading.Lock()
        self._kept: OrderedDict[Scope, tuple[float, Mapping[str, Usefulness]]] = OrderedDict()

    def of(self, scope: Scope, now: datetime) -> Mapping[str, Usefulness]:
        """Newest usefulness by item id."""
        with self._lock:
            kept = self._kept.get(scope)
        if kept is not None and time.monotonic() - kept[0] < _KEPT_SECONDS:
            return kept[1]
        found = usefulness(self._lake, scope, now)
        with self._lock:
            self._kept[scope] = (time.monotonic(), found)
            self._kept.move_to_end(scope)
            while len(self._kept) > _KEPT_USERS:
                self._kept.popitem(last=False)
        return found
