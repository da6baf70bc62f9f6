"""Recall log → ``recalls`` and ``usefulness``: how often an item was read, and whether it helped (LS-33, KN-21).

A day's figures go on from each item's last row before it, so a night's work follows the night's reads. What arrives
late for an older day moves the later rows of the items that it is about.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date, timedelta
from typing import TYPE_CHECKING

from memory_pipeline.domain.policy import FeedbackPolicy
from memory_pipeline.domain.reading.usefulness import q_value
from memory_pipeline.stages.context import StageContext
from memory_pipeline.storage.logs.recall_log import RecallLog
from memory_pipeline.storage.parquet.arrow_rows import from_table, to_table
from memory_pipeline.storage.parquet.partition_values import by_partition
from memory_pipeline.storage.parquet.schemas import Recall, Usefulness

if TYPE_CHECKING:
    import pyarrow as pa

Item = tuple[str, str, str]
"""Tenant, user, item."""

_KEPT = timedelta(days=2)  # spools are removed when they are older; processes begin a new one every UTC day
_NEAR = 32  # days that are looked back first for an item's last row
# The same for the same rows, whether they come from the lake or from spools, and in whatever order.
_DIGEST = """
SELECT day, count(*) || '-' || sum(md5_number_lower(concat_ws(
    ':', recall_id, item_id, kind, rank, coalesce(helpful::VARCHAR, ''), epoch_us(recalled_at)
))) AS digest
FROM {rows} GROUP BY day
"""
_LAST = """
SELECT * FROM usefulness SEMI JOIN wanted USING (tenant_id, user_id, item_id)
QUALIFY row_number() OVER (PARTITION BY tenant_id, user_id, item_id ORDER BY day DESC) = 1
"""


def pending(ctx: StageContext) -> Mapping[date, str]:
    """A digest of what was logged, by UTC day: what is in the lake and what only the spools hold yet.

    Reads of a machine whose clock was wrong, before the first partition or beyond tomorrow, wait in their spools.
    """

    def compute(days: Collection[date]) -> Mapping[date, str]:
        return _digests(ctx.lake.sql(_DIGEST.format(rows="recalls"), days={"recalls": days}))

    known = by_partition(ctx.lake, "recalls", "1", "recalls", compute)
    first, last = ctx.settings.start_date, ctx.now.date() + timedelta(days=1)
    logged = {day: rows for day, rows in _logged(ctx).items() if first <= day <= last}
    if not logged:
        return known
    stored = _stored(ctx, logged.keys() & known.keys())
    rows = [row for day in logged for row in _together(stored.get(day, ()), logged[day])]
    return known | _digests(ctx.lake.sql(_DIGEST.format(rows="together"), tables={"together": to_table(rows, Recall)}))


def collect(ctx: StageContext, days: Sequence[date]) -> Counter[date]:
    """Make the ``recalls`` and ``usefulness`` partitions of some days, oldest first. Returns events by day.

    What is in the lake stays there, whether or not a spool still knows it. Spools that are closed, and in the lake to
    the last row, are removed.
    """
    wanted = set(days)
    logged, stored = _logged(ctx), _stored(ctx, wanted)
    made: Counter[date] = Counter()
    items: dict[date, set[Item]] = {}
    for day in sorted(wanted & (logged.keys() | stored.keys())):
        rows = _together(stored.get(day, ()), logged.get(day, ()))
        ctx.lake.replace("recalls", day, rows)
        items[day] = {_item(row) for row in rows if row.item_id}
        made[day] = len(rows)
    if items:
        _bring_up(ctx, items)
    _remove_collected(ctx)
    return made


# -- what was logged


def _logged(ctx: StageContext) -> dict[date, list[Recall]]:
    found: dict[date, list[Recall]] = defaultdict(list)
    for row in RecallLog(ctx.settings.path("recall")).rows():
        found[row.day].append(row)
    return found


def _stored(ctx: StageContext, days: Collection[date]) -> dict[date, list[Recall]]:
    found: dict[date, list[Recall]] = defaultdict(list)
    for row in ctx.lake.read("recalls", Recall, days=sorted(days)) if days else ():
        found[row.day].append(row)
    return found


def _together(stored: Iterable[Recall], logged: Iterable[Recall]) -> list[Recall]:
    """Everything that one of the two knows: a row as often as the one of them has it that has it more often."""
    return list((Counter(stored) | Counter(logged)).elements())


def _digests(found: pa.Table) -> dict[date, str]:
    return dict(zip(found["day"].to_pylist(), found["digest"].to_pylist(), strict=True))


def _item(row: Recall | Usefulness) -> Item:
    return row.tenant_id, row.user_id, row.item_id


def _remove_collected(ctx: StageContext) -> None:
    """Remove closed spools of which nothing is missing in the lake."""
    log = RecallLog(ctx.settings.path("recall"))
    for path in log.closed(before=ctx.now - _KEPT):
        rows = Counter(log.rows_of(path))
        there = Counter(row for found in _stored(ctx, {row.day for row in rows}).values() for row in found)
        if rows <= there:
            log.remove(path)


# -- where the items stand


def _bring_up(ctx: StageContext, items: Mapping[date, set[Item]]) -> None:
    """Make the ``usefulness`` of some days, and move what later days say of the same items.

    Args:
        items: of every day that was made.
    """
    first, changed = min(items), {item for found in items.values() for item in found}
    later = _later(ctx, first, changed, known=items)
    state = _before(ctx, first, changed)
    for day in sorted(items.keys() | later.keys()):
        affected = items.get(day) or later[day]
        history: dict[Item, list[Recall]] = defaultdict(list)
        for row in _reads(ctx, day, affected):
            history[_item(row)].append(row)
        rows = [_after(state.get(item), day, found, ctx.policy.feedback) for item, found in sorted(history.items())]
        state.update({_item(row): row for row in rows})
        if day in later:
            there = ctx.lake.read("usefulness", Usefulness, days=[day])
            rows += [row for row in there if _item(row) not in affected]
        ctx.lake.replace("usefulness", day, rows)


def _later(ctx: StageContext, first: date, changed: Collection[Item], known: Collection[date]) -> dict[date, set[Item]]:
    """Rows of the items on days after the first one, but for those that are made anyway."""
    days = [d for d in ctx.lake.days("usefulness") if d > first and d not in known]
    found: dict[date, set[Item]] = defaultdict(set)
    if days:
        table = ctx.lake.sql(
            "SELECT day, tenant_id, user_id, item_id FROM usefulness "
            "SEMI JOIN wanted USING (tenant_id, user_id, item_id)",
            days={"usefulness": days},
            tables={"wanted": _table(changed)},
        )
        for row in table.to_pylist():
            found[row["day"]].add((row["tenant_id"], row["user_id"], row["item_id"]))
    return found


def _before(ctx: StageContext, day: date, items: Collection[Item]) -> dict[Item, Usefulness]:
    """The items' last rows before a day; the latest days are looked at first."""
    days = [d for d in reversed(ctx.lake.days("usefulness")) if d < day]
    missing, found = set(items), dict[Item, Usefulness]()
    span = _NEAR
    while days and missing:
        part, days = days[:span], days[span:]
        rows = from_table(
            ctx.lake.sql(_LAST, days={"usefulness": part}, tables={"wanted": _table(missing)}), Usefulness
        )
        found.update({_item(row): row for row in rows})
        missing -= found.keys()
        span *= 4
    return found


