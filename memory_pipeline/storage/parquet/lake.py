"""The lake: one Parquet dataset a noun, partitioned by event day.

Layout: ``lake/<dataset>/day=2026-03-10/<file>.parquet``. Appended files are named after their content: writing the same
rows twice leaves one file.
"""

from __future__ import annotations

import hashlib
import io
import os
import warnings
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Any, TypeVar

import duckdb
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.fs as pafs
import pyarrow.parquet as pq

from memory_pipeline.domain.scope import Scope
from memory_pipeline.errors import StorageError
from memory_pipeline.storage.exclusion.erasure_fence import Fence
from memory_pipeline.storage.parquet.arrow_rows import empty, from_table, to_table
from memory_pipeline.storage.parquet.damaged_files import damage, damaged
from memory_pipeline.storage.parquet.files import ROLLED, Files, replaced_by
from memory_pipeline.storage.parquet.migrations import upgraded
from memory_pipeline.storage.parquet.schemas import DATASETS, Dataset
from memory_pipeline.storage.parquet.sql_engine import engine
from memory_pipeline.storage.parquet.versions import Versions, version_in

warnings.filterwarnings("ignore", "Arrow output on a DB-API result", UserWarning)  # why it is asked for: Lake._run

T = TypeVar("T")
_TRIES = 20  # files that another process replaces while they are read are read again
IMMUTABLE = frozenset(
    {
        "memory_versions",
        "made",
        "replies",
        "vectors",
        "costs",
        "quarantined",
        "message_revisions",
        "message_classes",
        "sources",
        "evaluations",
        "audits",
    }
)
"""Datasets whose files keep what they say until they are removed."""


