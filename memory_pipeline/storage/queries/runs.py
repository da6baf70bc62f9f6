"""What each run did: partitions made, versions written, model calls and their cost, all from the rows that it left."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from memory_pipeline.domain.ledger.memory import RETIRED
from memory_pipeline.storage.parquet.lake import Lake
from memory_pipeline.storage.queries.costs import ENTRIES
from memory_pipeline.storage.queries.kept_answers import kept_sql

_SLACK = timedelta(seconds=5)  # between the machine's clock and that of the store
_CHANGES = """
coalesce(count(*) FILTER (asserted AND version = 1), 0)::BIGINT AS added,
coalesce(count(*) FILTER (asserted AND version > 1 AND NOT list_contains($retired, status)), 0)::BIGINT AS changed,
coalesce(count(*) FILTER (asserted AND version > 1 AND list_contains($retired, status)), 0)::BIGINT AS retired,
coalesce(count(*) FILTER (NOT asserted), 0)::BIGINT AS withdrawn
"""
CHANGES = ("added", "changed", "retired", "withdrawn")
"""Versions that begin a memory, that go on with one, that end one; and versions that were withdrawn."""
_RETIRED = sorted(map(str, RETIRED))
_COSTS = (
    "sum(calls)::BIGINT AS calls, sum(cached)::BIGINT AS cached, "
    "sum(prompt_tokens + completion_tokens)::BIGINT AS tokens, round(sum(usd), 9) AS usd"
)


def changes_by(lake: Lake, run_ids: Sequence[str], since: datetime) -> dict[str, int]:
    """How many versions some runs wrote, by :data:`CHANGES`. Looks only at files written since a time."""
    paths = _written_since(lake, "memory_versions", since)
    row: dict[str, int] = lake.sql(
        f"SELECT {_CHANGES} FROM memory_versions WHERE run_id IN (SELECT unnest($runs))",
        {"runs": list(run_ids), "retired": _RETIRED},
        files={"memory_versions": ("memory_versions", paths)},
    ).to_pylist()[0]
    return row


def put_aside_since(lake: Lake, since: datetime) -> int:
    """How many replies, and parts of replies, were put aside since a time."""
    paths = _written_since(lake, "quarantined", since)
    found = lake.sql(
        "SELECT count(*) AS n FROM quarantined WHERE recorded_at >= $since AND contains(source, '/')",
        {"since": since},
        files={"quarantined": ("quarantined", paths)},
    )
    return int(found["n"][0].as_py())


def _written_since(lake: Lake, dataset: str, since: datetime) -> list[str]:
    first = (since - _SLACK).timestamp()
    infos = lake.store.infos(dataset, None)
    return sorted(lake.store.shown(i.path for i in infos if i.mtime is not None and i.mtime.timestamp() >= first))


def runs(
    lake: Lake, run_id: str | None = None, limit: int | None = None, since: datetime | None = None
) -> list[dict[str, Any]]:
    """Runs, the latest first.

    Args:
        run_id: only this one.
        limit: at most so many.
        since: looks only at what was written since then: an older run is absent, one that began before may be in part.

    Returns:
        Of each ``run_id``, ``at`` (its latest row, UTC), ``stages`` (partitions and rows of what it made), ``models``
        (calls, kept replies, tokens and money by task), their sums, the versions by :data:`CHANGES`, and
        ``rolled_back_by`` (None where it stands), ``rolls_back`` (of a rollback: the runs).
    """
    params = {"run": run_id}
    names = ("memory_versions", "made", "costs")
    files = None if since is None else {name: (name, _written_since(lake, name, since)) for name in names}
    mine = "$run IS NULL OR run_id = $run"
    found: dict[str, dict[str, Any]] = {}
    for row in kept_sql(
        lake,
        ["memory_versions"],
        f"SELECT run_id, {_CHANGES}, max(recorded_at) AS at FROM memory_versions WHERE {mine} GROUP BY run_id",
        params | {"retired": _RETIRED},
        files=files,
    ).to_pylist():
        _at(found, row)["versions"] = {name: row[name] for name in CHANGES}
    for row in kept_sql(
        lake,
        ["made"],
        "SELECT run_id, stage, count(*) AS partitions, sum(rows)::BIGINT AS rows, max(recorded_at) AS at "
        f"FROM made WHERE {mine} GROUP BY ALL ORDER BY stage",
        params,
        files=files,
    ).to_pylist():
        _at(found, row)["stages"][row["stage"]] = {"partitions": row["partitions"], "rows": row["rows"]}
    for row in kept_sql(
        lake,
        ["costs"],
        f"SELECT run_id, stage, {_COSTS}, max(recorded_at) AS at FROM ({ENTRIES}) WHERE {mine} "
        "GROUP BY ALL ORDER BY stage",
        params,
        files=files,
    ).to_pylist():
        run = _at(found, row)
        run["models"][row["stage"]] = {name: row[name] for name in ("calls", "cached", "tokens", "usd")}
    _with_rollbacks(lake, found, run_id)
    ordered = sorted(found.values(), key=lambda r: (r["at"], r["run_id"]), reverse=True)[:limit]
    return [run | _sums(run["models"].values()) for run in ordered]


def _at(found: dict[str, dict[str, Any]], row: dict[str, Any]) -> dict[str, Any]:
    """The entry of a row's run; its time is that of the latest row."""
    run = found.setdefault(
        row["run_id"],
        {
            "run_id": row["run_id"],
            "at": row["at"].replace(tzinfo=UTC),
            "stages": {},
            "versions": dict.fromkeys(CHANGES, 0),
            "models": {},
            "rolled_back_by": None,
            "rolls_back": [],
        },
    )
    run["at"] = max(run["at"], row["at"].replace(tzinfo=UTC))
    return run


def _with_rollbacks(lake: Lake, found: dict[str, dict[str, Any]], run_id: str | None) -> None:
    from memory_pipeline.domain.ledger.hold import Hold, standing_holds

    holds = lake.read("holds", Hold)
    for hold in holds:
        if run_id in (None, hold.rollback_id):
            _at(found, {"run_id": hold.rollback_id, "at": hold.recorded_at})["rolls_back"] = list(hold.runs)
    for hold in standing_holds(holds):
        for run in hold.runs:
            if run in found:
                found[run]["rolled_back_by"] = hold.rollback_id


def _sums(models: Iterable[dict[str, Any]]) -> dict[str, Any]:
    rows = list(models)
    return {
        "model_calls": sum(r["calls"] for r in rows),
        "model_calls_cached": sum(r["cached"] for r in rows),
        "tokens": sum(r["tokens"] for r in rows),
        "usd": round(sum(r["usd"] for r in rows), 6),
    }
