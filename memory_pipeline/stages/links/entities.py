"""Memories → entities: who and what each user's memories are about, with every name they go by (LS-10, LS-18).

A user's entities lie together, in the partition of the last day on which more than time changed the ledger.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from datetime import date

from memory_pipeline.domain.entities import Entity, entities, statements
from memory_pipeline.domain.ids import digest
from memory_pipeline.domain.links import Remembered
from memory_pipeline.domain.scope import Scope
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.links.row_changes import RowChanges
from memory_pipeline.storage.parquet.partition_values import by_partition

_OWNERS = "SELECT day, list(DISTINCT [tenant_id, user_id]) AS owners FROM entities GROUP BY day"


class EntityRows:
    """The ``entities`` of touched users.

    Attributes:
        kinds: how many entities of each kind were made.
    """

    def __init__(self, ctx: StageContext) -> None:
        self._ctx = ctx
        self._changes = RowChanges(ctx, "entities", "entity_id")
        self.kinds: Counter[str] = Counter()

    def make(
        self, memories: Mapping[Scope, Sequence[Remembered]], last: Mapping[Scope, date]
    ) -> tuple[dict[Scope, list[Entity]], Mapping[Scope, Sequence[Entity]]]:
        """The entities of some users as they are now, and as they are stored.

        Args:
            memories: what is remembered of each.
            last: the newest ledger partition of each.
        """
        stored = self._stored(memories)
        made = {scope: entities(scope, statements(some), last[scope]) for scope, some in memories.items()}
        for scope, found in made.items():
            self.kinds.update(str(entity.kind) for entity in found)
            self._changes.change(stored[scope], found)
        return made, stored

    def _places(self, scopes: Mapping[Scope, object]) -> list[date]:
        """Partitions that hold entities of some users; a user's lie in one."""

        def compute(days: Collection[date]) -> Mapping[date, list[list[str]]]:
            table = self._ctx.lake.sql(_OWNERS, days={"entities": days})
            return dict(zip(table["day"].to_pylist(), table["owners"].to_pylist(), strict=True))

        owners = by_partition(self._ctx.lake, "entity_owners", digest(_OWNERS)[:16], "entities", compute)
        return [day for day, known in owners.items() if any(Scope(*owner) in scopes for owner in known)]

    def write(self) -> list[date]:
        """Write the partitions that change. Returns them."""
        return self._changes.write()

    def _stored(self, scopes: Mapping[Scope, object]) -> Mapping[Scope, list[Entity]]:
        from memory_pipeline.storage.parquet.arrow_rows import from_table
        from memory_pipeline.storage.queries.ledger import scopes_table

        table = self._ctx.lake.sql(
            "SELECT e.* FROM entities e SEMI JOIN wanted USING (tenant_id, user_id)",
            days={"entities": self._places(scopes)},
            tables={"wanted": scopes_table(scopes)},
        )
        found: dict[Scope, list[Entity]] = defaultdict(list)
        for entity in from_table(table, Entity):
            found[Scope(entity.tenant_id, entity.user_id)].append(entity)
        return found
