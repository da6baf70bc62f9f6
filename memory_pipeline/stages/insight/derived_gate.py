"""The gate for what is derived: reflections and patterns pass the same rules as what was extracted."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import date, timedelta
from typing import TYPE_CHECKING

from memory_pipeline.domain.ledger.memory import MemoryVersion
from memory_pipeline.domain.message import Message
from memory_pipeline.domain.scope import Scope
from memory_pipeline.stages.context import StageContext

if TYPE_CHECKING:
    import pyarrow as pa

_LOOK_BACK = 60
_MEMBERS = """
SELECT tenant_id, user_id, memory_id, list(DISTINCT day) AS days,
       list_distinct(flatten(list(list_transform(evidence, lambda e: e.message_id)))) AS cited,
       count(DISTINCT version) < max(version) AS partial
FROM memory_versions SEMI JOIN wanted USING (tenant_id, user_id, memory_id) GROUP BY ALL
"""
_CITED = "SELECT m.* FROM messages m SEMI JOIN wanted USING (tenant_id, user_id, message_id)"
Member = tuple[Scope, str]
"""A user and the id of a memory."""


class CitedMessages:
    """The messages that memories rest on: those of many memories are read at once."""

    def __init__(self, ctx: StageContext) -> None:
        self._ctx = ctx
        self._ids: dict[Member, set[str]] = {}
        self._days: dict[Member, set[date]] = {}
        self._messages: dict[Scope, list[Message]] = defaultdict(list)

    def load(self, members: Iterable[Member]) -> None:
        """Read what is not known yet of some memories."""
        new = set(members) - self._ids.keys()
        if not new:
            return
        self._ids |= {member: set() for member in new}
        self._days |= {member: set() for member in new}
        self._rows(new)
        wanted = {(scope, i) for scope, memory in new for i in self._ids[scope, memory]}
        there = {(scope, m.message_id, m.day) for scope, held in self._messages.items() for m in held}
        days = {day for member in new for day in self._days[member]}
        for message in self._read(wanted, days):
            scope = Scope(message.tenant_id, message.user_id)
            if (scope, message.message_id, message.day) not in there:
                self._messages[scope].append(message)

    def of(self, version: MemoryVersion) -> Mapping[str, Message]:
        """The messages that the members of a derived memory rest on, by id.

        Its own evidence names only some of them; a name in its content may come from any.
        """
        scope = version.scope
        members = [(scope, i) for i in version.derived_from]
        self.load(members)
        own = {e.message_id for e in version.evidence}
        ids = own.union(*(self._ids[member] for member in members))
        days = set().union(*(self._days[member] for member in members))
        if not days:
            before = {version.day - timedelta(days=n) for n in range(_LOOK_BACK)}
            return {m.message_id: m for m in self._read({(scope, i) for i in own}, before)}
        found = [m for m in self._messages[scope] if m.message_id in ids and m.day in days]
        return {m.message_id: m for m in sorted(found, key=lambda m: (m.session_id, m.order))}

    def _rows(self, members: set[Member]) -> None:
        """Message ids and days of every version; the whole ledger is read only where the checkpoint leaves some out."""
        from memory_pipeline.storage.queries.ledger import ledger_files

        lake, left = self._ctx.lake, members
        for files in (ledger_files(lake, {scope for scope, _ in members}), None):
            partial = set()
            for row in lake.sql(_MEMBERS, tables={"wanted": _pairs(left, "memory_id")}, files=files).to_pylist():
                member = Scope(row["tenant_id"], row["user_id"]), row["memory_id"]
                self._ids[member].update(row["cited"])
                self._days[member].update(row["days"])
                if row["partial"]:
                    partial.add(member)
            left = partial
            if not left:
                return

    def _read(self, wanted: set[tuple[Scope, str]], days: set[date]) -> list[Message]:
        from memory_pipeline.storage.parquet.arrow_rows import from_table

        tables = {"wanted": _pairs(wanted, "message_id")}
        found = self._ctx.lake.sql(_CITED, days={"messages": days}, tables=tables)
        return from_table(found, Message)


def _pairs(wanted: Iterable[tuple[Scope, str]], name: str) -> pa.Table:
    import pyarrow as pa

    ordered = sorted(wanted)
    columns = {
        "tenant_id": [scope.tenant_id for scope, _ in ordered],
        "user_id": [scope.user_id for scope, _ in ordered],
        name: [i for _, i in ordered],
    }
    return pa.table(columns, schema=pa.schema([(column, pa.string()) for column in columns]))
