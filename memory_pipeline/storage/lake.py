"""The lake: one Parquet dataset a noun, partitioned by event day.

Layout: ``lake/<dataset>/day=2026-03-10/<file>.parquet``. A file appears by rename (one PUT on object storage), so
readers see all of it or none. Appended files are named after their content: writing the same rows twice leaves one
file.
"""

from __future__ import annotations

import hashlib
import io
import os
import uuid
import weakref
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from pathlib import PurePosixPath
from typing import Any, TypeVar

import duckdb
import pyarrow as pa
import pyarrow.dataset as pads
import pyarrow.fs as pafs
import pyarrow.parquet as pq

from memory_pipeline.errors import StorageError
from memory_pipeline.storage.rows import from_table, to_table
from memory_pipeline.storage.schemas import DATASETS, Dataset

T = TypeVar("T")


class Lake:
    """Reads and writes the datasets under one root (a path or an object-storage URI)."""

    def __init__(self, root: str) -> None:
        self.root = root
        self._base: str
        try:
            self._fs, self._base = (
                pafs.FileSystem.from_uri(root) if "://" in root else (pafs.LocalFileSystem(), os.path.abspath(root))
            )
        except (OSError, pa.ArrowInvalid) as error:
            raise StorageError(f"cannot open the lake at {root}: {error}") from error
        self.local = isinstance(self._fs, pafs.LocalFileSystem)
        # A cursor costs 1 ms, a connection 28 ms (measured); each cursor has temporary views of its own.
        self._engine = duckdb.connect(":memory:")
        self._engine.execute("SET GLOBAL TimeZone = 'UTC'")
        weakref.finalize(self, self._engine.close)

    # -- places

    def days(self, dataset: str) -> list[date]:
        """The days that hold at least one file, in order."""
        folder = f"{self._base}/{dataset}"
        infos = self._fs.get_file_info(pafs.FileSelector(folder, allow_not_found=True))
        return sorted(
            date.fromisoformat(i.base_name.removeprefix("day=")) for i in infos if i.base_name.startswith("day=")
        )

    def files(self, dataset: str, days: Iterable[date] | None = None) -> list[str]:
        """Paths of the dataset's files, of all days or of some, in order."""
        folder = f"{self._base}/{dataset}"
        if days is None:
            selectors = [pafs.FileSelector(folder, allow_not_found=True, recursive=True)]
        else:
            selectors = [
                pafs.FileSelector(f"{folder}/day={day.isoformat()}", allow_not_found=True) for day in sorted(set(days))
            ]
        return sorted(
            info.path
            for selector in selectors
            for info in self._fs.get_file_info(selector)
            if info.type == pafs.FileType.File and info.path.endswith(".parquet")
        )

    # -- writing

    def append(self, dataset: str, rows: Sequence[Any]) -> int:
        """Add rows (instances of the dataset's noun), one file for each of their days. Returns the number of files."""
        by_day: dict[date, list[Any]] = {}
        for row in rows:
            by_day.setdefault(row.day, []).append(row)
        for day, part in sorted(by_day.items()):
            data = self._encode(DATASETS[dataset], part)
            self._put(f"{dataset}/day={day.isoformat()}/{hashlib.sha256(data).hexdigest()[:32]}.parquet", data)
        return len(by_day)

    def replace(self, dataset: str, day: date, rows: Sequence[Any] | pa.Table, part: str = "part") -> None:
        """Make a partition (or a named part of it) hold exactly these rows: one file, put in place by one rename;
        none when there are no rows."""
        path = f"{dataset}/day={day.isoformat()}/{part}.parquet"
        if len(rows):
            self._put(path, self._encode(DATASETS[dataset], rows))
        elif self._fs.get_file_info(f"{self._base}/{path}").type == pafs.FileType.File:
            self._fs.delete_file(f"{self._base}/{path}")

    def amend(self, dataset: str, rows: Sequence[Any], by: Sequence[str]) -> None:
        """Put rows in the place of those of their day that agree with them in some columns: each file by one rename.

        Rows that agree with none are left out. Another writer of these partitions must be kept away meanwhile.
        """
        by_day: dict[date, dict[tuple[Any, ...], Any]] = {}
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
                    self._put(file.removeprefix(f"{self._base}/"), self._encode_table(DATASETS[dataset], table))

    def _table(self, dataset: str, rows: Sequence[Any]) -> pa.Table:
        return to_table(rows, DATASETS[dataset].noun).cast(DATASETS[dataset].schema)

    def _encode(self, dataset: Dataset, rows: Sequence[Any] | pa.Table) -> bytes:
        return self._encode_table(dataset, rows if isinstance(rows, pa.Table) else to_table(rows, dataset.noun))

    def _encode_table(self, dataset: Dataset, table: pa.Table) -> bytes:
        table = table.cast(dataset.schema).sort_by([(name, "ascending") for name in dataset.key])
        sink = io.BytesIO()
        pq.write_table(table, sink, compression="zstd", write_statistics=True, row_group_size=64_000)
        return sink.getvalue()

    def _put(self, path: str, data: bytes) -> None:
        target = f"{self._base}/{path}"
        try:
            if not self.local:
                with self._fs.open_output_stream(target) as out:
                    out.write(data)
                return
            folder = str(PurePosixPath(target).parent)
            self._fs.create_dir(folder, recursive=True)
            temporary = f"{folder}/.{uuid.uuid4().hex}.tmp"
            try:
                with open(temporary, "wb") as out:
                    out.write(data)
                    out.flush()
                    os.fsync(out.fileno())
                os.replace(temporary, target)
            except BaseException:
                if os.path.exists(temporary):
                    os.unlink(temporary)
                raise
        except OSError as error:
            raise StorageError(f"cannot write {target}: {error}") from error

    # -- reading

    def sql(
        self,
        query: str,
        params: Mapping[str, Any] | None = None,
        *,
        days: Mapping[str, Iterable[date]] | None = None,
        tables: Mapping[str, pa.Table] | None = None,
    ) -> pa.Table:
        """Run one DuckDB query in which every dataset is a view of its name.

        Args:
            query: SQL with ``$name`` parameters; values never go into the text.
            days: partitions to read, by dataset; a dataset that is not named is read whole.
            tables: further Arrow tables, by name.
        """
        with self._engine.cursor() as con:
            for name in DATASETS:
                if name in query:
                    self._view(con, name, None if days is None else days.get(name))
            for name, table in (tables or {}).items():
                con.register(name, table)
            try:
                found: pa.Table = con.sql(query, params=params or {}).to_arrow_table()
                return found
            except duckdb.IOException as error:
                raise StorageError(f"cannot read the lake at {self.root}: {error}") from error

    def columns(self, dataset: str, files: Sequence[str], names: Sequence[str]) -> pa.Table:
        """Some columns of some files of a dataset (paths as :meth:`files` gives them); a file that is gone is empty."""
        there = [f.path for f in self._fs.get_file_info(list(files)) if f.type == pafs.FileType.File]
        schema = DATASETS[dataset].schema
        return pads.dataset(there, schema=schema, filesystem=self._fs).to_table(columns=list(names))

    def _view(self, con: duckdb.DuckDBPyConnection, name: str, days: Iterable[date] | None) -> None:
        files = self.files(name, days)
        if not files:
            con.register(name, DATASETS[name].schema.empty_table())
        elif self.local:
            listing = ", ".join("'" + f.replace("'", "''") + "'" for f in files)
            con.register(f"{name} columns", DATASETS[name].schema.empty_table())  # files of older versions lack some
            con.execute(
                f'CREATE TEMP VIEW "{name}" AS SELECT * FROM read_parquet([{listing}], union_by_name = true) '
                f'UNION ALL BY NAME SELECT * FROM "{name} columns"'
            )
        else:
            con.register(name, pads.dataset(files, schema=DATASETS[name].schema, filesystem=self._fs))

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
