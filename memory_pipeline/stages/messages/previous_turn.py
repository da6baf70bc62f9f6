"""The turn before a session's first of a day: it is shown with that one in the index, and so is an input of it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import date, timedelta

from memory_pipeline.domain.ids import digest
from memory_pipeline.domain.message import Message, Role
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.plan.digests import of_rows
from memory_pipeline.storage.parquet.partition_values import by_partition

DAYS = 7
"""How many days back the turn before may lie; a talk that rests longer begins anew."""
INDEXED_ROLES = frozenset({Role.USER, Role.ASSISTANT})

_DIGEST = """
WITH spoken AS (
    SELECT tenant_id, user_id, session_id, day, max((created_at, ordinal, message_id, content_hash)) AS last
    FROM messages WHERE list_contains($roles, role) GROUP BY ALL
),
before AS (
    SELECT l.day, to_json([l.tenant_id, l.user_id, l.session_id, max(e.last)::VARCHAR])::VARCHAR AS item
    FROM spoken l JOIN spoken e USING (tenant_id, user_id, session_id)
    WHERE e.day < l.day AND e.day >= l.day - $back::INTEGER
    GROUP BY l.tenant_id, l.user_id, l.session_id, l.day
)
SELECT day, md5(string_agg(item, ',' ORDER BY item)) AS found
FROM (SELECT day, message_id || content_hash AS item FROM messages UNION ALL SELECT day, item FROM before)
GROUP BY day
"""
# The last of each session and day, of those sessions alone that are wanted.
_LAST = """
list_contains($roles, role) AND session_id IN (SELECT unnest($sessions))
QUALIFY row_number() OVER (
    PARTITION BY tenant_id, user_id, session_id, day ORDER BY created_at DESC, ordinal DESC, message_id DESC
) = 1
"""


def digests(ctx: StageContext, classes: str) -> Mapping[date, str]:
    """Digest of what the turns of each day are indexed from: its messages, the turns before them, and their classes.

    Args:
        classes: the query for the classes of messages by the user's hand, by day.
    """

    def compute(days: Collection[date]) -> Mapping[date, str]:
        wanted = set(days)
        params = {"roles": _roles(), "back": DAYS}
        table = ctx.lake.sql(_DIGEST, params, days={"messages": wanted | _before(wanted)})
        return {d: f for d, f in zip(table["day"].to_pylist(), table["found"].to_pylist(), strict=True) if d in wanted}

    found = by_partition(ctx.lake, "turns", digest(_DIGEST, str(DAYS))[:16], "messages", compute, reach=DAYS)
    by_hand = of_rows(ctx, "classes", classes)
    return {day: _with(item, day, by_hand) for day, item in found.items()}


def _with(item: str, day: date, by_hand: Mapping[date, str]) -> str:
    near = [by_hand[d] for n in range(DAYS + 1) if (d := day - timedelta(days=n)) in by_hand]
    return digest(item, *near) if near else item


def turns_before(ctx: StageContext, days: Collection[date], messages: Sequence[Message]) -> list[Message]:
    """The last turn of each earlier day, up to :data:`DAYS` before, of the sessions of some days' messages.

    Args:
        messages: those of the days.
    """
    wanted = (_before(set(days)) - set(days)) & set(ctx.lake.days("messages"))
    sessions = sorted({m.session_id for m in messages})
    if not sessions or not wanted:
        return []
    params = {"roles": _roles(), "sessions": sessions}
    return ctx.lake.read("messages", Message, days=wanted, where=_LAST, params=params)


def following(days: Collection[date]) -> set[date]:
    """Days whose turns may show one of some days' turns as the turn before."""
    return {day + timedelta(days=n) for day in days for n in range(1, DAYS + 1)}


def _before(days: set[date]) -> set[date]:
    return {day - timedelta(days=n) for day in days for n in range(1, DAYS + 1)}


def _roles() -> list[str]:
    return sorted(str(role) for role in INDEXED_ROLES)