def _reads(ctx: StageContext, day: date, items: Collection[Item]) -> list[Recall]:
    """What a day's log says of some items, in the order of time."""
    table = ctx.lake.sql(
        "SELECT * FROM recalls SEMI JOIN wanted USING (tenant_id, user_id, item_id) "
        "ORDER BY recalled_at, recall_id, rank, helpful",
        days={"recalls": [day]},
        tables={"wanted": _table(items)},
    )
    return from_table(table, Recall)


def _after(before: Usefulness | None, day: date, rows: Sequence[Recall], policy: FeedbackPolicy) -> Usefulness:
    """Where an item stands after a day.

    Args:
        rows: the item's, of that day, in order; at least one.
    """
    ratings = [row.helpful for row in rows if row.helpful is not None]
    reads = [row.recalled_at for row in rows if row.helpful is None]
    tenant_id, user_id, item_id = _item(rows[0])
    was_read = before is not None and before.access_count > 0
    rated = [row.recalled_at for row in rows]
    # Feedback alone is access only as long as no read is known.
    last = max(reads) if reads else before.last_access if before is not None and was_read else max(rated)
    return Usefulness(
        item_id=item_id,
        tenant_id=tenant_id,
        user_id=user_id,
        day=day,
        access_count=len(reads) + (before.access_count if before else 0),
        last_access=last,
        verified_count=sum(ratings) + (before.verified_count if before else 0),
        rated_count=len(ratings) + (before.rated_count if before else 0),
        q_value=q_value(ratings, policy, before.q_value if before else None),
    )


def _table(items: Iterable[Item]) -> pa.Table:
    import pyarrow as pa

    names = ("tenant_id", "user_id", "item_id")
    ordered = sorted(items)
    return pa.table({name: pa.array([item[n] for item in ordered], pa.string()) for n, name in enumerate(names)})
