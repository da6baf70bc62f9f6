"""The rows that answer a query: the index's as they are, or the lake's as they were; and which of them may be seen."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from memory_pipeline.domain.policy import Policy
from memory_pipeline.domain.scope import Scope
from memory_pipeline.retrieval.prompt.pleas import pleaded
from memory_pipeline.retrieval.prompt.topics import NOTHING_CLOSED, Topics
from memory_pipeline.retrieval.query import Query
from memory_pipeline.retrieval.scores.candidates import VITAL
from memory_pipeline.retrieval.store.cache import HotRows
from memory_pipeline.retrieval.store.guards import allowed
from memory_pipeline.retrieval.store.history import memories_at, recorded_by
from memory_pipeline.retrieval.store.links import HotLinks, Links
from memory_pipeline.retrieval.store.older_rows import harmless
from memory_pipeline.retrieval.store.past_rows import PastRows
from memory_pipeline.retrieval.store.usefulness import RecentUsefulness, usefulness
from memory_pipeline.retrieval.store.user_rows import MEMORIES, MESSAGES, SUMMARIES, UserRows
from memory_pipeline.storage.parquet.lake import Lake
from memory_pipeline.storage.vectors.index import Index

if TYPE_CHECKING:
    import numpy.typing as npt

    from memory_pipeline.inference.encoder import Encoder
    from memory_pipeline.storage.parquet.schemas import Usefulness


@dataclass(frozen=True, slots=True)
class Source:
    """One table for one query.

    Attributes:
        mask: which rows the query may see, shape (rows,).
        shared: the rows are other users', who share them.
    """

    rows: UserRows
    mask: npt.NDArray[np.bool_]
    shared: bool = False


@dataclass(frozen=True, slots=True)
class Opened:
    """What one query is answered from.

    Attributes:
        tables: those that its layers need.
        now: the user's memories as they are today, whatever moment is asked for: what the user took back, or does not
            want to be reminded of, holds for every read.
        topics: what is to be forgotten, and what is not to be brought up.
    """

    tables: list[Source]
    now: UserRows
    topics: Topics

    def table(self, name: str) -> UserRows | None:
        """The user's own rows of a table, None when the query does not need it."""
        return next((t.rows for t in self.tables if t.rows.name == name and not t.shared), None)


def unspoilt(rows: UserRows, now: UserRows) -> npt.NDArray[np.bool_]:
    """Which memories were not made out of what the user has taken back, shape (rows,).

    Args:
        now: the user's memories as they are today.
    """
    mask = np.ones(len(rows), dtype=bool)
    if not now.forgotten and not now.corrected:
        return mask
    made_at = rows.seconds("observed_at")
    for place, ids in enumerate(rows.values("derived_from")):
        mask[place] = now.forgotten.isdisjoint(ids) and all(
            made_at[place] >= now.corrected[i] for i in ids if i in now.corrected
        )
    return mask


