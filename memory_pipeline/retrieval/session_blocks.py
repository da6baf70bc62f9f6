"""The blocks that sessions began with, for prompts that stay the same to the byte while a session lasts (RX-25)."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memory_pipeline.domain.recall import ContextBlock
from memory_pipeline.retrieval.query import Query

if TYPE_CHECKING:
    from memory_pipeline.retrieval.hits import Hit
    from memory_pipeline.retrieval.sources import Sources

_SESSIONS = 4096
Key = tuple[Hashable, ...]


@dataclass(frozen=True, slots=True)
class SessionBlock:
    """A block as it was made at the beginning of a session.

    Attributes:
        hits: what it holds.
        hand: what the user had taken back or silenced by then.
    """

    block: ContextBlock
    hits: tuple[Hit, ...]
    hand: Hashable


class SessionBlocks:
    """The first block of each session in this process; bounded; safe for threads.

    What the pipeline learns while a session lasts waits for the next one. What the user forgets, corrects, silences or
    has erased does not: the block is made anew.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: OrderedDict[Key, SessionBlock] = OrderedDict()

    def standing(self, key: Key, query: Query, sources: Sources) -> SessionBlock | None:
        """The block under a key, unless the user's own hand has moved since."""
        with self._lock:
            found = self._kept.get(key)
        if found is None or found.hand != hand(query, sources) or not _there(found.hits, query, sources):
            return None
        return found

    def keep(self, key: Key, block: ContextBlock, hits: Sequence[Hit], query: Query, sources: Sources) -> None:
        """Hold on to a block."""
        made = SessionBlock(block, tuple(hits), hand(query, sources))
        with self._lock:
            self._kept[key] = made
            self._kept.move_to_end(key)
            while len(self._kept) > _SESSIONS:
                self._kept.popitem(last=False)


def hand(query: Query, sources: Sources) -> Hashable:
    """What the user has taken back or wants no word of, as of now."""
    now = sources.now(query.scope)
    return (now.forgotten, frozenset(now.corrected), now.taken_back, now.constrained)


def _there(hits: Sequence[Hit], query: Query, sources: Sources) -> bool:
    """Whether everything in a block still exists; the rows of other users, who share them, are not looked at."""
    own = [h for h in hits if h.row["user_id"] == query.scope.user_id]
    memories = frozenset(sources.now(query.scope).ids)
    if not all(h.id in memories for h in own if "memory_id" in h.row):
        return False
    from memory_pipeline.retrieval.rows import MESSAGES

    said = [h.row["message_key"] for h in own if "message_key" in h.row]
    return not said or frozenset(sources.rows(MESSAGES, query.scope).values("message_key")).issuperset(said)
