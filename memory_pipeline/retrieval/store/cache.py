"""The rows of hot users, kept in memory for as long as nobody has changed them."""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

import pyarrow.compute as pc

from memory_pipeline.domain.policy import RetrievalPolicy
from memory_pipeline.domain.scope import Scope
from memory_pipeline.errors import IndexDamaged, StorageError
from memory_pipeline.retrieval.store.user_rows import MEMORIES, UserRows
from memory_pipeline.storage.vectors.index import Index, vectors_of
from memory_pipeline.storage.vectors.index_rows import plain, tokens_of

if TYPE_CHECKING:
    import pyarrow as pa

    from memory_pipeline.storage.vectors.index_snapshot import Snapshot

_log = logging.getLogger(__name__)
_Key = tuple[str, bool, Scope]
_State = tuple[tuple[int, int], int]
_NO_TABLE: _State = ((0, 0), 0)
_UNREAD = {MEMORIES: frozenset({"version_id", "version", "lineage_id"})}  # no search looks at these


@dataclass(frozen=True, slots=True)
class _Entry:
    state: _State
    mark: bytes
    rows: UserRows


class HotRows:
    """A bounded cache of :class:`UserRows`, least recently used first out; safe for threads.

    The version of an entry's table is asked of the index at each read, so a write by any process is seen by the next
    one. In a new version the entry stays where the user's rows lie as they lay (2 ms of CPU); else it is loaded anew.

    Args:
        harmless: whether rows of a table, read for a user in a version of some time, bring nothing back; by default
            nobody knows, and nothing older is read.
        most_entries, most_bytes: bounds of what is kept; one entry may exceed the bytes and is then not kept.
    """

    def __init__(
        self,
        index: Index,
        policy: RetrievalPolicy,
        harmless: Callable[[str, Scope, pa.Table, datetime], bool] = lambda name, scope, rows, at: False,
        *,
        most_entries: int = 512,
        most_bytes: int = 512 * 1024 * 1024,
    ) -> None:
        self._index = index
        self._policy = policy
        self._harmless = harmless
        self._told: set[str | None] = set()
        self._most_entries = most_entries
        self._most_bytes = most_bytes
        self._entries: OrderedDict[_Key, _Entry] = OrderedDict()
        self._bytes = 0
        self._lock = threading.Lock()
        self._loading: dict[_Key, threading.Lock] = {}

    def rows(self, name: str, scope: Scope) -> UserRows:
        """One user's rows of a table, as they are now."""
        return self._get((name, False, scope))

    def shared(self, scope: Scope) -> UserRows:
        """The memories that other users of the tenant share with this one (KN-11)."""
        return self._get((MEMORIES, True, scope))

    @property
    def statistics(self) -> dict[str, int]:
        """Entries and bytes kept now."""
        with self._lock:
            return {"entries": len(self._entries), "bytes": self._bytes}

    def _get(self, key: _Key) -> UserRows:
        try:
            return self._newest(key)
        except IndexDamaged as error:
            return self._older(key, error)

    def _older(self, key: _Key, error: IndexDamaged) -> UserRows:
        """The rows in the newest version of a damaged table that can be read, unless the user has taken something back
        since: that is not to be seen again. Not kept, so that the table is read as soon as it is whole."""
        name, shared, scope = key
        for snapshot in self._index.last_sound(name):
            try:
                rows = snapshot.rows(snapshot.found(scope, shared=shared), self._index.schema(name).names)
            except IndexDamaged:
                continue
            if not snapshot.newest and not self._harmless(name, scope, rows, snapshot.written_at):
                break
            if error.path not in self._told:
                self._told.add(error.path)
                _log.warning("%s; until then reads see its last sound version", error)
            return self._load(key, rows)
        raise error

    def _newest(self, key: _Key) -> UserRows:
        snapshot = self._index.snapshot(key[0])
        state = _NO_TABLE if snapshot is None else snapshot.state
        found = self._lookup(key, state)
        if found is not None:
            return found
        with self._lock:
            turn = self._loading.setdefault(key, threading.Lock())
        try:
            with turn:  # of several threads that miss at once one loads
                found = self._lookup(key, state)
                if found is None:
                    entry = self._renewed(key, snapshot, state)
                    self._keep(key, entry)
                    found = entry.rows
                return found
        finally:
            with self._lock:
                self._loading.pop(key, None)

    def _lookup(self, key: _Key, state: _State) -> UserRows | None:
        with self._lock:
            entry = self._entries.get(key)
            if entry is None or entry.state != state:
                return None
            self._entries.move_to_end(key)
            return entry.rows

    def _renewed(self, key: _Key, snapshot: Snapshot | None, state: _State) -> _Entry:
        name, shared, scope = key
        if snapshot is None:
            return _Entry(state, b"", self._load(key, self._index.schema(name).empty_table()))
        with self._lock:
            old = self._entries.get(key)
        found = snapshot.found(scope, shared=shared)
        if old is not None and old.mark == found.mark:
            return _Entry(state, old.mark, old.rows)
        columns = [c for c in self._index.schema(name).names if c not in _UNREAD.get(name, ())]
        return _Entry(state, found.mark, self._load(key, snapshot.rows(found, columns)))

    def _load(self, key: _Key, table: pa.Table) -> UserRows:
        name, shared, scope = key
        strangers = pc.any(pc.not_equal(table["tenant_id"], scope.tenant_id)).as_py()
        if not shared:
            strangers = strangers or pc.any(pc.not_equal(table["user_id"], scope.user_id)).as_py()
        if strangers:
            raise StorageError(f"the index gave {name} of another tenant or user; nothing was returned")
        return UserRows(name, plain(table), vectors_of(table), self._policy, tokens_of(table))

    def _keep(self, key: _Key, entry: _Entry) -> None:
        with self._lock:
            old = self._entries.pop(key, None)
            if old is not None:
                self._bytes -= old.rows.nbytes
            if entry.rows.nbytes > self._most_bytes:
                return
            self._entries[key] = entry
            self._bytes += entry.rows.nbytes
            while len(self._entries) > self._most_entries or self._bytes > self._most_bytes:
                _, gone = self._entries.popitem(last=False)
                self._bytes -= gone.rows.nbytes
