"""The index: current memories, message turns and summaries with their vectors, in LanceDB.

It is a projection of the lake and can be rebuilt from it at any time. What writes it goes through LanceDB; what reads
it goes through Lance itself, whose import takes a quarter of the time and none of LanceDB's 200 MB. Each encoder has a
database of its own (``index/<encoder>/``), so that vectors of two models never meet and a new encoder can be built
beside the old one. Within one user search is exact: an approximate index finds 47–82 % there and is no cheaper
(measured).
"""

from __future__ import annotations

import os
import shutil
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from datetime import timedelta
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import lance
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from memory_pipeline.domain.scope import Scope
from memory_pipeline.errors import IndexMismatch, StorageError
from memory_pipeline.settings import Settings
from memory_pipeline.storage.exclusion.erasure_fence import Fence
from memory_pipeline.storage.parquet.arrow_rows import arrow_schema
from memory_pipeline.storage.vectors import encoder_pointer
from memory_pipeline.storage.vectors.encoder_pointer import folder_of
from memory_pipeline.storage.vectors.index_damage import damage, lance_errors, last_sound
from memory_pipeline.storage.vectors.index_rows import TABLES as TABLES
from memory_pipeline.storage.vectors.index_rows import IndexedMemory as IndexedMemory
from memory_pipeline.storage.vectors.index_rows import IndexedMessage as IndexedMessage
from memory_pipeline.storage.vectors.index_rows import IndexedSummary as IndexedSummary
from memory_pipeline.storage.vectors.index_snapshot import Snapshot
from memory_pipeline.storage.vectors.index_upkeep import IndexUpkeep, scalar_indexes

if TYPE_CHECKING:
    import numpy.typing as npt

    from memory_pipeline.inference.encoder import Encoder

_PRIMARY_KEY = {"lance-schema:unenforced-primary-key": "true"}
_SETTLED_NS = 1_000_000_000
_LOOK_S = 0.5
_LOOKUP = 1000  # ids in one IN list: 8 ms; 20,000 take 0.6 s (measured)


def owned_by(scope: Scope) -> pc.Expression:
    """Filter for the rows of one user; values are literals of an expression, never text of a filter string."""
    return (pc.field("tenant_id") == scope.tenant_id) & (pc.field("user_id") == scope.user_id)


