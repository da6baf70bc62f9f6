"""The cost ledger: who spent what, when, on which stage and model, and what kept replies saved.

An entry is written the moment its call ends, before the reply is kept: after a crash the ledger never says less than
was spent, and a call is paid again only when the crash fell between the two. Each entry has a name of its own, so runs
side by side never touch each other's, and reading counts a name once.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

from memory_pipeline.domain.scope import Scope
from memory_pipeline.storage.parquet.lake import Lake
from memory_pipeline.storage.parquet.schemas import Cost

ENTRIES = "SELECT * FROM costs QUALIFY row_number() OVER (PARTITION BY call_id ORDER BY recorded_at) = 1"
_SPENT_ON = "CAST(recorded_at AS DATE)"  # UTC, as the lake's connection is
_GROUPS = {
    "day": f"{_SPENT_ON} AS day",
    "event-day": "coalesce(event_day, day) AS event_day",
    "stage": "stage",
    "model": "model",
    "user": "tenant_id, user_id",
    "run": "run_id",
}
GROUPINGS = tuple(_GROUPS)
_SUMS = """
coalesce(sum(calls), 0)::BIGINT AS calls,
coalesce(sum(cached), 0)::BIGINT AS cached,
coalesce(sum(prompt_tokens), 0)::BIGINT AS prompt_tokens,
coalesce(sum(cached_tokens), 0)::BIGINT AS cached_tokens,
coalesce(sum(completion_tokens), 0)::BIGINT AS completion_tokens,
coalesce(sum(prompt_tokens + completion_tokens), 0)::BIGINT AS tokens,
coalesce(round(sum(usd), 9), 0) AS usd,
coalesce(sum(saved_tokens), 0)::BIGINT AS saved_tokens,
coalesce(round(sum(saved_usd), 9), 0) AS saved_usd,
coalesce(sum(unfit), 0)::BIGINT AS unfit
"""


def entry(
    scope: Scope | None, event_day: date | None, stage: str, model: str, run_id: str, at: datetime, **sums: Any
) -> Cost:
    """A new entry; what ``sums`` does not name is zero.

    Args:
        scope: whose data it was spent on; None where that cannot be told apart.
    """
    zero = {"calls": 0, "cached": 0, "prompt_tokens": 0, "cached_tokens": 0, "completion_tokens": 0, "usd": 0.0}
    return Cost(
        call_id=f"cst_{uuid.uuid4().hex[:24]}",
        tenant_id=scope.tenant_id if scope else "",
        user_id=scope.user_id if scope else "",
        day=at.astimezone(UTC).date(),
        event_day=event_day,
        stage=stage,
        model=model,
        run_id=run_id,
        recorded_at=at,
        **{"saved_tokens": 0, "saved_usd": 0.0, "unfit": 0, **zero, **sums},
    )


def spending(
    lake: Lake,
    by: str,
    *,
    first: date | None = None,
    last: date | None = None,
    tenant: str | None = None,
    user: str | None = None,
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Sums of the ledger, a row a group, and the total.

    Args:
        by: one of ``GROUPINGS``; ``day`` is the UTC day on which the money was spent, ``event-day`` the local day of
            the messages that it was spent on.
        first, last: UTC days of spending, both included; None = unbounded.

    Returns:
        Rows with the group's columns, ``calls``, ``cached`` (requests answered by kept replies), ``prompt_tokens``,
        ``cached_tokens``, ``completion_tokens``, ``tokens``, ``usd``, ``saved_tokens``, ``saved_usd`` and ``unfit``
        (calls whose reply did not fit); the total has the sums alone. Days come in order, everything else with the
        dearest first.
    """
    wanted = (
        f"SELECT * FROM ({ENTRIES}) WHERE {_SPENT_ON} BETWEEN $first AND $last "
        "AND ($tenant IS NULL OR tenant_id = $tenant) AND ($user IS NULL OR user_id = $user)"
    )
    params = {"first": first or date.min, "last": last or date.max, "tenant": tenant, "user": user}
    order = "1" if by in ("day", "event-day") else "usd DESC, tokens DESC, calls DESC, 1"
    rows = lake.sql(f"SELECT {_GROUPS[by]}, {_SUMS} FROM ({wanted}) GROUP BY ALL ORDER BY {order}", params)
    total = lake.sql(f"SELECT {_SUMS} FROM ({wanted})", params)
    return rows.to_pylist(), total.to_pylist()[0]


def of_runs(lake: Lake, run_ids: Sequence[str], since: date) -> dict[str, Any]:
    """Sums of some runs, none of which began before a UTC day; see :func:`spending`."""
    query = f"SELECT {_SUMS} FROM ({ENTRIES}) WHERE run_id IN (SELECT unnest($runs))"
    days = [day for day in lake.days("costs") if day >= since]
    found: dict[str, Any] = lake.sql(query, {"runs": list(run_ids)}, days={"costs": days}).to_pylist()[0]
    return found


def by_task(lake: Lake, run_ids: Sequence[str], since: date) -> dict[str, dict[str, Any]]:
    """Calls, kept replies, tokens and money of some runs by task, none of which began before a UTC day."""
    rows = lake.sql(
        f"SELECT stage, {_SUMS} FROM ({ENTRIES}) WHERE run_id IN (SELECT unnest($runs)) GROUP BY stage ORDER BY stage",
        {"runs": list(run_ids)},
        days={"costs": [day for day in lake.days("costs") if day >= since]},
    ).to_pylist()
    return {row["stage"]: {name: row[name] for name in ("calls", "cached", "tokens", "usd", "unfit")} for row in rows}


def spent_on(lake: Lake, day: date) -> float:
    """USD spent on a UTC day."""
    found = lake.sql(f"SELECT coalesce(sum(usd), 0) AS usd FROM ({ENTRIES})", days={"costs": [day]})
    return float(found["usd"][0].as_py())


@dataclass(frozen=True, slots=True)
class Habit:
    """What a paid call of a stage has taken so far, on average."""

    calls: int
    prompt_tokens: float
    completion_tokens: float


def habits(lake: Lake, model: str) -> dict[str, Habit]:
    """Averages of a model's paid calls, by stage."""
    found = lake.sql(
        "SELECT stage, sum(calls) AS calls, sum(prompt_tokens) / sum(calls) AS prompt, "
        f"sum(completion_tokens) / sum(calls) AS completion FROM ({ENTRIES}) "
        "WHERE model = $model AND prompt_tokens > 0 GROUP BY stage HAVING sum(calls) > 0",
        {"model": model},
    )
    return {r["stage"]: Habit(int(r["calls"]), r["prompt"], r["completion"]) for r in found.to_pylist()}
