"""The memories of users who are asked about their past, kept in memory for as long as nobody has changed the ledger.

A user's ledger is read once and laid out as columns; the state at a moment is a choice among its rows, and moments
between which nothing has happened share one.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping, Sequence
from datetime import date, datetime
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from memory_pipeline.domain.ledger.memory import MemoryVersion, standing
from memory_pipeline.domain.policy import RetrievalPolicy
from memory_pipeline.domain.scope import Scope
from memory_pipeline.retrieval.store.history import content_vectors, corrected, memories_at
from memory_pipeline.retrieval.store.user_rows import MEMORIES, UserRows
from memory_pipeline.storage.parquet.arrow_rows import to_table
from memory_pipeline.storage.parquet.lake import Lake
from memory_pipeline.storage.queries.ledger import versions_of
from memory_pipeline.storage.vectors.index import Index, IndexedMemory
from memory_pipeline.storage.vectors.projection import indexed_memory

if TYPE_CHECKING:
    import numpy.typing as npt
    import pyarrow as pa

    from memory_pipeline.inference.encoder import Encoder

_USERS = 16
_STATES = 32  # of all users together
_LEDGER = "memory_versions"
_K = TypeVar("_K", bound=Hashable)
_V = TypeVar("_V")


class PastRows:
    """A bounded cache of users' memories as they were at moments, least recently used first out; safe for threads.

    At each read the ledger is asked whether a file of it was added, replaced or removed, by any process; then, and
    while that is too young to tell, nothing that is kept is used.
    """

    def __init__(self, lake: Lake, index: Index, encoder: Encoder, policy: RetrievalPolicy) -> None:
        self._lake = lake
        self._index = index
        self._encoder = encoder
        self._policy = policy
        self._lock = threading.Lock()
        self._of: Mapping[date, str] = {}
        self._ledgers: OrderedDict[Scope, Ledger] = OrderedDict()
        self._states: OrderedDict[tuple[Scope, bytes], UserRows] = OrderedDict()

    def at(self, scope: Scope, moment: datetime) -> UserRows:
        """A user's memories at a moment, in order of observation, as :func:`memories_at` finds them."""
        states = self._lake.store.states(_LEDGER)
        ledger = self._looked_up(states, self._ledgers, scope)
        if ledger is None:
            ledger = Ledger(versions_of(self._lake, [scope]))
            self._keep(states, self._ledgers, scope, ledger, _USERS)
        if not ledger.laid_out:
            return memories_at(self._lake, self._index, self._encoder, self._policy, scope, moment, None)
        places = ledger.current(moment)
        key = scope, places.tobytes()
        rows = self._looked_up(states, self._states, key)
        if rows is None:
            rows = self._rows(ledger, scope, places)
            self._keep(states, self._states, key, rows, _STATES)
        return rows

    def _rows(self, ledger: Ledger, scope: Scope, places: npt.NDArray[np.int64]) -> UserRows:
        table = ledger.table.take(places)
        texts = table["content"].to_pylist()
        ledger.learn(texts, lambda new: content_vectors(self._index, self._encoder, scope, new))
        vectors = np.zeros((len(texts), self._index.dimensions), dtype=np.float32)
        for n, text in enumerate(texts):
            vectors[n] = ledger.vectors[text]
        return UserRows(MEMORIES, table, vectors, self._policy)

    def _looked_up(self, states: Mapping[date, str], kept: OrderedDict[_K, _V], key: _K) -> _V | None:
        with self._lock:
            if states != self._of or not all(states.values()):
                self._ledgers.clear()
                self._states.clear()
                self._of = states
                return None
            found = kept.get(key)
            if found is not None:
                kept.move_to_end(key)
            return found

    def _keep(self, states: Mapping[date, str], kept: OrderedDict[_K, _V], key: _K, value: _V, most: int) -> None:
        with self._lock:
            if states != self._of or not all(states.values()):
                return
            kept[key] = value
            while len(kept) > most:
                kept.popitem(last=False)


class Ledger:
    """One user's ledger, ready to be asked for any moment.

    Attributes:
        laid_out: whether it can be; not where a row was withdrawn at another time than its own.
        vectors: by text, those that were needed so far.
    """

    def __init__(self, rows: Sequence[MemoryVersion]) -> None:
        times: dict[str, datetime] = {}
        self.laid_out = all(times.setdefault(row.version_id, row.changed_at) == row.changed_at for row in rows)
        self.vectors: dict[str, npt.NDArray[np.float32]] = {}
        ordered = sorted(standing(rows), key=lambda v: (v.memory_id, v.version, v.recorded_at, v.version_id))
        self._rows = corrected_rows(ordered, rows)
        self._changed_at = np.array([v.changed_at.timestamp() for v in ordered], dtype=np.float64)
        codes = {memory_id: n for n, memory_id in enumerate(dict.fromkeys(v.memory_id for v in ordered))}
        self._memory = np.array([codes[v.memory_id] for v in ordered], dtype=np.int64)
        self._shown = np.array([row is not None for row in self._rows], dtype=bool)
        by_time = sorted(range(len(ordered)), key=lambda n: (ordered[n].observed_at, ordered[n].memory_id))
        self._rank = np.empty(len(ordered), dtype=np.int64)
        self._rank[by_time] = np.arange(len(ordered))
        self._ordered = ordered

    @cached_property
    def table(self) -> pa.Table:
        """The rows as readers see them, whatever moment they belong to."""
        pairs = zip(self._rows, self._ordered, strict=True)
        return to_table([indexed_memory(row or hidden) for row, hidden in pairs], IndexedMemory)

    def current(self, moment: datetime) -> npt.NDArray[np.int64]:
        """Places of the rows that were current at a moment, without what was forgotten since, in order."""
        then = np.flatnonzero(self._changed_at <= moment.timestamp())
        memory = self._memory[then]
        last = then[np.append(memory[1:] != memory[:-1], True)] if len(then) else then
        last = last[self._shown[last]]
        found: npt.NDArray[np.int64] = last[np.argsort(self._rank[last], kind="stable")]
        return found

    def learn(self, texts: Sequence[str], vectors: Callable[[list[str]], npt.NDArray[np.float32]]) -> None:
        """Have the vectors of texts at hand."""
        new = [text for text in dict.fromkeys(texts) if text not in self.vectors]
        if new:
            self.vectors.update(zip(new, vectors(new), strict=True))


def corrected_rows(versions: Sequence[MemoryVersion], rows: Sequence[MemoryVersion]) -> list[MemoryVersion | None]:
    """Versions as :func:`corrected` shows them, in their order; None for what it hides."""
    found = {v.version_id: v for v in corrected(versions, rows)}
    return [found.get(v.version_id) for v in versions]