class Sources:
    """Opens what queries need; safe for threads."""

    def __init__(self, lake: Lake, index: Index, encoder: Encoder, policy: Policy) -> None:
        self._lake = lake
        self._index = index
        self._encoder = encoder
        self._policy = policy
        self._useful = RecentUsefulness(lake)
        self._hot = HotRows(index, policy.retrieval, partial(harmless, lake))
        self._past = PastRows(lake, index, encoder, policy.retrieval)
        self._links = HotLinks(lake, policy.consolidation.max_links)

    def open(self, query: Query) -> Opened:
        """The rows for a query. Shared memories are those of today, so a past state has none."""
        now = self._hot.rows(MEMORIES, query.scope)
        topics = self.topics(query.scope)
        tables = []
        if query.layers & {"semantic", "narrative"}:
            memories = self._then(query) if query.historical else now
            seen = self._shown(memories, query, topics)
            if query.careful:  # what could hurt the user is kept in view, and not spoken of
                vital = memories.matching("attribute", VITAL) & memories.matching("subject", ("user",))
                seen |= ~topics.marked(memories).gone & vital
            tables.append(Source(memories, allowed(memories, query) & unspoilt(memories, now) & seen))
            if query.include_shared and not query.historical:
                others = self._hot.shared(query.scope)
                tables.append(Source(others, allowed(others, query, shared=True), shared=True))
        if "episodic" in query.layers:
            tables.append(self._derived(MESSAGES, query, now, topics))
        if "narrative" in query.layers:
            tables.append(self._derived(SUMMARIES, query, now, topics))
        return Opened(tables, now, topics)

    def topics(self, scope: Scope) -> Topics:
        """What a user wants forgotten or not brought up, as of now."""
        now = self._hot.rows(MEMORIES, scope)
        if not pleaded(now):
            return NOTHING_CLOSED
        messages = self._hot.rows(MESSAGES, scope)
        kept = now.topics
        if kept is None or kept[0] is not messages:
            kept = now.topics = (messages, Topics(now, messages))
        found: Topics = kept[1]
        return found

    @staticmethod
    def _shown(rows: UserRows, query: Query, topics: Topics) -> npt.NDArray[np.bool_]:
        """What is neither forgotten nor, where the read speaks, to be left alone, shape (rows,).

        A summary tells of more than what the user has just named, so that it is not told at all.
        """
        marked = topics.marked(rows)
        if rows.name == SUMMARIES and not query.unasked:
            return ~(marked.gone | marked.closed.any(axis=0))
        return ~marked.gone if query.unasked else ~(marked.gone | topics.unasked(marked, query.text))

    def now(self, scope: Scope) -> UserRows:
        """A user's memories as they are now."""
        return self.rows(MEMORIES, scope)

    def rows(self, name: str, scope: Scope) -> UserRows:
        """A user's rows of a table as they are now, whoever may see them."""
        return self._hot.rows(name, scope)

    @property
    def held(self) -> Mapping[str, int]:
        """Entries and bytes of the rows that are kept in memory."""
        return self._hot.statistics

    def linked(self, scope: Scope, memory_ids: Iterable[str]) -> Links:
        """What some of a user's memories are linked to now, both ways, the strongest first (KN-10)."""
        return self._links.around(scope, self._hot.rows(MEMORIES, scope), memory_ids)

    def links_of(self, scope: Scope, memories: UserRows) -> Callable[[Iterable[str]], Links]:
        """The same for a user's memories as they are now."""
        return lambda memory_ids: self._links.around(scope, memories, memory_ids)

    def usefulness(self, query: Query) -> Mapping[str, Usefulness]:
        """What earlier reads say of the user's items, by item id."""
        if query.historical:
            return usefulness(self._lake, query.scope, min(query.at, query.known_at or query.at))
        return self._useful.of(query.scope, query.at)

    def _then(self, query: Query) -> UserRows:
        if query.as_of is not None and query.known_at is None:
            return self._past.at(query.scope, query.as_of)
        return memories_at(
            self._lake,
            self._index,
            self._encoder,
            self._policy.retrieval,
            query.scope,
            query.as_of,
            query.known_at,
        )

    def _derived(self, name: str, query: Query, now: UserRows, topics: Topics) -> Source:
        """Messages or summaries, without those that say what the user has taken back."""
        rows = self._hot.rows(name, query.scope)
        mask = allowed(rows, query) & self._shown(rows, query, topics)
        if name == MESSAGES:
            mask[rows.places_of(now.taken_back)] = False
        elif now.forgotten or now.taken_back:
            messages = {message_id for message_id, _ in now.taken_back}
            told = zip(rows.values("memory_ids"), rows.values("message_ids"), strict=True)
            clean = (now.forgotten.isdisjoint(m) and messages.isdisjoint(t) for m, t in told)
            mask &= np.fromiter(clean, dtype=bool, count=len(rows))
        if query.known_at is not None:
            key = ("session_id", "message_id") if name == MESSAGES else ("summary_id",)
            known = recorded_by(self._lake, name, key, query.scope, query.known_at)
            found = zip(*(rows.values(column) for column in key), strict=True)
            mask &= np.fromiter((row in known for row in found), dtype=bool, count=len(rows))
        return Source(rows, mask)