class Lake:
    """Reads and writes the datasets under one root (a path or an object-storage URI)."""

    def __init__(self, root: str) -> None:
        self.root = root
        self.store = Files(root)
        self.versions = Versions(self.store)
        self.fence = Fence(self.store.base if self.store.local else root.rstrip("/"))

    # -- places

    def days(self, dataset: str) -> list[date]:
        """The days that hold at least one file, in order."""
        return self.store.days(dataset)

    def files(self, dataset: str, days: Iterable[date] | None = None) -> list[str]:
        """Paths of the dataset's files, of all days or of some, in order."""
        return self.store.paths(dataset, days)

    # -- writing

    def append(self, dataset: str, rows: Sequence[Any] | pa.Table, under: str = "") -> int:
        """Add rows (instances of the dataset's noun, or a table of them), one file for each of their days.

        Args:
            under: folder to write to instead, such as ``".staged/run-1/"``.

        Returns:
            The number of files.
        """
        if not len(rows):
            return 0
        by_day: dict[date, Any] = {}
        with self.fence.writing(dataset, rows) as allowed:
            if isinstance(allowed, pa.Table):
                table = allowed.select(DATASETS[dataset].schema.names)
                by_day = {day: table.filter(pc.equal(table["day"], day)) for day in pc.unique(table["day"]).to_pylist()}
            else:
                for row in allowed:
                    by_day.setdefault(row.day, []).append(row)
            for day, part in sorted(by_day.items()):
                data = self._encode(DATASETS[dataset], part)
                name = f"{hashlib.sha256(data).hexdigest()[:32]}.parquet"
                self.store.put(f"{under}{dataset}/day={day.isoformat()}/{name}", data)
        return len(by_day)

    def replace(self, dataset: str, day: date, rows: Sequence[Any] | pa.Table, part: str = "part") -> None:
        """Make a partition (or a named part of it) hold exactly these rows: one file, put in place by one rename;
        none when there are no rows."""
        path = f"{dataset}/day={day.isoformat()}/{part}.parquet"
        with self.fence.writing(dataset, rows) as allowed:
            if len(allowed):
                self.store.put(path, self._encode(DATASETS[dataset], allowed))
            else:
                self.store.remove(path)

    def amend(self, dataset: str, rows: Sequence[Any], by: Sequence[str]) -> None:
        """Put rows in the place of those of their day that agree with them in some columns: each file by one rename.

        Rows that agree with none are left out. Another writer of these partitions must be kept away meanwhile.
        """
        by_day: dict[date, dict[tuple[Any, ...], Any]] = {}
        if not rows:
            return
        for row in rows:
            by_day.setdefault(row.day, {})[tuple(getattr(row, name) for name in by)] = row
        for day, wanted in sorted(by_day.items()):
            for file in self.files(dataset, [day]):
                keys = list(zip(*(c.to_pylist() for c in self.columns(dataset, [file], by).columns), strict=True))
                found = [wanted[key] for key in keys if key in wanted]
                if found:
                    whole = self.columns(dataset, [file], DATASETS[dataset].schema.names)
                    rest = whole.filter(pa.array([key not in wanted for key in keys]))
                    table = pa.concat_tables([rest.cast(DATASETS[dataset].schema), self._table(dataset, found)])
                    path = file.removeprefix(f"{self.store.base}/")
                    names = replaced_by(self.store.fs, file)
                    notes = {ROLLED: "\n".join(sorted(names))} if names else None
                    self.store.put(path, self._encode_table(DATASETS[dataset], table, notes))

    def encoded(self, dataset: str, table: pa.Table, notes: Mapping[str, str] | None = None) -> bytes:
        """A file of a dataset's rows, as it is written, with further entries in its metadata."""
        return self._encode_table(DATASETS[dataset], table, notes)

    def _table(self, dataset: str, rows: Sequence[Any]) -> pa.Table:
        return to_table(rows, DATASETS[dataset].noun).cast(DATASETS[dataset].schema)

    def _encode(self, dataset: Dataset, rows: Sequence[Any] | pa.Table) -> bytes:
        return self._encode_table(dataset, rows if isinstance(rows, pa.Table) else to_table(rows, dataset.noun))

    def _encode_table(self, dataset: Dataset, table: pa.Table, notes: Mapping[str, str] | None = None) -> bytes:
        self.versions.writing(dataset.name)
        table = table.cast(dataset.schema).sort_by([(name, "ascending") for name in dataset.key])
        if notes:
            known = {k.decode(): v.decode() for k, v in (table.schema.metadata or {}).items()}
            table = table.replace_schema_metadata(known | dict(notes))
        sink = io.BytesIO()
        pq.write_table(table, sink, compression="zstd", write_statistics=True, row_group_size=64_000)
        return sink.getvalue()

    # -- reading

    def sql(
        self,
        query: str,
        params: Mapping[str, Any] | None = None,
        *,
        days: Mapping[str, Iterable[date]] | None = None,
        tables: Mapping[str, pa.Table] | None = None,
        files: Mapping[str, tuple[str, Sequence[str]]] | None = None,
    ) -> pa.Table:
        """Run one DuckDB query in which every dataset is a view of its name.

        Args:
            query: SQL with ``$name`` parameters; values never go into the text.
            days: partitions to read, by dataset; a dataset that is not named is read whole.
            tables: further Arrow tables, by name.
            files: by name, files to be read as rows of a dataset; under a dataset's own name in place of all of it.

        Raises:
            StorageError: a file is damaged, or the lake cannot be read; the message says which file, and what to do.
        """
        given = files or {}
        for again in range(_TRIES):
            listed = {
                name: (name, self.files(name, None if days is None else days.get(name)))
                for name in DATASETS
                if name in query and name not in given
            }
            moving = [path for name, (_, paths) in listed.items() if name not in IMMUTABLE for path in paths]
            before = self._stamps(moving)
            try:
                found = self._run(query, params, {**given, **listed}, tables or {})
                if self._stamps(moving) == before:
                    return found
            except (duckdb.Error, OSError, pa.ArrowException) as error:
                read = [path for _, paths in (*given.values(), *listed.values()) for path in paths]
                moved = self._any_gone(path for _, paths in listed.values() for path in paths)
                if again + 1 == _TRIES or not (moved or self._stamps(moving) != before):
                    raise self._unreadable(error, read) from error
        raise StorageError(f"the lake at {self.root} is being written too fast to be read; try again")

    def _stamps(self, paths: Iterable[str]) -> list[tuple[int, int] | None]:
        """What differs once another file has taken a path: the engine opens a file twice, and would mix the two."""
        if not self.store.local:
            return []
        found: list[tuple[int, int] | None] = []
        for path in paths:
            try:
                stat = os.stat(path)
                found.append((stat.st_ino, stat.st_mtime_ns))
            except FileNotFoundError:
                found.append(None)
        return found

    def _run(
        self,
        query: str,
        params: Mapping[str, Any] | None,
        views: Mapping[str, tuple[str, Sequence[str]]],
        tables: Mapping[str, pa.Table],
    ) -> pa.Table:
        with engine(os.getpid()).cursor() as con:
            for name, (dataset, paths) in views.items():
                self._view(con, name, dataset, paths)
            for name, table in tables.items():
                con.register(name, table)
            # Not `con.sql`: it binds the statement twice before it runs, 6 ms where this takes 1 (measured). The copy
            # of the rows that the library warns of costs no more at 300,000 rows than the relation's own way.
            found: pa.Table = con.execute(query, params or {}).to_arrow_table()
            return found

    def _any_gone(self, paths: Iterable[str]) -> bool:
        return any(info.type == pafs.FileType.NotFound for info in self.store.fs.get_file_info(list(paths)))

    def _unreadable(self, error: Exception, paths: Sequence[str]) -> Exception:
        """What to tell of a query that failed: the file that is damaged, if one is."""
        for whole in (False, True):
            for path, why in damaged(self.store.fs, paths, whole=whole):
                return damage(path, why)
        if isinstance(error, (duckdb.IOException, OSError)):
            return StorageError(f"cannot read the lake at {self.root}: {error}")
        return error

    def columns(self, dataset: str, files: Sequence[str], names: Sequence[str]) -> pa.Table:
        """Some columns of some files of a dataset (paths as :meth:`files` gives them); a file that is gone is empty."""
        for again in range(_TRIES):
            there = [f.path for f in self.store.fs.get_file_info(list(files)) if f.type == pafs.FileType.File]
            try:
                return self._columns(dataset, there, names)
            except (OSError, pa.ArrowException) as error:
                if again + 1 < _TRIES and self._any_gone(there):
                    continue
                for path, why in damaged(self.store.fs, there, whole=True):
                    raise damage(path, why) from error
                raise StorageError(f"cannot read the lake at {self.root}: {error}") from error
        raise AssertionError("unreachable")

    def _columns(self, dataset: str, files: Sequence[str], names: Sequence[str]) -> pa.Table:
        behind = self.versions.behind(dataset, files)
        schema = DATASETS[dataset].schema
        wanted = pa.schema([schema.field(name) for name in names])
        now = [f for f in files if f not in behind]
        if self.store.local:
            found = pa.concat_tables([empty(wanted), *(_of_file(path, wanted) for path in now)])
        else:
            import pyarrow.dataset as pads  # loads pandas

            found = pads.dataset(now, schema=schema, filesystem=self.store.fs).to_table(columns=list(names))
        return pa.concat_tables([found, self.upgraded(dataset, behind).select(list(names))]) if behind else found

    def upgraded(self, dataset: str, files: Iterable[str]) -> pa.Table:
        """The rows of some files of older versions (full paths) as the present version has them."""
        schema = DATASETS[dataset].schema
        tables = [self._upgraded(dataset, path).select(schema.names).cast(schema) for path in files]
        return pa.concat_tables(tables) if tables else empty(schema)

    def _upgraded(self, dataset: str, path: str) -> pa.Table:
        """By the version that the very file says: another one may have taken its place since it was asked."""
        table = pq.read_table(path, filesystem=self.store.fs, partitioning=None)
        return upgraded(dataset, table, version_in(table.schema))

    def _view(self, con: duckdb.DuckDBPyConnection, name: str, dataset: str, files: Sequence[str]) -> None:
        schema = DATASETS[dataset].schema
        if files and self.store.local and self.versions.uniform(dataset, files):
            # Columns are those of the first file: to unite all files' takes twice as long (measured).
            con.execute(
                f'CREATE TEMP VIEW "{name}" AS SELECT * FROM read_parquet([{_listing(files)}], '
                "union_by_name = false, hive_partitioning = false)"
            )
            return
        behind = self.versions.behind(dataset, files)
        old = self.upgraded(dataset, behind)
        files = [f for f in files if f not in behind]
        if not files:
            con.register(name, old)
        elif self.store.local:
            con.register(f"{name} columns", old)  # files of older versions lack some
            con.execute(
                f'CREATE TEMP VIEW "{name}" AS SELECT * FROM read_parquet([{_listing(files)}], union_by_name = true, '
                f'hive_partitioning = false) UNION ALL BY NAME SELECT * FROM "{name} columns"'
            )
        else:
            import pyarrow.dataset as pads  # loads pandas

            now = pads.dataset(files, schema=schema, filesystem=self.store.fs)
            con.register(name, pads.dataset([now, pads.dataset(old)]) if behind else now)

    def read(
        self,
        dataset: str,
        cls: type[T],
        *,
        days: Iterable[date] | None = None,
        where: str = "true",
        params: Mapping[str, Any] | None = None,
        order: str | None = None,
    ) -> list[T]:
        """Rows of a dataset as instances of its noun, in the order of its key (or of ``order``)."""
        by = order or ", ".join(DATASETS[dataset].key)
        table = self.sql(
            f'SELECT * FROM "{dataset}" WHERE {where} ORDER BY {by}',
            params,
            days=None if days is None else {dataset: list(days)},
        )
        return from_table(table, cls)


def _of_file(path: str, wanted: pa.Schema) -> pa.Table:
    """Some columns of a local file, empty where an older version of its dataset had none."""
    with pq.ParquetFile(path) as file:
        found = file.read(columns=wanted.names, use_threads=False)
    for place, field in enumerate(wanted):
        if field.name not in found.schema.names:
            found = found.add_column(place, field, pa.nulls(found.num_rows, field.type))
    return found if found.schema == wanted else found.select(wanted.names).cast(wanted)


def _listing(files: Iterable[str]) -> str:
    return ", ".join("'" + f.replace("'", "''") + "'" for f in files)


def scopes_table(scopes: Iterable[Scope]) -> pa.Table:
    """Scopes as a table to join with: the only way that user names enter a query."""
    ordered = sorted(set(scopes))
    return pa.table(
        {"tenant_id": [s.tenant_id for s in ordered], "user_id": [s.user_id for s in ordered]},
        schema=pa.schema([("tenant_id", pa.string()), ("user_id", pa.string())]),
    )


def scopes_in(table: pa.Table) -> list[Scope]:
    """The scopes that the rows of a table name, in their order."""
    return [Scope(t, u) for t, u in zip(*(table[c].to_pylist() for c in ("tenant_id", "user_id")), strict=True)]
