"""Not the same thing three turns in a row: what the last prompt blocks of a session have already offered (DL-35).

The turns of a session may be answered by any process, so what was offered is also read from the recall spools, where
each read leaves a line. A home on object storage has none: there each process knows its own reads only.
"""

from __future__ import annotations

import threading
from collections import OrderedDict, deque
from collections.abc import Collection
from typing import TYPE_CHECKING

from memory_pipeline.domain.scope import Scope

if TYPE_CHECKING:
    from memory_pipeline.storage.logs.spool_tail import SpoolTail

_TURNS = 2
_SESSIONS = 4096
_Turns = deque[tuple[str, frozenset[str]]]


def _tail(spools: str) -> SpoolTail:
    from memory_pipeline.storage.logs.recall_log import OFFERED
    from memory_pipeline.storage.logs.spool_tail import SpoolTail

    return SpoolTail(spools, OFFERED)


class Restraint:
    """The ids that the last two blocks of each session offered to be mentioned; bounded; safe for threads.

    Args:
        spools: folder of the recall log; None = only what is noted here.
    """

    def __init__(self, spools: str | None = None) -> None:
        self._lock = threading.Lock()
        self._offered: OrderedDict[tuple[Scope, str], _Turns] = OrderedDict()
        self._tail = None if spools is None else _tail(spools)

    def worn(self, scope: Scope, session_id: str | None) -> frozenset[str]:
        """What both of the last two blocks of the session offered."""
        if session_id is None:
            return frozenset()
        with self._lock:
            self._catch_up()
            turns = self._offered.get((scope, session_id))
            return frozenset.intersection(*(ids for _, ids in turns)) if turns and len(turns) == _TURNS else frozenset()

    def note(self, scope: Scope, session_id: str | None, ids: Collection[str], recall_id: str) -> None:
        """Remember what a block offered; blocks without a session leave no trace."""
        if session_id is not None:
            with self._lock:
                self._add((scope, session_id), recall_id, ids)

    def _catch_up(self) -> None:
        for event in self._tail.new() if self._tail is not None else ():
            offered, session, recall = event.get("offered"), event.get("session"), event.get("recall")
            if isinstance(offered, list) and session and recall:
                self._add((Scope(event.get("tenant", ""), event.get("user", "")), session), recall, offered)

    def _add(self, key: tuple[Scope, str], recall_id: str, ids: Collection[str]) -> None:
        turns = self._offered.setdefault(key, deque(maxlen=_TURNS))
        if all(known != recall_id for known, _ in turns):
            turns.append((recall_id, frozenset(ids)))
        self._offered.move_to_end(key)
        while len(self._offered) > _SESSIONS:
            self._offered.popitem(last=False)
