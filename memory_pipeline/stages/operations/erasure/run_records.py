"""Erased texts out of the orchestrator's own records: events and their metadata, ticks, errors, tags.

Tables of examples and previews quote what users said. A record that names an erased user or holds a trace of an erased
text keeps its shape and loses its words. What was overwritten does not stay behind in the files: they are vacuumed.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memory_pipeline.errors import StorageError
from memory_pipeline.settings import Settings

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine

    from memory_pipeline.storage.erasing.traces import Traces

ERASED = "[erased]"
_COLUMNS = {
    "event_logs": ("event",),
    "asset_keys": ("last_materialization", "asset_details", "tags", "cached_status_data"),
    "asset_event_tags": ("value",),
    "asset_check_executions": ("evaluation_event",),
    "runs": ("run_body",),
    "run_tags": ("value",),
    "kvs": ("value",),
    "bulk_actions": ("body",),
    "backfill_tags": ("value",),
    "daemon_heartbeats": ("body",),
    "job_ticks": ("tick_body",),
    "jobs": ("job_body",),
    "instigators": ("instigator_body",),
    "asset_daemon_asset_evaluations": ("asset_evaluation_body",),
}
_TEXTS = ("dagster", "alerts")
_BATCH = 500
_WAIT_S = 30


class Redaction:
    """Which strings of a record go.

    Args:
        users: ids of the users that are erased as a whole: what is about them goes, whatever it says.
    """

    def __init__(self, traces: Traces, users: Collection[str]) -> None:
        self._traces = traces
        self._users = frozenset(users)
        spelt = {s for u in users for s in (u, json.dumps(u)[1:-1])}
        named = "|".join(re.escape(s) for s in sorted(spelt))
        self._named = re.compile(rf"\*\*(?:{named})(?:\*\*|,)|['\"](?:{named})['\"]|/(?:{named})/") if named else None

    def touches(self, text: str) -> bool:
        """Whether a text says something that is erased."""
        return self._traces.touch(text) or (self._named is not None and self._named.search(text) is not None)

    def redacted(self, text: str) -> str:
        """A record's text without what is erased; JSON keeps its shape."""
        if not self.touches(text):
            return text
        try:
            value = json.loads(text)
        except ValueError:
            return ERASED
        return json.dumps(self._walked(value))

    def _walked(self, value: Any) -> Any:
        if isinstance(value, str):
            if not self.touches(value):
                return value
            try:  # JSON in JSON, as metadata often are
                inner = json.loads(value)
            except ValueError:
                return ERASED
            return json.dumps(self._walked(inner)) if isinstance(inner, (dict, list)) else ERASED
        if isinstance(value, list):
            return [self._walked(item) for item in value]
        if isinstance(value, dict):
            if self._about(value):
                return {k: ERASED if isinstance(v, str) else v for k, v in value.items()}
            return {key: self._walked(item) for key, item in value.items()}
        return value

    def _about(self, entry: dict[str, Any]) -> bool:
        """Whether a row of a table is about an erased user."""
        return "__class__" not in entry and any(isinstance(v, str) and v in self._users for v in entry.values())


def redact(settings: Settings, redaction: Redaction, *, dry: bool = False) -> Counter[str]:
    """Take erased texts out of the records of every run.

    Raises:
        StorageError: a database cannot be read or written; one that is in use for long is tried again later.
    """
    done: Counter[str] = Counter()
    if settings.remote:
        return done
    for path in databases(settings):
        with _engine(f"sqlite:///{path}") as engine:
            done.update(_database(engine, redaction, dry))
    if settings.postgres_url is not None:
        url = settings.postgres_url.get_secret_value().replace("postgres://", "postgresql://", 1)
        with _engine(url.replace("postgresql://", "postgresql+psycopg2://", 1)) as engine:
            done.update(_database(engine, redaction, dry))
    done.update(_logs(settings, redaction, dry))
    return +done


def databases(settings: Settings) -> list[Path]:
    """The orchestrator's SQLite files."""
    return sorted(Path(settings.path("dagster")).rglob("*.db"))


@contextmanager
def _engine(url: str) -> Iterator[Engine]:
    from sqlalchemy import create_engine
    from sqlalchemy.exc import SQLAlchemyError
    from sqlalchemy.pool import NullPool

    arguments = {"timeout": _WAIT_S} if url.startswith("sqlite") else {}
    engine = create_engine(url, poolclass=NullPool, connect_args=arguments)
    try:
        yield engine
    except SQLAlchemyError as error:
        where = engine.url.render_as_string(hide_password=True)
        raise StorageError(f"cannot erase from the records of runs in {where}: {error}; run it again") from error
    finally:
        engine.dispose()


def _database(engine: Engine, redaction: Redaction, dry: bool) -> Counter[str]:
    from sqlalchemy import inspect, text

    done: Counter[str] = Counter()
    tables = set(inspect(engine).get_table_names()) & _COLUMNS.keys()
    changed = set()
    with engine.begin() as connection:
        for table in sorted(tables):
            there = {column["name"] for column in inspect(engine).get_columns(table)}
            for column in there.intersection(_COLUMNS[table]):
                count = _column(connection, table, column, redaction, dry)
                if count:
                    done["records of runs"] += count
                    changed.add(table)
    if changed and not dry:
        with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            if engine.dialect.name == "sqlite":
                connection.execute(text("PRAGMA wal_checkpoint(TRUNCATE)"))
                connection.execute(text("VACUUM"))
                connection.execute(text("PRAGMA wal_checkpoint(TRUNCATE)"))
            else:
                for table in sorted(changed):
                    connection.execute(text(f'VACUUM FULL "{table}"'))
    return done


def _column(connection: Connection, table: str, column: str, redaction: Redaction, dry: bool) -> int:
    """Names of tables and columns are ours; values are parameters."""
    from sqlalchemy import text

    changed, last = 0, -1
    select = text(
        f'SELECT id, "{column}" AS value FROM "{table}" WHERE id > :last AND "{column}" IS NOT NULL '
        f"ORDER BY id LIMIT {_BATCH}"
    )
    while rows := connection.execute(select, {"last": last}).all():
        last = rows[-1].id
        for row in rows:
            value = str(row.value)
            after = redaction.redacted(value)
            if after != value:
                changed += 1
                if not dry:
                    update = text(f'UPDATE "{table}" SET "{column}" = :value WHERE id = :id')
                    connection.execute(update, {"value": after, "id": row.id})
    return changed


def _logs(settings: Settings, redaction: Redaction, dry: bool) -> Counter[str]:
    """Lines of compute logs and other text files of the orchestrator, and of alerts."""
    done: Counter[str] = Counter()
    for path in sorted(p for folder in _TEXTS for p in Path(settings.path(folder)).rglob("*")):
        if not path.is_file() or path.suffix in (".db", ".db-wal", ".db-shm", ".db-journal") or path.is_symlink():
            continue
        raw = path.read_bytes()
        try:
            lines = raw.decode("utf-8").splitlines(keepends=True)
        except UnicodeDecodeError:
            continue
        hits = [n for n, line in enumerate(lines) if redaction.touches(line)]
        if hits:
            done["lines of logs"] += len(hits)
            for n in hits:
                lines[n] = redaction.redacted(lines[n].rstrip("\n")) + "\n"
            if not dry:
                path.write_text("".join(lines), encoding="utf-8")
    return done
