"""Which memories time may change by a day, and how old a store's memories are: each one query over the ledger.

The policy's days enter as a table, so that a changed policy counts at once, whatever an older one has left in the rows.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from memory_pipeline.domain.ids import digest
from memory_pipeline.domain.ledger.fading import BY_TIME, Reads, may_fade
from memory_pipeline.domain.ledger.memory import MemoryVersion
from memory_pipeline.domain.ledger.strength import fades_after
from memory_pipeline.domain.policy import CurvePolicy, Policy
from memory_pipeline.domain.scope import Scope
from memory_pipeline.errors import StorageError
from memory_pipeline.storage.parquet.arrow_rows import from_table
from memory_pipeline.storage.parquet.files import day_of
from memory_pipeline.storage.parquet.lake import Lake
from memory_pipeline.storage.parquet.layouts.checkpoint import LEDGER, beside, users_of
from memory_pipeline.storage.parquet.schemas import Usefulness
from memory_pipeline.storage.queries.ledger import CURRENT, ledger_files, scopes_table

if TYPE_CHECKING:
    import pyarrow as pa

_NOTE = "due.json"
_LEVELS = 20  # steps of importance that the days until fading are worked out for
# A local day begins up to 14 hours before the same day in UTC; the domain decides to the day.
_DUE = f"""
WITH dates AS (
    SELECT c.tenant_id, c.user_id, c.memory_id, epoch(c.day) AS said, least(
        CASE WHEN c.status IN ('active', 'stale') THEN epoch(c.valid_until) END,
        CASE WHEN c.status = 'active' AND r.stale_after > 0
            THEN epoch(c.referenced_at) + r.stale_after * 86400 END,
        CASE WHEN c.status = 'active' AND c.type = 'open_loop' THEN epoch(c.due_at) + r.grace * 86400 END,
        CASE WHEN c.status = 'active' AND c.type = 'open_loop' AND c.due_at IS NULL AND r.silence_after > 0
            THEN epoch(c.referenced_at) + r.silence_after * 86400 END,
        CASE WHEN c.status = 'stale' AND r.archive_after > 0 THEN epoch(c.day) + r.archive_after * 86400 END,
        CASE WHEN l.days IS NOT NULL AND (r.fades AND c.status IN ('active', 'stale')
                OR $prune AND c.status = 'archived' AND list_contains($by_time, c.change))
            THEN epoch(c.referenced_at) + greatest(l.days * (1 + c.reinforcements), $idle) * 86400 END
    ) AS ends
    FROM ({CURRENT}) c JOIN rules r USING (type)
    LEFT JOIN levels l ON l.type = c.type AND l.level = least(floor(c.importance * $levels), $levels)
    WHERE NOT c.pinned
),
due AS (SELECT tenant_id, user_id, memory_id, greatest(said, ends) AS due FROM dates WHERE ends IS NOT NULL)
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
    before = datetime(through.year, through.month, through.day, tzinfo=UTC).timestamp() + 2 * 86_400
    figures = _Figures.of(policy)
    users = _due_users(lake, before, figures) if scopes is None else set(scopes)
    query, tables = f"{_DUE} SELECT memory_id FROM due WHERE due < $before", dict(figures.tables)
    if users is not None:
        query = query.replace(
            "WITH ",
            "WITH memory_versions AS (SELECT * FROM memory_versions SEMI JOIN wanted USING (tenant_id, user_id)), ",
            1,
        )
        tables["wanted"] = scopes_table(users)
    files = ledger_files(lake, users)
    due = lake.sql(query, {**figures.given, "before": before}, tables=tables, files=files)
    # few columns of many rows, then all of a few
    return from_table(lake.sql(_OF, tables={"due": due}, files=files), MemoryVersion) if due.num_rows else []


@dataclass(frozen=True, slots=True)
class _Figures:
    """The policy's figures as the query takes them, and a digest of them."""

    given: Mapping[str, Any]
    tables: Mapping[str, pa.Table]
    kind: str

    @classmethod
    def of(cls, policy: Policy) -> _Figures:
        given = {
            "levels": _LEVELS,
            "prune": policy.prune.enabled,
            "by_time": sorted(str(change) for change in BY_TIME),
            "idle": policy.prune.after_days,
        }
        tables = {"rules": _rules(policy), "levels": _levels(policy)}
        told = [json.dumps(part.to_pydict(), sort_keys=True, default=str) for part in tables.values()]
        return cls(given, tables, digest(_DUE, json.dumps(given), *told)[:16])


