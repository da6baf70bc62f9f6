"""Recall log → ``recalls`` and ``usefulness``: how often an item was read, and whether it helped (LS-33, KN-21)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from datetime import date

from memory_pipeline.domain.ids import fingerprint
from memory_pipeline.domain.usefulness import q_value
from memory_pipeline.stages.context import StageContext
from memory_pipeline.storage.recall_log import RecallLog
from memory_pipeline.storage.schemas import Recall, Usefulness


def _logged(ctx: StageContext) -> dict[date, list[Recall]]:
    found: dict[date, list[Recall]] = defaultdict(list)
    for row in RecallLog(ctx.settings.path("recall")).rows():
        found[row.day].append(row)
    return found


def pending(ctx: StageContext) -> Mapping[date, str]:
    """A digest of what the spools hold, by UTC day."""
    return {
        day: fingerprint(f"{r.recall_id}:{r.item_id}:{r.kind}:{r.helpful}:{r.recalled_at}" for r in rows)
        for day, rows in _logged(ctx).items()
    }


def collect(ctx: StageContext, days: Sequence[date]) -> Counter[date]:
    """Make the ``recalls`` and ``usefulness`` partitions of some days, oldest first. Returns events by day.

    A day that the spools do not know keeps what it has: spools are removed once they are old.
    """
    logged = _logged(ctx)
    made: Counter[date] = Counter()
    for day in sorted(set(days)):
        rows = logged.get(day)
        if rows:
            ctx.lake.replace("recalls", day, rows)
            ctx.lake.replace("usefulness", day, _usefulness(ctx, day, sorted({r.item_id for r in rows})))
            made[day] = len(rows)
    return made


def _usefulness(ctx: StageContext, day: date, items: Sequence[str]) -> list[Usefulness]:
    """Where the items stand after a day, from everything that was logged of them until then."""
    history: dict[tuple[str, str, str], list[Recall]] = defaultdict(list)
    for row in ctx.lake.read(
        "recalls",
        Recall,
        days=[d for d in ctx.lake.days("recalls") if d <= day],
        where="item_id IN (SELECT unnest($items))",
        params={"items": list(items)},
        order="recalled_at, recall_id, rank",
    ):
        history[row.tenant_id, row.user_id, row.item_id].append(row)
    found = []
    for (tenant_id, user_id, item_id), rows in sorted(history.items()):
        ratings = [row.helpful for row in rows if row.helpful is not None]
        reads = [row for row in rows if row.helpful is None]
        found.append(
            Usefulness(
                item_id=item_id,
                tenant_id=tenant_id,
                user_id=user_id,
                day=day,
                access_count=len(reads),
                last_access=max(row.recalled_at for row in reads or rows),
                verified_count=sum(ratings),
                rated_count=len(ratings),
                q_value=q_value(ratings, ctx.policy.feedback),
            )
        )
    return found
