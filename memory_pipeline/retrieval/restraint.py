"""Not the same thing three turns in a row: what the last prompt blocks of a session have already offered (DL-35)."""

from __future__ import annotations

import threading
from collections import OrderedDict, deque
from collections.abc import Iterable

from memory_pipeline.domain.scope import Scope

_TURNS = 2
_SESSIONS = 4096


class Restraint:
    """The ids that the last two blocks of each session offered to be mentioned; bounded; safe for threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._offered: OrderedDict[tuple[Scope, str], deque[frozenset[str]]] = OrderedDict()

    def worn(self, scope: Scope, session_id: str | None) -> frozenset[str]:
        """What both of the last two blocks of the session offered."""
        with self._lock:
            turns = self._offered.get((scope, session_id or ""))
            return frozenset.intersection(*turns) if turns and len(turns) == _TURNS else frozenset()

    def note(self, scope: Scope, session_id: str | None, ids: Iterable[str]) -> None:
        """Remember what a block offered; blocks without a session leave no trace."""
        if session_id is None:
            return
        with self._lock:
            turns = self._offered.setdefault((scope, session_id), deque(maxlen=_TURNS))
            turns.append(frozenset(ids))
            self._offered.move_to_end((scope, session_id))
            while len(self._offered) > _SESSIONS:
                self._offered.popitem(last=False)