def keep_due(lake: Lake, policy: Policy) -> None:
    """Bring the note of when memories are due up to the ledger's checkpoint, so that no night has to."""
    _due_users(lake, 0.0, _Figures.of(policy))


def _due_users(lake: Lake, before: float, figures: _Figures) -> set[Scope] | None:
    """The users of whom a memory may be due before a time; None where every user's are to be looked at.

    Of each user in the ledger's checkpoint a note keeps the earliest time at which one is, and the rows of later days
    tell of the memories that they are of. So of a large store most users are not looked at, even of those who write
    every day.
    """
    found = beside(lake)
    if found is None:
        return None
    held, later = found
    note = _note(lake, figures.kind)
    parts = {path for path, _ in held.parts.values()}
    missing = sorted(parts - note.keys())
    for path in missing:
        note[path] = []
    if missing:
        table = lake.sql(
            f"{_DUE} SELECT tenant_id, user_id, min(due) AS due FROM due GROUP BY ALL ORDER BY ALL",
            figures.given,
            tables=figures.tables,
            files={LEDGER: (LEDGER, [lake.store.beside(path) for path in missing])},
        )
        for row in table.to_pylist():
            path, _ = held.parts[held.bucket(Scope(row["tenant_id"], row["user_id"]))]
            note[path].append([row["tenant_id"], row["user_id"], row["due"]])
    if missing or note.keys() - parts:
        kept = {"kind": figures.kind, "parts": {path: note[path] for path in sorted(parts)}}
        with suppress(StorageError):  # what cannot be kept is worked out again
            lake.store.write_note(_NOTE, json.dumps(kept, separators=(",", ":")).encode())
    due = {Scope(tenant, user) for path in parts for tenant, user, at in note[path] if at < before}
    return due | _due_later(lake, held.through, later, before, figures)


def _due_later(lake: Lake, through: date, files: Sequence[str], before: float, figures: _Figures) -> set[Scope]:
    """The users of whom rows that the checkpoint does not hold let a memory be due before a time.

    A version's rows all lie on its day. So those of the days after the checkpoint tell when the versions that they
    state are due, and where they withdraw one, the note tells of the version before it. Rows of the checkpoint's own
    days may bring back a version that the note does not know of.
    """
    late = [path for path in files if day_of(path) <= through]
    table = lake.sql(
        f"{_DUE} SELECT DISTINCT tenant_id, user_id FROM due WHERE due < $before",
        {**figures.given, "before": before},
        tables=figures.tables,
        files={LEDGER: (LEDGER, [path for path in files if day_of(path) > through])},
    )
    found = zip(table["tenant_id"].to_pylist(), table["user_id"].to_pylist(), strict=True)
    return {Scope(tenant, user) for tenant, user in found} | users_of(lake, late)


def _note(lake: Lake, kind: str) -> dict[str, list[list[Any]]]:
    try:
        note = json.loads(lake.store.note(_NOTE))
        return dict(note["parts"]) if note["kind"] == kind else {}
    except (ValueError, KeyError, TypeError):
        return {}  # as if it were not there


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
        rows += [(kind, level, days) for level, days in _fading(policy.prune.below, policy.curves[rules.curve])]
    schema = pa.schema([("type", pa.string()), ("level", pa.float64()), ("days", pa.int64())])
    return pa.table(dict(zip(schema.names, zip(*rows, strict=True), strict=True)) if rows else schema.empty_table())


@lru_cache(maxsize=64)  # some ten thousand figures, and every change of the ledger asks for the same ones
def _fading(below: float, curve: CurvePolicy) -> list[tuple[float, int]]:
    found = [(float(level), fades_after(level / _LEVELS, below, curve)) for level in range(_LEVELS + 1)]
    return [(level, days) for level, days in found if days is not None]


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
