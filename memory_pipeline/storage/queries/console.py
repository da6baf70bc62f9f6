"""Read-only SQL for people: the lake's datasets as views, and what is remembered now."""

from __future__ import annotations

import threading

import duckdb
import pyarrow as pa

from memory_pipeline.errors import QueryError
from memory_pipeline.settings import Settings
from memory_pipeline.storage.parquet.lake import Lake
from memory_pipeline.storage.parquet.schemas import DATASETS
from memory_pipeline.storage.queries.current_memories import SHOWN_MEMORIES, shown_entities, shown_links
from memory_pipeline.storage.queries.ledger import CURRENT, STANDING

# Datasets that are shown in part: what is stored, by the name under which the views read it.
_STORED = {"links": "link_rows", "entities": "entity_rows"}
_BATCH = 10_000  # rows
_VIEWS = {
    "memories": CURRENT,
    "reflections": f"SELECT * FROM ({CURRENT}) WHERE type = 'reflection'",
    "standing_versions": STANDING,
}


def query(settings: Settings, text: str) -> pa.Table:
    """Run one SELECT. The views are materialised first, then the database loses its access to files.

    Raises:
        QueryError: the SQL is wrong, is not a single SELECT, or takes more time or memory than the settings allow; the
            message is DuckDB's, or names the setting.
    """
    lake, defined = Lake(settings.path("lake")), _defined(settings)
    with duckdb.connect(":memory:") as con:
        con.execute("SET TimeZone = 'UTC'")
        con.execute(f"SET memory_limit = '{settings.sql_memory_mb}MB'; SET temp_directory = ''")
        try:
            text.encode()
            statements = con.extract_statements(text)
        except UnicodeEncodeError as error:
            raise QueryError(f"the query is no text: {error.reason} at character {error.start}") from error
        except duckdb.Error as error:
            raise QueryError(str(error)) from error
        if len(statements) != 1 or statements[0].type is not duckdb.StatementType.SELECT:
            raise QueryError("one SELECT at a time: the lake is read-only here")
        for name in DATASETS:
            if name in text or (name == "memory_versions" and any(v in text for v in defined)):
                con.register(_STORED.get(name, name), lake.sql(f'SELECT * FROM "{name}"'))
        for name, definition in defined.items():
            if name in text:
                con.execute(f'CREATE VIEW "{name}" AS {definition}')
        con.execute("SET enable_external_access = false; SET lock_configuration = true")
        try:
            return _bounded(con, text, settings)
        except duckdb.InterruptException as error:
            raise _too_long(settings) from error
        except duckdb.OutOfMemoryException as error:
            raise _too_large(settings) from error
        except OSError as error:  # as Arrow tells what DuckDB raises between two parts of a result
            if "INTERRUPT" in str(error):
                raise _too_long(settings) from error
            raise (_too_large(settings) if "Out of Memory" in str(error) else QueryError(str(error))) from error
        except duckdb.CatalogException as error:
            raise QueryError(f"{_first_line(error)}; `memory-pipeline sql --views` lists the views") from error
        except duckdb.Error as error:
            raise QueryError(str(error)) from error


def _bounded(con: duckdb.DuckDBPyConnection, text: str, settings: Settings) -> pa.Table:
    """The result of a query, which is stopped when it takes too long or grows too large."""
    clock = threading.Timer(settings.sql_timeout_s, con.interrupt)
    clock.daemon = True
    clock.start()
    try:
        reader = con.sql(text).to_arrow_reader(_BATCH)
        batches, size = [], 0
        for batch in reader:
            size += batch.nbytes
            if size > settings.sql_memory_mb << 20:
                raise _too_large(settings)
            batches.append(batch)
        return pa.Table.from_batches(batches, reader.schema)
    finally:
        clock.cancel()


def _too_long(settings: Settings) -> QueryError:
    return QueryError(f"the query took longer than {settings.sql_timeout_s:g} s (MEMORY_PIPELINE_SQL_TIMEOUT_S)")


def _too_large(settings: Settings) -> QueryError:
    return QueryError(
        f"the query or its result takes more than {settings.sql_memory_mb:,} MB (MEMORY_PIPELINE_SQL_MEMORY_MB): "
        "select fewer rows or columns"
    )


def views(settings: Settings) -> dict[str, list[str]]:
    """The columns of every view that :func:`query` knows, by its name."""
    lake, defined = Lake(settings.path("lake")), _defined(settings)
    with duckdb.connect(":memory:") as con:
        for name in DATASETS:
            con.register(_STORED.get(name, name), lake.sql(f'SELECT * FROM "{name}" LIMIT 0'))
        for name, definition in defined.items():
            con.execute(f'CREATE VIEW "{name}" AS {definition}')
        return {name: con.table(name).columns for name in sorted({*DATASETS, *defined})}


def _defined(settings: Settings) -> dict[str, str]:
    return {
        **_VIEWS,
        "links": shown_links(settings.policies.consolidation.max_links, "link_rows", f"({SHOWN_MEMORIES})"),
        "entities": shown_entities("entity_rows"),
    }


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0]
