"""Which memories time may change by a day, and how old a store's memories are: each one query over the ledger.

The policy's days enter as a table, so that a changed policy counts at once, whatever an older one has left in the rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any

from memory_pipeline.domain.fading import BY_TIME, Reads, may_fade
from memory_pipeline.domain.memory import MemoryVersion
from memory_pipeline.domain.policy import Policy
from memory_pipeline.domain.scope import Scope
from memory_pipeline.domain.strength import fades_after
from memory_pipeline.storage.lake import Lake
from memory_pipeline.storage.ledger import CURRENT, ledger_files, scopes_table
from memory_pipeline.storage.rows import from_table
from memory_pipeline.storage.schemas import Usefulness

if TYPE_CHECKING:
    import pyarrow as pa

_LEVELS = 20  # steps of importance that the days until fading are worked out for
# A local day begins up to 14 hours before the same day in UTC; the domain decides to the day.
_AGEING = f"""
SELECT c.memory_id FROM ({CURRENT}) c JOIN rules r USING (type)
LEFT JOIN levels l ON l.type = c.type AND l.level = least(floor(c.importance * $levels), $levels)
WHERE NOT c.pinned AND epoch(c.day) < $before AND (
    c.status IN ('active', 'stale') AND (
        epoch(c.valid_until) < $before
        OR c.status = 'active' AND r.stale_after > 0 AND epoch(c.referenced_at) < $before - r.stale_after * 86400
        OR c.status = 'active' AND c.type = 'open_loop' AND (
            epoch(c.due_at) < $before - r.grace * 86400
            OR c.due_at IS NULL AND r.silence_after > 0
               AND epoch(c.referenced_at) < $before - r.silence_after * 86400)
        OR c.status = 'stale' AND r.archive_after > 0 AND epoch(c.day) < $before - r.archive_after * 86400
    )
    OR (r.fades AND c.status IN ('active', 'stale')
        OR $prune AND c.status = 'archived' AND list_contains($by_time, c.change))
       AND l.days IS NOT NULL
       AND epoch(c.referenced_at) < $before - greatest(l.days * (1 + c.reinforcements), $idle) * 86400
)
"""
_OF = f"""
WITH memory_versions AS (SELECT * FROM memory_versions SEMI JOIN due USING (memory_id))
SELECT * FROM ({CURRENT}) ORDER BY tenant_id, user_id, memory_id
"""


def ageing(lake: Lake, through: date, policy: Policy, scopes: Iterable[Scope] | None = None) -> list[MemoryVersion]:
    """Current versions that time changes by the end of a day, and a few that it changes a day later or does not, being
    read.

    Args:
        scopes: users to look at; None = all.
    """
    users = None if scopes is None else set(scopes)
    query, tables = _AGEING, {"rules": _rules(policy), "levels": _levels(policy)}
    if users is not None:
        query = (
            "WITH memory_versions AS (SELECT * FROM memory_versions SEMI JOIN wanted USING (tenant_id, user_id)) "
            + query
        )
        tables["wanted"] = scopes_table(users)
    given = {
        "before": (datetime(through.year, through.month, through.day, tzinfo=UTC).timestamp() + 2 * 86_400),
        "levels": _LEVELS,
        "prune": policy.prune.enabled,
        "by_time": sorted(str(change) for change in BY_TIME),
        "idle": policy.prune.after_days,
    }
    files = ledger_files(lake, users)
    due = lake.sql(query, given, tables=tables, files=files)  # few columns of many rows, then all of a few
    return from_table(lake.sql(_OF, tables={"due": due}, files=files), MemoryVersion) if due.num_rows else []


def _rules(policy: Policy) -> pa.Table:
    import pyarrow as pa

    days = ("stale_after", "archive_after", "silence_after", "grace")
    columns: dict[str, list[Any]] = {name: [getattr(r, name) for r in policy.lifecycle.values()] for name in days}
    fades = [may_fade(rules) for rules in policy.lifecycle.values()]
    return pa.table({"type": list(policy.lifecycle), "fades": fades, **columns})


def _levels(policy: Policy) -> pa.Table:
    """Days until a memory of at least some importance has faded, if nobody reads it; without rows for types that never
    do."""
    import pyarrow as pa

    rows = []
    for kind, rules in policy.lifecycle.items():
        for level in range(_LEVELS + 1):
            days = fades_after(level / _LEVELS, policy.prune.below, policy.curves[rules.curve])
            if days is not None:
                rows.append((kind, float(level), days))
    schema = pa.schema([("type", pa.string()), ("level", pa.float64()), ("days", pa.int64())])
    return pa.table(dict(zip(schema.names, zip(*rows, strict=True), strict=True)) if rows else schema.empty_table())


def reads_of(lake: Lake, memories: Sequence[MemoryVersion]) -> Mapping[str, Reads]:
    """How often and when some memories were last read, by memory id; those never read are absent."""
    if not memories or not lake.days("usefulness"):
        return {}
    import pyarrow as pa

    table = lake.sql(
        "SELECT * FROM usefulness SEMI JOIN asked USING (tenant_id, user_id, item_id) "
        "QUALIFY row_number() OVER (PARTITION BY tenant_id, user_id, item_id ORDER BY day DESC) = 1",
        tables={
            "asked": pa.table(
                {
                    "tenant_id": [m.tenant_id for m in memories],
                    "user_id": [m.user_id for m in memories],
                    "item_id": [m.memory_id for m in memories],
                }
            )
        },
    )
    return {u.item_id: Reads(u.access_count, u.last_access) for u in from_table(table, Usefulness)}


AGES = ("under a week", "under a month", "under 3 months", "under a year", "under 2 years", "2 years and more")
_BOUNDS = (7, 30, 91, 365, 730)


def age_of(days: str) -> str:
    """SQL for the place in ``AGES`` of an age in days, from an expression for it."""
    cases = " ".join(f"WHEN {days} < {bound} THEN {n}" for n, bound in enumerate(_BOUNDS))
    return f"CASE {cases} ELSE {len(_BOUNDS)} END"


@dataclass(frozen=True, slots=True)
class AgeGroup:
    """Memories of one age, type and status; ``age`` is a place in ``AGES``."""

    age: int
    type: str
    status: str
    memories: int


def age_structure(lake: Lake, on: date) -> list[AgeGroup]:
    """The whole store's memories by age on a day, type and status: one aggregate over the ledger."""
    table = lake.sql(
        f"SELECT {age_of('date_diff($unit, observed_at::DATE, $day)')} AS age, type, status, count(*) AS memories "
        f"FROM ({CURRENT}) GROUP BY ALL ORDER BY ALL",
        {"day": on, "unit": "day"},
    )
    return [AgeGroup(**row) for row in table.to_pylist()]
