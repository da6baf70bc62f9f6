"""Dagster's SQLite storage with connections that stay open.

Dagster's own opens an engine for every event that it stores, mostly twice, and closes it again: a third of what a run
takes. Files, tables and migrations are Dagster's; either class reads what the other has written.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Lock, RLock
from typing import Any, Self

import sqlalchemy as db

# There is no public interface to replace a part of the storage; the range of Dagster's versions is pinned.
from dagster._core.events.log import EventLogEntry
from dagster._core.storage.base_storage import DagsterStorage
from dagster._core.storage.event_log.schema import AssetKeyTable
from dagster._core.storage.event_log.sqlite.sqlite_event_log import INDEX_SHARD_NAME, SqliteEventLogStorage
from dagster._core.storage.runs.sqlite.sqlite_run_storage import SqliteRunStorage
from dagster._core.storage.schedules.sqlite.sqlite_schedule_storage import SqliteScheduleStorage
from dagster._core.storage.sqlite import SQLITE_BUSY_TIMEOUT_SECONDS
from dagster._core.storage.sqlite_storage import DagsterSqliteStorage
from dagster._serdes import ConfigurableClassData
from sqlalchemy.engine import Connection, Engine
from sqlalchemy.pool import QueuePool

_MOST = 8  # files with open connections; each run's log is a file of its own
_File = tuple[int, int]  # device and inode


class Engines:
    """The engines of a few SQLite files, each opened once a process; the least used one is closed for another.

    A file that has been removed or replaced gets an engine anew, and a forked process gets engines of its own.
    """

    def __init__(self) -> None:
        self._open: OrderedDict[str, tuple[_File | None, Engine]] = OrderedDict()
        self._process = os.getpid()
        self._lock = Lock()

    def of(self, url: str) -> Engine:
        """The engine of a file, by its SQLAlchemy URL."""
        file = _file(Path(db.make_url(url).database or ""))
        with self._lock:
            if self._process != os.getpid():
                self._drop(close=False)
            known, engine = self._open.get(url, (None, None))
            if engine is None or (known is not None and known != file):
                if engine is not None:
                    engine.dispose()
                engine = _engine(url)
            self._open[url] = file, engine
            self._open.move_to_end(url)
            while len(self._open) > _MOST:
                self._open.popitem(last=False)[1][1].dispose()
            return engine

    def close(self) -> None:
        """Close every connection; a later use opens them again."""
        with self._lock:
            self._drop(close=self._process == os.getpid())

    def _drop(self, *, close: bool) -> None:
        for _, engine in self._open.values():
            engine.dispose(close=close)
        self._open.clear()
        self._process = os.getpid()


def _file(path: Path) -> _File | None:
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino


def _engine(url: str) -> Engine:
    timeout = {"timeout": SQLITE_BUSY_TIMEOUT_SECONDS}
    engine = db.create_engine(url, poolclass=QueuePool, pool_size=1, max_overflow=-1, connect_args=timeout)

    # With a write-ahead log a power cut can take the last events back; it damages nothing, and a run's own notes are in
    # the lake.
    @db.event.listens_for(engine, "connect")
    def _connected(connection: Any, _: Any) -> None:
        connection.execute("PRAGMA synchronous=NORMAL")

    return engine


class KeptEventLog(SqliteEventLogStorage):
    """The event log; its connections are used by one thread at a time, as in Dagster's own."""

    def __init__(self, base_dir: str, inst_data: ConfigurableClassData | None = None) -> None:
        self._engines = Engines()
        self._held: dict[str, Connection] = {}
        self._there: set[str] = set()
        super().__init__(base_dir, inst_data)
        self._db_lock = RLock()  # type: ignore[assignment]

    @contextmanager
    def _connect(self, shard: str) -> Iterator[Connection]:
        with self._db_lock:
            if shard in self._held:
                yield self._held[shard]
                return
            engine = self._engines.of(self.conn_string_for_shard(shard))
            if shard not in self._initialized_dbs:
                self._initdb(engine)
                self._initialized_dbs.add(shard)
            with engine.begin() as connection:
                yield connection

    def store_event_batch(self, events: Sequence[EventLogEntry]) -> None:
        """Store events of one run in one transaction of each file that they go into."""
        (run_id,) = {event.run_id for event in events}
        with self._db_lock, self._connect(run_id) as run, self._connect(INDEX_SHARD_NAME) as index:
            self._held = {run_id: run, INDEX_SHARD_NAME: index}
            try:
                for event in events:
                    self.store_event(event)
            finally:
                self._held = {}

    # Both are asked for every event, and answered by looking into the file; what is there once stays.

    def has_table(self, table_name: str) -> bool:
        return self._known(table_name, lambda: super(KeptEventLog, self).has_table(table_name))

    def _has_asset_key_col_on_connection(self, conn: Connection, column_name: str) -> bool:
        look = super()._has_asset_key_col_on_connection
        return self._known(f"{AssetKeyTable.name}.{column_name}", lambda: look(conn, column_name))

    def _known(self, name: str, look: Callable[[], bool]) -> bool:
        if name not in self._there and look():
            self._there.add(name)
        return name in self._there

    def dispose(self) -> None:
        super().dispose()
        self._engines.close()


class KeptRuns(SqliteRunStorage):
    """The runs."""

    def __init__(self, conn_string: str, inst_data: ConfigurableClassData | None = None) -> None:
        self._engines = Engines()
        super().__init__(conn_string, inst_data)

    @contextmanager
    def connect(self) -> Iterator[Connection]:
        with self._engines.of(self._conn_string).begin() as connection:
            yield connection

    def dispose(self) -> None:
        super().dispose()
        self._engines.close()


class KeptSqliteStorage(DagsterSqliteStorage):
    """Both, with Dagster's own ticks of schedules and sensors, in the folders where its class has them."""

    def __init__(self, base_dir: str, inst_data: ConfigurableClassData | None = None) -> None:
        self.base_dir = base_dir
        self._run_storage = KeptRuns.from_local(os.path.join(base_dir, "history", ""))
        self._event_log_storage = KeptEventLog(os.path.join(base_dir, "history", "runs", ""))
        self._schedule_storage = SqliteScheduleStorage.from_local(os.path.join(base_dir, "schedules"))
        self._inst_data = inst_data
        DagsterStorage.__init__(self)  # type: ignore[no-untyped-call,arg-type]

    @classmethod
    def from_config_value(  # type: ignore[override]
        cls, inst_data: ConfigurableClassData | None, config_value: dict[str, str]
    ) -> Self:
        return cls.from_local(inst_data=inst_data, **config_value)
