"""The blocks that sessions began with, for prompts that stay the same to the byte while a session lasts (RX-25)."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import asdict, dataclass, is_dataclass
from typing import TYPE_CHECKING, Any

from memory_pipeline.domain.ids import digest
from memory_pipeline.domain.reading.recall import ContextBlock
from memory_pipeline.retrieval.query import Query

if TYPE_CHECKING:
    from memory_pipeline.retrieval.scores.hits import Hit
    from memory_pipeline.retrieval.store.sources import Sources
    from memory_pipeline.storage.logs.block_files import BlockFiles

_SESSIONS = 4096
_FORM = 1  # of a record; one of another form is none
Key = tuple[Hashable, ...]


@dataclass(frozen=True, slots=True)
class BlockItem:
    """What a block holds of one item: what goes on record of it, and what tells whether it still exists.

    Attributes:
        memory: it is a memory of the user's own.
        turn: key of the user's own message that it is; None for anything else.
    """

    id: str
    layer: str
    score: float
    memory: bool
    turn: str | None


@dataclass(frozen=True, slots=True)
class SessionBlock:
    """A block as it was made at the beginning of a session.

    Attributes:
        hits: what it holds.
        hand: what the user had taken back or silenced by then.
    """

    block: ContextBlock
    hits: tuple[BlockItem, ...]
    hand: Hashable


class SessionBlocks:
    """The first block of each session, whichever process made it; bounded; safe for threads.

    What the pipeline learns while a session lasts waits for the next one. What the user forgets, corrects, silences or
    has erased does not: the block is made anew. A block with what other users share stays in the process that made it:
    their erasure would not find it elsewhere.

    Args:
        files: where other processes find them; None = nowhere.
    """

    def __init__(self, files: BlockFiles | None = None) -> None:
        self._lock = threading.Lock()
        self._kept: OrderedDict[Key, SessionBlock] = OrderedDict()
        self._files = files

    def standing(self, key: Key, query: Query, sources: Sources) -> SessionBlock | None:
        """The block under a key, unless the user's own hand has moved since."""
        with self._lock:
            found = self._kept.get(key)
        if found is not None and found.hand == hand(query, sources) and _there(found.hits, query, sources):
            return found
        return self._of_others(key, query, sources)

    def keep(self, key: Key, block: ContextBlock, hits: Sequence[Hit], query: Query, sources: Sources) -> ContextBlock:
        """Hold on to a block. Returns the one that the session began with: another process may have been first."""
        user = query.scope.user_id
        held = tuple(_held(hit, user) for hit in hits)
        made = SessionBlock(block, held, hand(query, sources))
        if self._files is not None and hits and all(hit.row["user_id"] == user for hit in hits):
            record = _record(made)
            if not self._files.put(query.scope, _canonical(key), record, instead=False):
                first = self._of_others(key, query, sources)
                if first is not None:
                    return first.block
                self._files.put(query.scope, _canonical(key), record, instead=True)
        self._hold(key, made)
        return block

    def _of_others(self, key: Key, query: Query, sources: Sources) -> SessionBlock | None:
        """What another process has kept, where it still stands."""
        record = None if self._files is None else self._files.get(query.scope, _canonical(key))
        now = hand(query, sources)
        if record is None or record.get("form") != _FORM or record["hand"] != _canonical(now):
            return None
        made = _made(record, now)
        if not _there(made.hits, query, sources):
            return None
        self._hold(key, made)
        return made

    def _hold(self, key: Key, made: SessionBlock) -> None:
        with self._lock:
            self._kept[key] = made
            self._kept.move_to_end(key)
            while len(self._kept) > _SESSIONS:
                self._kept.popitem(last=False)


def hand(query: Query, sources: Sources) -> Hashable:
    """What the user has taken back or wants no word of, as of now."""
    now = sources.now(query.scope)
    return (now.forgotten, frozenset(now.corrected), now.taken_back, now.constrained)


def _held(hit: Hit, user_id: str) -> BlockItem:
    own = hit.row["user_id"] == user_id
    turn = hit.row.get("message_key") if own else None
    return BlockItem(hit.id, hit.layer, hit.score, own and "memory_id" in hit.row, turn)


def _there(hits: Sequence[BlockItem], query: Query, sources: Sources) -> bool:
    """Whether everything in a block still exists; the rows of other users, who share them, are not looked at."""
    memories = frozenset(sources.now(query.scope).ids)
    if not all(h.id in memories for h in hits if h.memory):
        return False
    from memory_pipeline.retrieval.store.user_rows import MESSAGES

    said = [h.turn for h in hits if h.turn is not None]
    return not said or frozenset(sources.rows(MESSAGES, query.scope).values("message_key")).issuperset(said)


def _record(made: SessionBlock) -> dict[str, Any]:
    return {
        "form": _FORM,
        "hand": _canonical(made.hand),
        "block": asdict(made.block),
        "hits": [asdict(hit) for hit in made.hits],
    }


def _made(record: Mapping[str, Any], now: Hashable) -> SessionBlock:
    block = record["block"] | {name: tuple(record["block"][name]) for name in ("item_ids", "dropped")}
    return SessionBlock(ContextBlock(**block), tuple(BlockItem(**hit) for hit in record["hits"]), now)


def _canonical(value: Any) -> str:
    """A digest that is the same in every process, whatever the order of its sets."""
    return digest(_spelled(value))


def _spelled(value: Any) -> str:
    if isinstance(value, frozenset | set):
        return "{" + ",".join(sorted(map(_spelled, value))) + "}"
    if isinstance(value, tuple | list):
        return "(" + ",".join(map(_spelled, value)) + ")"
    if is_dataclass(value) and not isinstance(value, type):
        return _spelled(tuple(asdict(value).values()))
    return f"{type(value).__name__}:{value!s}" if value is not None else "-"
