"""What goes out of each dataset: which of its rows are erased, and what is kept of a row in another form."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

from memory_pipeline.domain.calendar import Grain
from memory_pipeline.domain.erasure import Erasure, Reached
from memory_pipeline.domain.ledger.memory import Cause, MemoryVersion
from memory_pipeline.domain.scope import Scope
from memory_pipeline.stages.extraction.session_context import DAYS

if TYPE_CHECKING:
    import pyarrow as pa

    from memory_pipeline.storage.erasing.traces import Traces

Row = Mapping[str, Any]
_LOOKED_AT = {
    "messages": ("session_id", "message_id"),
    "message_revisions": ("session_id", "message_id"),
    "message_classes": ("session_id", "message_id"),
    "windows": ("window_id",),
    "proposals": ("proposal_id",),
    "former_proposals": ("session_id",),
    "verdicts": ("proposal_id",),
    "memory_versions": ("memory_id", "version", "cause"),
    "holds": (),
    "links": ("source_id", "target_id"),
    "entities": ("memory_ids",),
    "summaries": ("summary_id",),
    "replies": ("task", "day", "key"),
    "vectors": ("day",),
    "recalls": ("item_id", "query"),
    "usefulness": ("item_id",),
}
OWNED = (*_LOOKED_AT, "costs")
"""Datasets whose rows belong to users."""
_CLOSE = frozenset({"extract", "rolling_summary"})
# A period's reply lies on one of its days, and is asked about together with the weeks that end in it.
_OF_PERIODS = timedelta(days=max(grain.most_days for grain in Grain) + Grain.WEEK.most_days)


class Rows:
    """Tells which rows an erasure takes.

    Args:
        known_turns: keys of turns, in the index and in the recall log, of the erased messages.
        kept_replies: keys of extraction replies that have not seen an erased message.
        traces: of the erased texts.
    """

    def __init__(
        self,
        erasure: Erasure,
        traces: Traces,
        pseudonym: Callable[[Scope], str],
        kept_replies: Collection[str] = (),
    ) -> None:
        self._erasure = erasure
        self._traces = traces
        self._pseudonym = pseudonym
        self._kept_replies = frozenset(kept_replies)
        self._sets: dict[Scope, dict[str, frozenset[Any]]] = {
            scope: {
                "messages": frozenset(target.messages or ()),
                "sessions": frozenset(session for session, _ in target.messages or ()),
                "windows": frozenset(reached.windows),
                "proposals": frozenset(reached.proposals),
                "summaries": frozenset(reached.summaries),
                "items": frozenset((*reached.turns, *reached.summaries)),
            }
            for scope, (target, reached) in erasure.partly.items()
        }

    def columns(self, dataset: str) -> tuple[str, ...]:
        """What must be read of a dataset to tell."""
        return ("tenant_id", "user_id", *_LOOKED_AT.get(dataset, ()))

    def touched(self, dataset: str, table: pa.Table) -> list[bool]:
        """For each row whether the erasure takes it, or a part of it."""
        names = [name for name in self.columns(dataset) if name in table.schema.names]
        owners = zip(table["tenant_id"].to_pylist(), table["user_id"].to_pylist(), strict=True)
        scopes = [Scope(t, u) if t and u else None for t, u in owners]
        wanted = self._erasure.scopes
        if not any(scope in wanted for scope in scopes):
            return [False] * table.num_rows
        rows: Iterable[Row] = table.select(names).to_pylist()
        return [
            scope is not None and scope in wanted and self._taken(dataset, scope, row)
            for scope, row in zip(scopes, rows, strict=True)
        ]

    def _taken(self, dataset: str, scope: Scope, row: Row) -> bool:
        if scope in self._erasure.whole:
            return True
        reached, ids = self._erasure.partly[scope][1], self._sets[scope]
        match dataset:
            case "messages" | "message_revisions" | "message_classes":
                return (row["session_id"], row["message_id"]) in ids["messages"]
            case "windows":
                return row["window_id"] in ids["windows"]
            case "proposals" | "verdicts":
                return row["proposal_id"] in ids["proposals"]
            case "former_proposals":  # they may have been made with an erased message in view
                return row["session_id"] in ids["sessions"]
            case "memory_versions":
                return bool(row["version"] >= reached.memories.get(row["memory_id"], row["version"] + 1))
            case "links":
                return row["source_id"] in reached.memories or row["target_id"] in reached.memories
            case "entities":
                return not reached.memories.keys().isdisjoint(row["memory_ids"] or ())
            case "summaries":
                return row["summary_id"] in ids["summaries"]
            case "replies":
                return self._saw(reached, row)
            case "vectors":  # which texts they are of cannot be told; those that stay are encoded again when needed
                return bool(reached.days) and row["day"] >= reached.days[0] - _OF_PERIODS
            case "recalls":
                return row["item_id"] in ids["items"] or self._traces.touch(row["query"] or "")
            case "usefulness":
                return row["item_id"] in ids["items"]
        return False

    def _saw(self, reached: Reached, row: Row) -> bool:
        """Whether a reply may have seen an erased message, or what was made of it."""
        day: date = row["day"]
        if not reached.days:
            return False
        if row["task"] in _CLOSE:
            near = any(gone - timedelta(days=1) <= day <= gone + timedelta(days=DAYS + 1) for gone in reached.days)
            return near and row["key"] not in self._kept_replies
        return day >= reached.days[0] - _OF_PERIODS

    def instead(self, dataset: str, table: pa.Table) -> pa.Table | None:
        """What is kept of rows that are taken: money without its user, and what was done by hand to a memory that has
        other evidence."""
        from memory_pipeline.storage.parquet.arrow_rows import from_table, to_table

        if dataset == "costs":
            import pyarrow as pa

            owners = zip(table["tenant_id"].to_pylist(), table["user_id"].to_pylist(), strict=True)
            names = pa.array([self._pseudonym(Scope(t, u)) for t, u in owners], pa.string())
            return table.set_column(table.schema.get_field_index("user_id"), table.schema.field("user_id"), names)
        if dataset != "memory_versions":
            return None
        from memory_pipeline.storage.parquet.migrations import upgraded

        version = int((table.schema.metadata or {}).get(b"memory_pipeline.schema_version", b"1"))
        rows = from_table(upgraded(dataset, table, version), MemoryVersion)
        kept = [v for row in rows if (v := self._act(row)) is not None]
        return to_table(kept, MemoryVersion).select(table.schema.names).cast(table.schema) if kept else None

    def _act(self, row: MemoryVersion) -> MemoryVersion | None:
        """An act of the user's own hand without the evidence that goes; its words only where they are the user's."""
        if row.scope in self._erasure.whole or row.cause is not Cause.MANUAL:
            return None
        target, reached = self._erasure.partly[row.scope]
        gone = {message for _, message in target.messages or ()}
        evidence = tuple(e for e in row.evidence if e.message_id not in gone)
        if reached.memories[row.memory_id] == 1 and not (evidence and row.own_words and row.version > 1):
            return None if row.evidence or row.derived_from else row
        content = row.content if row.own_words else ""
        return replace(row, evidence=evidence, content=content, reason=row.reason)
