"""Read-only SQL for people: the lake's datasets as views, and what is remembered now."""

from __future__ import annotations

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
_VIEWS = {
    "memories": CURRENT,
    "reflections": f"SELECT * FROM ({CURRENT}) WHERE type = 'reflection'",
    "standing_versions": STANDING,
}


def query(settings: Settings, text: str) -> pa.Table:
    """Run one SELECT. The views are materialised first, then the database loses its access to files.

    Raises:
        QueryError: the SQL is wrong, or is not a single SELECT; the message is DuckDB's.
    """
    lake, defined = Lake(settings.path("lake")), _defined(settings)
    with duckdb.connect(":memory:") as con:
        con.execute("SET TimeZone = 'UTC'")
        try:
            statements = con.extract_statements(text)
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
            found: pa.Table = con.sql(text).to_arrow_table()
        except duckdb.CatalogException as error:
            raise QueryError(f"{_first_line(error)}; `memory-pipeline sql --views` lists the views") from error
        except duckdb.Error as error:
            raise QueryError(str(error)) from error
        return found


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
