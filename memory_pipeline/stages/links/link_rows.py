"""Links as rows of the lake: which are stored, and which are to be there instead."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from datetime import date
from hashlib import sha256
from typing import TYPE_CHECKING

from memory_pipeline.domain.ids import identifier
from memory_pipeline.domain.links import Remembered, Tie
from memory_pipeline.domain.scope import Scope
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.links.row_changes import RowChanges

if TYPE_CHECKING:
    import pyarrow as pa

    from memory_pipeline.storage.parquet.schemas import Link

_Stored = Mapping[Scope, list["Link"]]
_AT = """
SELECT * FROM own WHERE source_id IN (SELECT memory_id FROM ids) OR target_id IN (SELECT memory_id FROM ids)
"""
_STATED = """
SELECT tenant_id, user_id, source_id, target_id, relation FROM own
WHERE reason IN ('superseded_by', 'derived_from') ORDER BY link_id
"""


class LinkRows:
    """The ``links`` of touched users."""

    def __init__(self, ctx: StageContext) -> None:
        self._ctx = ctx
        self._changes = RowChanges(ctx, "links", "link_id")
        self._own: pa.Table | None = None

    def load(self, users: Sequence[Scope]) -> None:
        """Read what is stored of some users, in place of those before."""
        from memory_pipeline.storage.parquet.layouts.by_user import rows_of

        self._own = rows_of(self._ctx.lake, "links", users)

    def at(self, ids: Mapping[Scope, Collection[str]]) -> _Stored:
        """Stored links that have an end among some memories."""
        import pyarrow as pa

        from memory_pipeline.storage.parquet.arrow_rows import from_table
        from memory_pipeline.storage.parquet.schemas import Link

        wanted = sorted({i for some in ids.values() for i in some})
        table = self._query(_AT, ids=pa.table({"memory_id": wanted}, schema=pa.schema([("memory_id", pa.string())])))
        found: dict[Scope, list[Link]] = defaultdict(list)
        for link in from_table(table, Link):
            found[Scope(link.tenant_id, link.user_id)].append(link)
        return found

    def stated(self) -> Mapping[Scope, list[tuple[str, str, str]]]:
        """Source, target and relation of the stored links that the ledger states, by user."""
        found: dict[Scope, list[tuple[str, str, str]]] = defaultdict(list)
        table = self._query(_STATED)
        for tenant, user, source, target, relation in zip(*(c.to_pylist() for c in table.columns), strict=True):
            found[Scope(tenant, user)].append((source, target, relation))
        return found

    def _query(self, query: str, **tables: pa.Table) -> pa.Table:
        return self._ctx.lake.sql(query, tables={"own": self._own, **tables})

    def put(
        self,
        memories: Mapping[Scope, Sequence[Remembered]],
        remade: Mapping[Scope, Collection[str]],
        made: Mapping[Scope, Sequence[Tie]],
    ) -> None:
        """Hand over new links of some users.

        Args:
            remade: ids of the memories whose links to older ones ``made`` holds, all of them, and of those that are
                gone.
        """
        stored = self.at(remade)
        for scope, own in memories.items():
            place = {m.memory_id: n for n, m in enumerate(own)}
            old = {link for link in stored[scope] if _replaced(link, place, remade[scope])}
            self._changes.change(old, [_link(scope, own, tie) for tie in made[scope]])

    def write(self) -> list[date]:
        """Write the partitions that change. Returns them."""
        return self._changes.write()


def _replaced(link: Link, place: Mapping[str, int], remade: Collection[str]) -> bool:
    ends = (link.source_id, link.target_id)
    if any(i not in place for i in ends):
        return any(i in remade for i in ends)
    return max(ends, key=place.__getitem__) in remade


def words_of(content: str) -> str:
    """What a link remembers of the content of its ends; ``current_memories.WORDS`` is the same in SQL."""
    return sha256(content.encode()).hexdigest()[:16]


def _link(scope: Scope, memories: Sequence[Remembered], tie: Tie) -> Link:
    from memory_pipeline.storage.parquet.schemas import Link

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
