"""Links as rows of the lake: which are stored, and which are to be there instead."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from datetime import date
from hashlib import sha256
from typing import TYPE_CHECKING

from memory_pipeline.domain.ids import digest, identifier
from memory_pipeline.domain.links import Remembered, Tie
from memory_pipeline.domain.scope import Scope
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.row_changes import RowChanges
from memory_pipeline.storage.partition_values import by_partition

if TYPE_CHECKING:
    from memory_pipeline.storage.schemas import Link

_Stored = Mapping[Scope, list["Link"]]
_OF = """
SELECT * FROM links SEMI JOIN wanted USING (tenant_id, user_id)
WHERE source_id IN (SELECT memory_id FROM ids) OR target_id IN (SELECT memory_id FROM ids)
"""
_STATED = """
SELECT day, list([tenant_id, user_id, source_id, target_id, relation] ORDER BY link_id) AS stated FROM links
WHERE reason IN ('superseded_by', 'derived_from') GROUP BY day
"""


class LinkRows:
    """The ``links`` of touched users."""

    def __init__(self, ctx: StageContext) -> None:
        self._ctx = ctx
        self._changes = RowChanges(ctx, "links", "link_id")

    def at(self, ids: Mapping[Scope, Collection[str]], users: Sequence[Scope], first: date) -> _Stored:
        """Stored links of some users that have an end among some memories.

        Args:
            first: no such link lies before it.
        """
        return self._read(_OF, ids, users, [day for day in self._ctx.lake.days("links") if day >= first])

    def stated(self) -> Mapping[Scope, list[tuple[str, str, str]]]:
        """Source, target and relation of the stored links that the ledger states, by user."""

        def compute(days: Collection[date]) -> Mapping[date, list[list[str]]]:
            table = self._ctx.lake.sql(_STATED, days={"links": days})
            return dict(zip(table["day"].to_pylist(), table["stated"].to_pylist(), strict=True))

        found: dict[Scope, list[tuple[str, str, str]]] = defaultdict(list)
        for rows in by_partition(self._ctx.lake, "stated_links", digest(_STATED)[:16], "links", compute).values():
            for tenant, user, source, target, relation in rows:
                found[Scope(tenant, user)].append((source, target, relation))
        return found

    def put(
        self,
        memories: Mapping[Scope, Sequence[Remembered]],
        remade: Mapping[Scope, Collection[str]],
        known: _Stored,
        made: Mapping[Scope, Sequence[Tie]],
    ) -> None:
        """Hand over new links of some users.

        Args:
            remade: ids of the memories whose links to older ones ``made`` holds, all of them, and of those that are
                gone.
            known: the stored links of those that changed or are gone; those of others lie where they were born.
        """
        born = {m.born for scope, own in memories.items() for m in own if m.memory_id in remade[scope]}
        stored = self._read(_OF, remade, list(memories), sorted(born))
        for scope, own in memories.items():
            place = {m.memory_id: n for n, m in enumerate(own)}
            old = {link for link in (*known[scope], *stored[scope]) if _replaced(link, place, remade[scope])}
            self._changes.change(old, [_link(scope, own, tie) for tie in made[scope]])

    def _read(
        self, query: str, ids: Mapping[Scope, Collection[str]], users: Sequence[Scope], days: Sequence[date] | None
    ) -> _Stored:
        import pyarrow as pa

        from memory_pipeline.storage.ledger import scopes_table
        from memory_pipeline.storage.rows import from_table
        from memory_pipeline.storage.schemas import Link

        wanted = sorted({i for some in ids.values() for i in some})
        table = self._ctx.lake.sql(
            query,
            days=None if days is None else {"links": days},
            tables={
                "wanted": scopes_table(users),
                "ids": pa.table({"memory_id": wanted}, schema=pa.schema([("memory_id", pa.string())])),
            },
        )
        found: dict[Scope, list[Link]] = defaultdict(list)
        for link in from_table(table, Link):
            found[Scope(link.tenant_id, link.user_id)].append(link)
        return found

    def write(self) -> list[date]:
        """Write the partitions that change. Returns them."""
        return self._changes.write()


def _replaced(link: Link, place: Mapping[str, int], remade: Collection[str]) -> bool:
    ends = (link.source_id, link.target_id)
    if any(i not in place for i in ends):
        return any(i in remade for i in ends)
    return max(ends, key=place.__getitem__) in remade


def words_of(content: str) -> str:
    """What a link remembers of the content of its ends; ``storage.remembered.WORDS`` is the same in SQL."""
    return sha256(content.encode()).hexdigest()[:16]


def _link(scope: Scope, memories: Sequence[Remembered], tie: Tie) -> Link:
    from memory_pipeline.storage.schemas import Link

    source, target = memories[tie.source], memories[tie.target]
    return Link(
        link_id=identifier("lnk", source.memory_id, target.memory_id),
        tenant_id=scope.tenant_id,
        user_id=scope.user_id,
        day=memories[max(tie.source, tie.target)].born,
        source_id=source.memory_id,
        target_id=target.memory_id,
        relation=str(tie.kind),
        weight=tie.weight,
        reason=tie.reason,
        source_words=words_of(source.content),
        target_words=words_of(target.content),
    )