class Index(IndexUpkeep):
    """The tables of one encoder."""

    def __init__(self, uri: str, encoder_model: str, dimensions: int, pointer_of: Settings | None = None) -> None:
        self.encoder_model = encoder_model
        self.dimensions = dimensions
        self.folder = folder_of(encoder_model, dimensions)
        self.uri = f"{uri.rstrip('/')}/{self.folder}"
        self._pointer_of = pointer_of
        self._pointer = "" if pointer_of is None else encoder_pointer.place_of(pointer_of)
        self._mark: object = object()  # of a pointer that was never looked at
        self._looked = 0.0
        self._elsewhere: str | None = None
        self._base = uri
        self._open: dict[str, Any] = {}
        self._read: dict[str, tuple[tuple[int, int], lance.LanceDataset]] = {}
        self._indexed: set[str] = set()
        self._versions: dict[str, tuple[tuple[int, int], int]] = {}
        self._snapshots: dict[str, Snapshot] = {}
        self._opening = threading.Lock()
        self.fence = Fence(None)

    @classmethod
    def open(cls, settings: Settings, encoder: Encoder) -> Index:
        """The index of the settings' home and encoder; tables appear with their first rows.

        Unless the settings fix the encoder, reading and writing raise ``IndexMismatch`` from the moment on in which the
        home is switched to another one: nobody goes on with vectors that are not kept up to date.
        """
        follows = None if settings.encoder_fixed else settings
        found = cls(settings.path("index"), encoder.model, encoder.dimensions, follows)
        found.fence = Fence(settings.path("lake"))
        return found

    @property
    def switched(self) -> bool:
        """Whether the home was switched to another encoder's vectors; a remote one is looked at twice a second."""
        if self._pointer_of is None:
            return False
        now = time.monotonic()
        if not self._pointer_of.remote or now - self._looked > _LOOK_S:
            seen, self._looked = encoder_pointer.mark(self._pointer_of, self._pointer), now
            if seen != self._mark:
                pointer = encoder_pointer.read(self._pointer_of)
                self._elsewhere = pointer.choice.name if pointer and pointer.choice.folder != self.folder else None
                self._mark = seen
        return self._elsewhere is not None

    def _in_force(self) -> None:
        if self.switched:
            raise IndexMismatch(
                f"the home was switched to the vectors of {self._elsewhere}, from those of {self.encoder_model}: open "
                "it again, or run the same command again",
                path=self.uri,
                encoder=self.encoder_model,
                in_force=self._elsewhere,
            )

    @cached_property
    def _db(self) -> Any:
        import lancedb

        # 0 s: every look sees the newest version.
        return lancedb.connect(self.uri, read_consistency_interval=timedelta(0))

    # -- tables

    def schema(self, name: str) -> pa.Schema:
        """Arrow schema of a table, its declared primary key first, its vector last."""
        table = TABLES[name]
        columns = [f.with_metadata(_PRIMARY_KEY) if f.name == table.key else f for f in arrow_schema(table.noun)]
        return pa.schema([*columns, pa.field("vector", pa.list_(pa.float32(), self.dimensions))])

    def table(self, name: str, *, create: bool = False) -> Any | None:
        """The LanceDB table, to be written; None when it does not exist yet and is not to be created."""
        self._in_force()
        if name not in self._open:
            if self._exists(name):
                with lance_errors(self.place(name)):
                    handle = self._db.open_table(name)
            elif create:
                handle = self._db.create_table(name, schema=self.schema(name), exist_ok=True)
            else:
                return None
            self._refuse_other_columns(name, set(handle.schema.names))
            self._open[name] = handle
        return self._open[name]

    def dataset(self, name: str) -> lance.LanceDataset | None:
        """The newest version of a table, to be read; None when it does not exist. The look for a newer one costs a
        tenth of a millisecond."""
        self._in_force()
        made = self._made(name)
        known, held = self._read.get(name, (None, None))
        if held is None or known != made:
            if not self._exists(name):
                self._read.pop(name, None)
                return None
            with lance_errors(self.place(name)):
                held = lance.dataset(self.place(name))
            self._refuse_other_columns(name, set(held.schema.names))
        else:
            with lance_errors(self.place(name)):
                newest = held.latest_version
                held = held if newest == held.version else held.checkout_version(newest)
            self._refuse_other_columns(name, set(held.schema.names))
        self._read[name] = made, held
        return held

    def _refuse_other_columns(self, name: str, there: set[str]) -> None:
        """Columns are told apart by name; those that came later lie behind the others."""
        if unknown := sorted(there - set(self.schema(name).names)):
            raise IndexMismatch(
                f"the index table {name!r} at {self.uri} has columns that this release does not know "
                f"({', '.join(unknown)}): install the newer release that wrote them",
                path=self.uri,
                table=name,
                unknown=tuple(unknown),
            )
        if lacking := sorted(set(self.schema(name).names) - there):
            raise IndexMismatch(
                f"the index table {name!r} at {self.uri} is of an older release and lacks {', '.join(lacking)}: run "
                "`memory-pipeline migrate`",
                path=self.uri,
                table=name,
                lacking=tuple(lacking),
            )

    def lacking(self, name: str) -> pa.Schema:
        """The columns that a table of an older release lacks; empty where there is no table or nothing is missing."""
        if not self._exists(name):
            return pa.schema([])
        with lance_errors(self.place(name)):
            there = set(lance.dataset(self.place(name)).schema.names)
        return pa.schema([field for field in self.schema(name) if field.name not in there])

    def add_columns(self, name: str, columns: pa.Schema, values: Callable[[Sequence[str]], pa.Table]) -> None:
        """Add columns to a table of an older release, in one step: readers see all of them or none.

        Vectors are neither read nor written.

        Args:
            values: given the keys of some rows, the columns for them, in that order.
        """
        key = TABLES[name].key

        @lance.batch_udf(output_schema=columns)  # type: ignore[untyped-decorator]
        def filled(batch: pa.RecordBatch) -> pa.RecordBatch:
            table = values(batch.column(key).to_pylist()).select(columns.names).cast(columns)
            return table.combine_chunks().to_batches()[0]

        lance.dataset(f"{self.uri}/{name}.lance").add_columns(filled, read_columns=[key])
        self._open.pop(name, None)

    def place(self, name: str) -> str:
        """The folder of a table."""
        return f"{self.uri}/{name}.lance"

    def damage(self, name: str, *, whole: bool = False) -> str:
        """What is wrong with a table's files, see :func:`index_damage.damage`; on object storage nobody looks."""
        return "" if "://" in self.uri else damage(self.place(name), whole=whole)

    def discard(self, name: str) -> None:
        """Remove what there is of a table, all of which stands in the lake, too.

        Raises:
            StorageError: it cannot be removed.
        """
        try:
            if os.path.isdir(self.place(name)):
                shutil.rmtree(self.place(name))
        except OSError as error:
            raise StorageError(f"cannot remove {self.place(name)}: {error}", path=self.place(name)) from error
        for held in (self._open, self._read, self._versions, self._snapshots):
            held.pop(name, None)
        self._indexed.discard(name)

    def last_sound(self, name: str) -> Iterator[Snapshot]:
        """What of a damaged table may still be read, the newest first; see :func:`index_damage.last_sound`."""
        found = () if "://" in self.uri else last_sound(self.place(name))
        for dataset, indexed, newest in found:
            if set(dataset.schema.names) == set(self.schema(name).names):
                yield Snapshot(dataset, self._made(name), indexed=indexed, newest=newest)

    def _exists(self, name: str) -> bool:
        if "://" in self.uri:
            return name in self._db.list_tables().tables
        # A process that is killed while it creates a table leaves a folder without a version: no table.
        return any(Path(self.uri).glob(f"{name}.lance/_versions/*.manifest"))

    def version(self, name: str) -> int:
        """Version number of a table, 0 when it does not exist; it grows with every change by any process."""
        self._in_force()
        seen = self._last_write(name)
        known = self._versions.get(name)
        if seen is not None and known is not None and known[0] == seen:
            return known[1]
        dataset = self.dataset(name)
        version = 0 if dataset is None else int(dataset.version)
        if seen is not None:
            self._versions[name] = (seen, version)
        return version

    def snapshot(self, name: str) -> Snapshot | None:
        """A table as it is now, with every write by any process; None when it does not exist."""
        made = self._made(name)
        held = self._snapshots.get(name)
        if held is not None and held.state[0] != made:  # another table under the same name
            self._versions.pop(name, None)
        state = (made, self.version(name))
        if held is not None and held.state == state:
            return held
        with self._opening:  # of several threads that meet a new version one opens it
            held = self._snapshots.get(name)
            if held is not None and held.state == state:
                return held
            dataset = self.dataset(name)
            if dataset is None:
                self._snapshots.pop(name, None)
                return None
            with lance_errors(self.place(name)):
                held = self._snapshots[name] = Snapshot(dataset, made)
            return held

    def _made(self, name: str) -> tuple[int, int]:
        """What tells a table from one that was made anew under its name, whose versions are counted from 1 again; the
        same for all on object storage."""
        try:
            found = os.stat(f"{self.uri}/{name}.lance")
        except OSError:
            return 0, 0
        return found.st_ino, found.st_ctime_ns

    def _last_write(self, name: str) -> tuple[int, int] | None:
        """What tells two states of a table's folder of versions apart, in microseconds instead of half a millisecond.

        None where it cannot: on object storage, and within a second of a write, since file systems take their times
        from a clock that ticks too slowly to tell two quick writes apart.
        """
        if "://" in self.uri:
            return None
        try:
            found = os.stat(f"{self.uri}/{name}.lance/_versions")
        except OSError:
            return None
        return (found.st_ino, found.st_mtime_ns) if abs(time.time_ns() - found.st_mtime_ns) > _SETTLED_NS else None

    # -- writing

    def upsert(self, name: str, rows: pa.Table, vectors: npt.NDArray[np.float32]) -> None:
        """Insert or replace rows by key.

        Args:
            rows: columns of the table's noun.
            vectors: shape (rows, dimensions).
        """
        if rows.num_rows == 0:
            return
        if vectors.shape != (rows.num_rows, self.dimensions):
            raise StorageError(f"{rows.num_rows} rows came with vectors of shape {vectors.shape}")
        flat = pa.array(np.ascontiguousarray(vectors, dtype=np.float32).ravel())
        full = rows.append_column("vector", pa.FixedSizeListArray.from_arrays(flat, self.dimensions))
        full = full.cast(self.schema(name)).sort_by([("tenant_id", "ascending"), ("user_id", "ascending")])
        indexed = name in self._indexed and self._exists(name)
        table = self.table(name, create=True)
        assert table is not None
        key = TABLES[name].key
        with self.fence.writing(f"index of {name}", full), lance_errors(self.place(name)):
            # A merge by the index of the key does not notice a key that another writer has just inserted, and both
            # would stay. Locks keep two writers apart on one machine; elsewhere the merge reads the key column.
            merge = table.merge_insert(key).use_index("://" not in self.uri)
            merge.when_matched_update_all().when_not_matched_insert_all().execute(full)
        if not indexed:  # or whoever created it was killed before it had made them
            there = {column for index in table.list_indices() for column in index.columns}
            for column, config in scalar_indexes(key):
                if column not in there:
                    table.create_index(column, config=config)
            self._indexed.add(name)

    def delete_users(self, name: str, scopes: Iterable[Scope]) -> None:
        """Remove every row of some users."""
        dataset = self.dataset(name)
        if dataset is not None:
            for scope in scopes:
                dataset.delete(owned_by(scope))

    def delete(self, name: str, ids: Iterable[str]) -> None:
        """Remove rows by key."""
        dataset = self.dataset(name)
        if dataset is None:
            return
        for part in _parts(list(ids)):
            dataset.delete(pc.field(TABLES[name].key).isin(part))

    # -- reading

    def rows(self, name: str, scope: Scope, columns: Sequence[str] | None = None) -> pa.Table:
        """All rows of one user, vectors included unless ``columns`` says otherwise."""
        return self._select(name, owned_by(scope), columns)

    def rows_of(
        self, name: str, scopes: Iterable[Scope], columns: Sequence[str], statuses: Collection[str] | None = None
    ) -> Iterator[pa.Table]:
        """The rows of many users, a table for each tenant and so many of its users.

        Args:
            statuses: of memories, only those of some; None = all.
        """
        by_tenant: dict[str, set[str]] = {}
        for scope in scopes:
            by_tenant.setdefault(scope.tenant_id, set()).add(scope.user_id)
        for tenant, users in sorted(by_tenant.items()):
            for part in _parts(sorted(users)):
                where = (pc.field("tenant_id") == tenant) & pc.field("user_id").isin(part)
                if statuses is not None:
                    where &= pc.field("status").isin(list(statuses))
                yield self._select(name, where, columns)

    def lookup(self, name: str, ids: Iterable[str], columns: Sequence[str] | None = None) -> pa.Table:
        """Rows by key, whoever owns them: for the pipeline's own bookkeeping, not for reads."""
        key = TABLES[name].key
        found = [self._select(name, pc.field(key).isin(part), columns) for part in _parts(sorted(set(ids)))]
        return pa.concat_tables(found) if found else self._none(name, columns)

    def of_tenant(self, name: str, tenant_id: str | None, columns: Sequence[str]) -> pa.Table:
        """Some columns of every row of a tenant; None = of all tenants."""
        return self._select(name, None if tenant_id is None else pc.field("tenant_id") == tenant_id, columns)

    def all(self, name: str, columns: Sequence[str]) -> pa.Table:
        """Some columns of every row, for comparing index and lake."""
        return self._select(name, None, columns)

    def _select(self, name: str, where: pc.Expression | None, columns: Sequence[str] | None) -> pa.Table:
        dataset = self.dataset(name)
        if dataset is None:
            return self._none(name, columns)
        wanted = self.schema(name).names if columns is None else list(columns)
        with lance_errors(self.place(name)):
            return dataset.to_table(columns=wanted, filter=where)

    def _none(self, name: str, columns: Sequence[str] | None) -> pa.Table:
        empty = self.schema(name).empty_table()
        return empty if columns is None else empty.select(list(columns))


def _parts(ids: list[str]) -> list[list[str]]:
    return [ids[n : n + _LOOKUP] for n in range(0, len(ids), _LOOKUP)]


def vectors_of(table: pa.Table) -> npt.NDArray[np.float32]:
    """The ``vector`` column as an array of shape (rows, dimensions), without a copy where Arrow allows it."""
    found = table.column("vector")
    # Combining copies even a single chunk, and the rows' other columns keep the first one in memory.
    column = found.chunk(0) if found.num_chunks == 1 else found.combine_chunks()
    size = column.type.list_size
    flat = column.flatten().to_numpy(zero_copy_only=False)
    return np.asarray(flat, dtype=np.float32).reshape(-1, size)
