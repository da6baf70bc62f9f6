"""What keeps the tables of an index small and quick: compaction, fresh scalar indexes, old versions gone."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from memory_pipeline.storage.vectors.index_rows import TABLES

# Measured at 1,000,000 rows: a night's 1,000 take 0.02 CPU seconds, and 0.3 where the whole index is written; a user's
# rows are found as fast in two segments as in one.
_LATER = 0.125


class IndexUpkeep(ABC):
    """The part of an :class:`~memory_pipeline.storage.vectors.index.Index` that maintenance and erasure call."""

    _versions: dict[str, Any]

    @abstractmethod
    def table(self, name: str, *, create: bool = False) -> Any | None:
        """The LanceDB table, None when it does not exist yet."""

    @abstractmethod
    def dataset(self, name: str) -> Any | None:
        """The newest version as Lance has it, None when the table does not exist yet."""

    def optimize(self, keep: timedelta, fragment_rows: int) -> dict[str, int]:
        """Compact small fragments, bring the scalar indexes up to date, and drop versions older than ``keep``.

        Full fragments are left alone, and so is the bulk of an index, so that a night writes what came in and not the
        whole table.

        Args:
            fragment_rows: of a full fragment.

        Returns:
            The rows of each table that exists.
        """
        done = {}
        for name in TABLES:
            dataset = self.dataset(name)
            if dataset is not None:
                dataset.optimize.compact_files(target_rows_per_fragment=fragment_rows)
                _index_new_rows(dataset)
                _untag(dataset, keep)
                dataset.cleanup_old_versions(older_than=keep)
                done[f"rows in {name}"] = int(dataset.count_rows())
        return done

    def live_bytes(self) -> dict[str, int]:
        """What the newest version of each table names: its fragments and its indexes."""
        found = {}
        for name in TABLES:
            dataset = self.dataset(name)
            if dataset is not None:
                files = [file for fragment in dataset.get_fragments() for file in fragment.metadata.files]
                indexes = dataset.describe_indices()
                found[name] = sum(f.file_size_bytes or 0 for f in files) + sum(i.total_size_bytes or 0 for i in indexes)
        return found

    def statistics(self) -> Mapping[str, Mapping[str, int]]:
        """Rows, version and fragments of each table that exists."""
        found = {}
        for name in TABLES:
            dataset = self.dataset(name)
            if dataset is not None:
                found[name] = {"rows": int(dataset.count_rows()), "version": int(dataset.version)}
        return found

    def purge(self, fragment_rows: int) -> dict[str, int]:
        """Leave nothing of removed rows: fragments with deletions are written anew, indexes are brought up to date,
        and every older version goes at once, tagged or not.

        Args:
            fragment_rows: of a full fragment.

        Returns bytes and files removed. A read that goes on in another process meanwhile may fail, and finds the
        newest version when it is made again.
        """
        removed = Counter[str]()
        for name in TABLES:
            table = self.table(name)
            if table is None:
                continue
            dataset = table.to_lance()
            for tag in dataset.tags.list():
                dataset.tags.delete(tag)
            dataset.optimize.compact_files(target_rows_per_fragment=fragment_rows, materialize_deletions_threshold=0.0)
            table.checkout_latest()
            for column, config in scalar_indexes(TABLES[name].key):  # one that is brought up to date keeps old keys
                table.create_index(column, config=config, replace=True)
            dataset = table.to_lance()
            done = dataset.cleanup_old_versions(older_than=timedelta(0), delete_unverified=True)
            removed["index files"] += done.data_files_removed + done.index_files_removed + done.deletion_files_removed
            removed["index bytes"] += done.bytes_removed
            self._versions.pop(name, None)
        return dict(removed)


def _index_new_rows(dataset: Any) -> None:
    """Let each index hold every row, in at most two segments: one of the bulk, one of what came in since.

    The later one is written anew with each night's rows. Once it has grown to a share of the other the two become one,
    so that over the years each row is written a few times, however many there are.
    """
    sizes = _segments(dataset)
    dataset.optimize.optimize_indices(num_indices_to_merge=max(map(len, sizes), default=1) - 1)
    sizes = _segments(dataset)
    bulk = sum(max(of, default=0) for of in sizes)
    if sum(map(sum, sizes)) - bulk > _LATER * bulk:
        dataset.optimize.optimize_indices(num_indices_to_merge=max(map(len, sizes)))


def _segments(dataset: Any) -> list[list[int]]:
    """The bytes of each segment of each index."""
    return [[segment.size_bytes or 0 for segment in index.segments] for index in dataset.describe_indices()]


def _untag(dataset: Any, keep: timedelta) -> None:
    """Take the tags off versions that are about to be dropped: a tagged one would stay, with its files."""
    tags = dataset.tags.list()
    if tags:
        before = datetime.now() - keep  # as the versions' times are: local, without a zone
        old = {v["version"] for v in dataset.versions() if v["timestamp"] <= before} - {dataset.version}
        for name, tag in tags.items():
            if tag["version"] in old:
                dataset.tags.delete(name)


def scalar_indexes(key: str) -> tuple[tuple[str, Any], ...]:
    """The scalar indexes of a table: columns with their kinds."""
    from lancedb.index import Bitmap, BTree

    return ("tenant_id", Bitmap()), ("user_id", BTree()), (key, BTree())
