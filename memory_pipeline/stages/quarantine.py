"""What cannot be taken is put aside with its place and the reason, never dropped."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC
from typing import NamedTuple

from memory_pipeline.domain.ids import identifier
from memory_pipeline.stages.context import StageContext

_KEPT = 20_000


class PutAside(NamedTuple):
    """A bad reply, or a part of one.

    Attributes:
        source: the task and what it was asked about.
        line: place in the reply, 0 for all of it.
    """

    source: str
    line: int
    reason: str
    content: str


def put_aside(ctx: StageContext, source: str, line: int, reason: str, content: str) -> None:
    """Keep a bad model reply with the request it answered; the same one twice is kept once."""
    put_all_aside(ctx, [PutAside(source, line, reason, content)])


def put_all_aside(ctx: StageContext, entries: Sequence[PutAside]) -> None:
    """Keep bad replies or parts of them, in one file; what is there already is not kept again."""
    if not entries:
        return
    import pyarrow as pa

    from memory_pipeline.storage.parquet.schemas import Quarantined

    rows = {
        name: Quarantined(
            quarantine_id=name,
            day=ctx.now.astimezone(UTC).date(),
            source=entry.source,
            line=entry.line,
            reason=entry.reason,
            content=entry.content[:_KEPT],
            recorded_at=ctx.now,
        )
        for entry in entries
        for name in [identifier("qua", entry.source, str(entry.line), entry.reason, entry.content)]
    }
    known = ctx.lake.sql(
        "SELECT DISTINCT quarantine_id FROM quarantined SEMI JOIN given USING (quarantine_id)",
        tables={"given": pa.table({"quarantine_id": list(rows)})},
    )
    for name in known["quarantine_id"].to_pylist():
        del rows[name]
    ctx.lake.append("quarantined", list(rows.values()))
