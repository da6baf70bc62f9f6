"""The memories linked to some memories of a user, read both ways (DL-20, KN-10)."""

from __future__ import annotations

import threading
import time
import weakref
from collections import OrderedDict, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import pyarrow as pa

from memory_pipeline.domain.scope import Scope
from memory_pipeline.retrieval.store.user_rows import UserRows
from memory_pipeline.storage.parquet.lake import Lake
from memory_pipeline.storage.parquet.layouts.by_user import rows_of
from memory_pipeline.storage.queries.current_memories import shown_links

_KEPT_SECONDS = 600
_KEPT_USERS = 512
_NONE_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class LinkedMemory:
    """A memory at the other end of a link.

    Attributes:
        relation: what the link's source is to its target: supersedes, contradicts, caused_by, elaborates, related.
        direction: ``out`` where the memory that was asked about is the source, ``in`` where it is the target.
        weight: strength, 0 to 1.
        reason: what the link rests on; see ``schemas.Link``.
    """

    memory_id: str
    relation: str
    direction: str
    weight: float
    reason: str


Links = Mapping[str, tuple[LinkedMemory, ...]]


def links_of(lake: Lake, scope: Scope, contents: Mapping[str, str], most: int) -> Links:
    """Every link of a user that may be shown, by memory id, the strongest first; at most ``most`` a memory.

    Args:
        contents: of the user's memories that are not forgotten, by id, as they are now: a link that was made from
            other words is not shown.
    """
    return _shown(lake, scope, _stored(lake, scope), contents, most)


def _stored(lake: Lake, scope: Scope) -> pa.Table:
    return rows_of(lake, "links", [scope])


def _shown(lake: Lake, scope: Scope, stored: pa.Table, contents: Mapping[str, str], most: int) -> Links:
    now = pa.table(
        {
            "tenant_id": pa.array([scope.tenant_id] * len(contents), pa.string()),
            "user_id": pa.array([scope.user_id] * len(contents), pa.string()),
            "memory_id": pa.array(list(contents), pa.string()),
            "content": pa.array(list(contents.values()), pa.string()),
        }
    )
    rows = lake.sql(shown_links(most, links="own"), tables={"own": stored, "now": now})
    found: dict[str, list[LinkedMemory]] = defaultdict(list)
    columns = (rows[name].to_pylist() for name in ("source_id", "target_id", "relation", "weight", "reason"))
    for source, target, relation, weight, reason in zip(*columns, strict=True):
        found[source].append(LinkedMemory(target, relation, "out", weight, reason))
        found[target].append(LinkedMemory(source, relation, "in", weight, reason))
    return {memory_id: tuple(ends) for memory_id, ends in found.items()}


@dataclass(frozen=True, slots=True)
class _CachedLinks:
    read_at: float
    stored: pa.Table
    memories: weakref.ref[UserRows]
    links: Links


class HotLinks:
    """Links of hot users, safe for threads.

    What is stored is read again every ten minutes, for links are made once a night; what may be shown of it is worked
    out anew when the user's memories change, so that nothing forgotten or edited is shown.
    """

    def __init__(self, lake: Lake, most: int) -> None:
        self._lake = lake
        self._most = most
        self._lock = threading.Lock()
        self._kept: OrderedDict[Scope, _CachedLinks] = OrderedDict()
        self._none_until = 0.0  # monotonic: nobody has any links as of late

    def around(self, scope: Scope, memories: UserRows, memory_ids: Iterable[str]) -> Links:
        """The links of some memories, by their ids; those without any are absent.

        Args:
            memories: the user's memories as they are now.
        """
        links = self._links(scope, memories)
        return {i: links[i] for i in memory_ids if i in links}

    def _links(self, scope: Scope, memories: UserRows) -> Links:
        with self._lock:
            kept = self._kept.get(scope)
        if kept is not None and time.monotonic() - kept.read_at > _KEPT_SECONDS:
            kept = None
        if kept is None and time.monotonic() < self._none_until:
            return {}
        if kept is not None and kept.memories() is memories:
            return kept.links
        if kept is None and not self._lake.days("links"):
            self._none_until = time.monotonic() + _NONE_SECONDS
            return {}
        read_at, stored = (kept.read_at, kept.stored) if kept else (time.monotonic(), _stored(self._lake, scope))
        pairs = zip(memories.values("memory_id"), memories.values("content"), strict=True)
        contents = {i: content for i, content in pairs if i not in memories.forgotten}
        links = _shown(self._lake, scope, stored, contents, self._most) if len(stored) else {}
        with self._lock:
            self._kept[scope] = _CachedLinks(read_at, stored, weakref.ref(memories), links)
            self._kept.move_to_end(scope)
            while len(self._kept) > _KEPT_USERS:
                self._kept.popitem(last=False)
        return links
