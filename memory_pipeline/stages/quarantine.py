"""What cannot be taken is put aside with its place and the reason, never dropped."""

from __future__ import annotations

from datetime import UTC

from memory_pipeline.domain.ids import identifier
from memory_pipeline.stages.context import StageContext

_KEPT = 20_000


def put_aside(ctx: StageContext, source: str, line: int, reason: str, content: str) -> None:
    """Keep a bad model reply with the request it answered; the same one twice is kept once a day."""
    from memory_pipeline.storage.schemas import Quarantined

    row = Quarantined(
        quarantine_id=identifier("qua", source, str(line), reason, content),
        day=ctx.now.astimezone(UTC).date(),
        source=source,
        line=line,
        reason=reason,
        content=content[:_KEPT],
        recorded_at=ctx.now,
    )
    ctx.lake.append("quarantined", [row])
