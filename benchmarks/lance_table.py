"""A dataset of the lake as one Lance table: what ``storage.parquet`` does for it in files of days.

Rows are found by scalar indexes instead of by folders; a write is one commit, whatever days it reaches; what a version
no longer names is removed by upkeep. For ``benchmarks.lance_tables``, which compares the two.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from datetime import timedelta
from typing import Any

import lance
import pyarrow as pa
import pyarrow.compute as pc
from lance.dataset import LanceOperation

from memory_pipeline.domain.scope import Scope
from memory_pipeline.storage.parquet.schemas import DATASETS
from memory_pipeline.storage.vectors.index import owned_by
from memory_pipeline.storage.vectors.index_upkeep import _index_new_rows

KEYS = {"links": "link_id", "memory_versions": "version_id"}
_PRIMARY_KEY = {"lance-schema:unenforced-primary-key": "true"}
_INDEXES = {"user_id": "BTREE", "day": "BTREE"}
_FRAGMENT_ROWS = 100_000


class LanceTable:
    """One dataset.

    Args:
        place: folder or URI of the table.
        dataset: name of the dataset, whose schema the table has.
        storage_options: of object storage, as Lance takes them.
    """

    def __init__(self, place: str, dataset: str, storage_options: Mapping[str, str] | None = None) -> None:
        self.place = place
        self.key = KEYS[dataset]
        self._options = dict(storage_options or {}) or None
        self.schema = pa.schema(
            [
                f.with_metadata(_PRIMARY_KEY).with_nullable(False) if f.name == self.key else f
                for f in DATASETS[dataset].schema
            ]
        )

    def create(self, parts: Iterable[pa.Table]) -> None:
        """Write the first rows, a fragment for each part, and index them."""
        first = True
        for part in parts:
            mode = "create" if first else "append"
            lance.write_dataset(part.cast(self.schema), self.place, mode=mode, storage_options=self._options)
            first = False
        self.index()

    def index(self) -> None:
        """Make the scalar indexes of all rows."""
        for column, kind in {**_INDEXES, self.key: "BTREE"}.items():
            self.now().create_scalar_index(column, kind, replace=True)

    def now(self) -> lance.LanceDataset:
        """The newest version."""
        return lance.dataset(self.place, storage_options=self._options)

    # -- writing

    def staged(self, rows: pa.Table) -> list[Any]:
        """Fragments that no version names yet."""
        found: list[Any] = lance.fragment.write_fragments(
            rows.cast(self.schema), self.place, schema=self.schema, storage_options=self._options
        )
        return found

    def seen_with(self, fragments: list[Any]) -> lance.LanceDataset:
        """The table as it would be with them: a version that no reader meets, for audits."""
        now = self.now()
        operation = LanceOperation.Append(fragments)
        return lance.LanceDataset.commit(
            now, operation, read_version=now.version, detached=True, storage_options=self._options
        )

    def publish(self, fragments: list[Any]) -> None:
        """Let them count, in one commit."""
        lance.LanceDataset.commit(
            self.place,
            LanceOperation.Append(fragments),
            read_version=self.now().version,
            storage_options=self._options,
        )

    def holds(self, keys: Collection[str]) -> bool:
        """Whether there is a row of one of some keys."""
        where = pc.field(self.key).isin(list(keys))
        return self.now().count_rows(filter=where) > 0

    def change(self, added: pa.Table, gone: Collection[str]) -> None:
        """Insert or replace rows by key and remove others, of any days, in one commit."""
        builder = (
            self.now().merge_insert(self.key).use_index(False).when_matched_update_all().when_not_matched_insert_all()
        )
        if gone:
            named = ", ".join("'" + key.replace("'", "''") + "'" for key in sorted(gone))
            builder = builder.when_not_matched_by_source_delete(f"{self.key} IN ({named})")
        builder.execute(added.cast(self.schema))

    def insert(self, rows: pa.Table) -> int:
        """Add those rows whose key is not there; of several writers of a key one succeeds. Returns how many it was."""
        done: dict[str, int] = self._merge().when_not_matched_insert_all().execute(rows.cast(self.schema))
        return done["num_inserted_rows"]

    def _merge(self) -> Any:
        """Without the key's index: by it, two writers of a new key both insert it (measured)."""
        return self.now().merge_insert(self.key).use_index(False)

    # -- reading

    def of_user(self, scope: Scope) -> pa.Table:
        """A user's rows."""
        return self.now().to_table(filter=owned_by(scope))

    def of_users(self, tenant: str, users: Collection[str]) -> pa.Table:
        """The rows of some users of a tenant."""
        return self.now().to_table(filter=(pc.field("tenant_id") == tenant) & pc.field("user_id").isin(list(users)))

    # -- upkeep

    def upkeep(self, keep: timedelta) -> None:
        """Small fragments become larger ones, indexes hold every row, and older versions go."""
        now = self.now()
        now.optimize.compact_files(target_rows_per_fragment=_FRAGMENT_ROWS)
        _index_new_rows(now)
        now.cleanup_old_versions(older_than=keep)

    def erase(self, scope: Scope) -> None:
        """Remove a user's rows, and every version, index and file that still holds one."""
        self.now().delete(owned_by(scope))
        now = self.now()
        now.optimize.compact_files(target_rows_per_fragment=_FRAGMENT_ROWS, materialize_deletions_threshold=0.0)
        self.index()  # one that is brought up to date keeps old keys
        self.now().cleanup_old_versions(older_than=timedelta(0), delete_unverified=True)
