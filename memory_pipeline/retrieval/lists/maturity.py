"""How one user's memory grows beside what the user has said: it shall mature, not pile up (LS-31, LS-32)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import Any

import pyarrow as pa

from memory_pipeline.domain.calendar import Grain, Period, period_of
from memory_pipeline.domain.scope import Scope
from memory_pipeline.storage.parquet.lake import Lake
from memory_pipeline.storage.queries.ageing import AGES, age_of
from memory_pipeline.storage.queries.ledger import STANDING

# LS-31: (moment, days since the first message, memories at least, at most as it says)
EXPECTED: Sequence[tuple[str, int, int, int | None]] = (
    ("day 1", 1, 0, 0),
    ("week 1", 7, 5, 10),
    ("month 1", 30, 20, 30),
    ("month 3", 91, 50, None),
    ("month 6", 182, 80, None),
    ("year 1", 365, 100, None),
)
_TALK = """
SELECT day, count(*) AS messages FROM messages WHERE tenant_id = $tenant AND user_id = $user GROUP BY day ORDER BY day
"""
# Each version holds from its day until the day of the memory's next one; "moments" are the days that are counted.
_HELD = f"""
WITH memory_versions AS (SELECT * FROM memory_versions WHERE tenant_id = $tenant AND user_id = $user),
spans AS (
    SELECT *, lead(day) OVER (PARTITION BY memory_id ORDER BY version, recorded_at, version_id) AS until
    FROM ({STANDING})
)
SELECT m.day AS moment, type, status, {age_of("date_diff($unit, observed_at::DATE, m.day)")} AS age,
       count(*) AS memories
FROM moments m JOIN spans s ON s.day <= m.day AND (s.until IS NULL OR s.until > m.day)
WHERE s.change <> 'forget'
GROUP BY ALL ORDER BY ALL
"""


def maturity(lake: Lake, scope: Scope, today: date) -> dict[str, Any]:
    """A user's memories beside the user's messages, from the first message until a day.

    Returns:
        ``first`` (day of the first message), ``messages``, ``memories`` (active ones), ``per_100_messages``;
        ``by_age``, ``by_type`` (active ones) and ``by_status``, each a mapping to numbers; ``months``: for each
        month ``month``, ``messages``, ``all_messages`` (until its end), ``memories`` (active at its end) and
        ``per_100_messages``; ``growth``: the exponent with which the memories grow with the messages over the
        months that have any, less than 1 where they grow slower (LS-32), None with fewer than three such;
        ``milestones``: for each moment of LS-31 that has come ``moment``, ``day``, ``memories``, ``at_least``,
        ``at_most``. A user without messages has ``first`` None and nothing else to count.
    """
    owner = {"tenant": scope.tenant_id, "user": scope.user_id}
    talk = {row["day"]: row["messages"] for row in lake.sql(_TALK, owner).to_pylist()}
    first = min(talk, default=None)
    ends = _month_ends(first, max(today, max(talk))) if first else [today]
    reached = [(m, first + timedelta(days=n - 1), low, most) for m, n, low, most in EXPECTED] if first else []
    reached = [entry for entry in reached if entry[1] <= ends[-1]]
    moments = pa.table({"day": sorted({*ends, *(day for _, day, _, _ in reached)})})
    held = lake.sql(_HELD, {**owner, "unit": "day"}, tables={"moments": moments}).to_pylist()
    active = Counter[date]()
    for row in held:
        active[row["moment"]] += row["memories"] if row["status"] == "active" else 0
    now = [row for row in held if row["moment"] == ends[-1]]
    months = [_month(end, talk, active[end]) for end in ends] if first else []
    return {
        "first": first,
        "messages": sum(talk.values()),
        "memories": active[ends[-1]],
        "per_100_messages": _per_100(active[ends[-1]], sum(talk.values())),
        "by_age": {AGES[n]: count for n, count in sorted(_counted(now, "age").items())},
        "by_type": _counted(now, "type"),
        "by_status": _counted(now, "status", every=True),
        "months": months,
        "growth": growth([(m["all_messages"], m["memories"]) for m in months if m["messages"]]),
        "milestones": [
            {"moment": moment, "day": day, "memories": active[day], "at_least": low, "at_most": most}
            for moment, day, low, most in reached
        ],
    }


def growth(counts: Sequence[tuple[int, int]]) -> float | None:
    """Exponent b of memories = a · messages^b, fitted by least squares of the logarithms.

    Args:
        counts: messages and memories until the ends of the months; months without any of either say nothing.

    Returns:
        None with fewer than three months, or without a new message after the first of them.
    """
    points = [(math.log(m), math.log(n)) for m, n in counts if m and n]
    if len(points) < 3:
        return None
    middle = sum(x for x, _ in points) / len(points), sum(y for _, y in points) / len(points)
    spread = sum((x - middle[0]) ** 2 for x, _ in points)
    if spread < 1e-12:
        return None
    return round(sum((x - middle[0]) * (y - middle[1]) for x, y in points) / spread, 3)


def _month_ends(first: date, last: date) -> list[date]:
    """Last days of the months from one day to another; of the last month, which is not over, that day."""
    month = period_of(Grain.MONTH, first)
    ends = []
    while month.end <= last:
        ends.append(month.end - timedelta(days=1))
        month = Period(Grain.MONTH, month.end)
    return [*ends, last]


def _month(end: date, talk: Mapping[date, int], memories: int) -> dict[str, Any]:
    so_far = sum(n for day, n in talk.items() if day <= end)
    return {
        "month": f"{end:%Y-%m}",
        "messages": sum(n for day, n in talk.items() if day <= end and (day.year, day.month) == (end.year, end.month)),
        "all_messages": so_far,
        "memories": memories,
        "per_100_messages": _per_100(memories, so_far),
    }


def _per_100(memories: int, messages: int) -> float | None:
    return round(100 * memories / messages, 1) if messages else None


def _counted(rows: Sequence[Mapping[str, Any]], column: str, *, every: bool = False) -> dict[Any, int]:
    """Memories by a column, the largest first; only active ones unless ``every``."""
    counts = Counter[Any]()
    for row in rows:
        if every or row["status"] == "active":
            counts[row[column]] += row["memories"]
    return dict(counts.most_common())
