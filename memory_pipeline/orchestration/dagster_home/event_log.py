"""Dagster's own history, kept short: it never prunes what runs have logged.

Of runs that finished long ago the logs go; what the asset graph, freshness and checks are read from stays: of every
asset and partition the latest event of each kind, of every check its latest evaluation. Runs of which nothing is left
go as a whole. The same on SQLite, where each run's log is a file of its own beside a common index, and on Postgres.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import dagster as dg
import sqlalchemy as db

# There is no public interface to the event log's tables; the range of Dagster's versions is pinned.
from dagster._core.storage.dagster_run import FINISHED_STATUSES
from dagster._core.storage.event_log.schema import (
    AssetCheckExecutionsTable,
    AssetEventTagsTable,
    SqlEventLogStorageTable,
)
from dagster._core.storage.event_log.sql_event_log import SqlEventLogStorage
from dagster._core.storage.event_log.sqlite import SqliteEventLogStorage
from dagster._core.storage.runs.schema import RunsTable, RunTagsTable
from dagster._core.storage.runs.sql_run_storage import SqlRunStorage

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

_AT_ONCE = 500  # ids in one IN list
_EVENTS = SqlEventLogStorageTable.c
_CHECKS = AssetCheckExecutionsTable.c
_LOCKED_S = 5  # wait for whoever holds a SQLite file before it is left for the next night
_FREE_SHARE = 0.25  # of a SQLite file's pages that are empty, from which on writing it anew is worth it


@dataclass(frozen=True, slots=True)
class Pruned:
    """What went.

    Attributes:
        logs: runs whose log is gone.
        events: rows of the common event log.
        runs: of which nothing is left.
        freed: bytes on disk; 0 on Postgres, whose own vacuum makes room.
    """

    logs: int = 0
    events: int = 0
    runs: int = 0
    freed: int = 0


def prune(instance: dg.DagsterInstance, before: datetime, keep: int) -> Pruned:
    """Prune what runs have logged that finished before a time.

    Args:
        keep: so many of the latest runs keep their logs however old they are.
    """
    log, runs = instance.event_log_storage, instance.run_storage
    if not isinstance(log, SqlEventLogStorage) or not isinstance(runs, SqlRunStorage):
        return Pruned()  # in memory
    old = _finished(instance, before, keep)
    size = _on_disk(log)
    logs = _drop_logs(log, old) if isinstance(log, SqliteEventLogStorage) else 0
    with log.index_connection() as conn:
        events = sum(_drop_events(conn, part) for part in _parts(old))
        left = {row[0] for row in conn.execute(db.select(_EVENTS.run_id).distinct())}
    gone = [run_id for run_id in old if run_id not in left]
    with runs.connect() as conn:
        for part in _parts(gone):
            conn.execute(RunTagsTable.delete().where(RunTagsTable.c.run_id.in_(part)))
            conn.execute(RunsTable.delete().where(RunsTable.c.run_id.in_(part)))
    if isinstance(log, SqliteEventLogStorage):
        for file in _files(log):
            _vacuum(file)
    return Pruned(logs or (0 if size else len(old)), events, len(gone), max(0, size - _on_disk(log)))


def _finished(instance: dg.DagsterInstance, before: datetime, keep: int) -> list[str]:
    """Ids of the runs that ended before a time, without the latest ones."""
    filters = dg.RunsFilter(statuses=FINISHED_STATUSES, updated_before=before)
    kept = set(instance.get_run_ids(limit=keep)) if keep else set()
    return [run_id for run_id in instance.get_run_ids(filters) if run_id not in kept]


def _drop_logs(log: SqliteEventLogStorage, run_ids: Sequence[str]) -> int:
    """Remove the files that hold some runs' logs. Returns how many there were."""
    there = set(log.get_all_run_ids()).intersection(run_ids)
    for run_id in there:
        log._initialized_dbs.discard(run_id)  # whoever looks at the run again finds an empty log
        file = log.path_for_shard(run_id)
        for path in (f"{file}-wal", f"{file}-shm", file):
            with suppress(FileNotFoundError):
                Path(path).unlink()
    return len(there)


def _drop_events(conn: Connection, run_ids: Sequence[str]) -> int:
    """Remove the events of some runs that say nothing any more about an asset. Returns how many."""
    latest_checks = db.select(db.func.max(_CHECKS.id)).group_by(
        _CHECKS.asset_key, _CHECKS.check_name, _CHECKS.partition
    )
    conn.execute(
        AssetCheckExecutionsTable.delete().where(_CHECKS.run_id.in_(run_ids), _CHECKS.id.not_in(latest_checks))
    )
    shown = db.select(_CHECKS.evaluation_event_storage_id).where(_CHECKS.evaluation_event_storage_id.is_not(None))
    latest = (
        db.select(db.func.max(_EVENTS.id))
        .where(_EVENTS.asset_key.is_not(None))
        .group_by(_EVENTS.asset_key, _EVENTS.partition, _EVENTS.dagster_event_type)
    )
    kept = db.or_(
        _EVENTS.id.in_(shown),
        db.and_(
            _EVENTS.asset_key.is_not(None),
            _EVENTS.dagster_event_type.in_([str(kind.value) for kind in _OF_ASSETS]),
            _EVENTS.id.in_(latest),
        ),
    )
    ids = [row[0] for row in conn.execute(db.select(_EVENTS.id).where(_EVENTS.run_id.in_(run_ids), db.not_(kept)))]
    for part in _parts(ids):
        conn.execute(AssetEventTagsTable.delete().where(AssetEventTagsTable.c.event_id.in_(part)))
        conn.execute(SqlEventLogStorageTable.delete().where(_EVENTS.id.in_(part)))
    return len(ids)


_OF_ASSETS = (
    dg.DagsterEventType.ASSET_MATERIALIZATION,
    dg.DagsterEventType.ASSET_OBSERVATION,
    dg.DagsterEventType.ASSET_MATERIALIZATION_PLANNED,
    dg.DagsterEventType.ASSET_FAILED_TO_MATERIALIZE,
    dg.DagsterEventType.FRESHNESS_STATE_CHANGE,
)


def _parts(ids: Sequence[Any]) -> Iterator[Sequence[Any]]:
    for start in range(0, len(ids), _AT_ONCE):
        yield ids[start : start + _AT_ONCE]


def _files(log: SqliteEventLogStorage) -> list[Path]:
    """The SQLite files that all runs share: the index of their events, and the runs themselves."""
    folder = Path(log.path_for_shard("index")).parent
    return [path for path in (folder / "index.db", folder.parent / "runs.db") if path.exists()]


def _on_disk(log: SqlEventLogStorage) -> int:
    if not isinstance(log, SqliteEventLogStorage):
        return 0
    folder = Path(log.path_for_shard("index")).parent.parent
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _vacuum(file: Path) -> None:
    """Write a file anew without its empty pages; one that is in use is left for another night."""
    import sqlite3

    with suppress(sqlite3.OperationalError):
        connection = sqlite3.connect(file, timeout=_LOCKED_S, isolation_level=None)
        try:
            pages, free = (
                connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "freelist_count")
            )
            if free > _FREE_SHARE * pages:
                connection.execute("VACUUM")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        finally:
            connection.close()
