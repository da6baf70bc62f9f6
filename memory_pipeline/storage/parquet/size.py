"""How many bytes and files the stores take, and how many of them their present content needs."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import NamedTuple

import pyarrow.fs as pafs

from memory_pipeline.storage.parquet.files import NOTES
from memory_pipeline.storage.parquet.lake import Lake
from memory_pipeline.storage.vectors.index import Index


class Weight(NamedTuple):
    """Bytes and files."""

    bytes: int
    files: int


@dataclass(frozen=True, slots=True)
class StoreSize:
    """What the lake and the index take.

    Attributes:
        datasets: of the lake, by dataset; ``.notes`` is what can be made again from the others.
        tables: of the index, by table.
        live_bytes: of the rows as they stand: the lake's files that are read, and the fragments and indexes that the
            newest version of each table names.
    """

    datasets: Mapping[str, Weight]
    tables: Mapping[str, Weight]
    live_bytes: int

    @property
    def total(self) -> Weight:
        """Of both stores."""
        weights = (*self.datasets.values(), *self.tables.values())
        return Weight(sum(w.bytes for w in weights), sum(w.files for w in weights))

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        return {
            "bytes": self.total.bytes,
            "files": self.total.files,
            "live_bytes": self.live_bytes,
            "datasets": {name: weight._asdict() for name, weight in sorted(self.datasets.items())},
            "tables": {name: weight._asdict() for name, weight in sorted(self.tables.items())},
        }


def size_of(lake: Lake, index: Index) -> StoreSize:
    """Weigh both stores; costs a look at each of their files, at none of their rows."""
    files = _files(lake.store.fs, lake.store.base)
    notes = f"{lake.store.base}/{NOTES}/"
    rows = {path: size for path, size in files.items() if path.endswith(".parquet") and not path.startswith(notes)}
    live = sum(rows[path] for path in lake.store.shown(rows))
    fs, base = pafs.FileSystem.from_uri(index.uri) if "://" in index.uri else (pafs.LocalFileSystem(), index.uri)
    tables = _by_folder(_files(fs, base), base)
    return StoreSize(_by_folder(files, lake.store.base), tables, live + sum(index.live_bytes().values()))


def _files(fs: pafs.FileSystem, base: str) -> dict[str, int]:
    """Sizes of the files under a folder, by path."""
    if isinstance(fs, pafs.LocalFileSystem):
        return dict(_local(base))
    found = fs.get_file_info(pafs.FileSelector(base, allow_not_found=True, recursive=True))
    return {info.path: info.size for info in found if info.type == pafs.FileType.File}


def _local(folder: str) -> Iterator[tuple[str, int]]:
    try:
        with os.scandir(folder) as entries:
            inside = list(entries)
    except FileNotFoundError:
        return
    for entry in inside:
        if entry.is_dir(follow_symlinks=False):
            yield from _local(entry.path)
        else:
            with suppress(FileNotFoundError):  # removed meanwhile
                yield entry.path, entry.stat(follow_symlinks=False).st_size


def _is_lock(path: str) -> bool:
    """Whether it is an empty file that processes take turns by; it belongs to no dataset."""
    return path.startswith(".locks/") or path.endswith(".lock")


def _by_folder(files: Mapping[str, int], base: str) -> dict[str, Weight]:
    bytes_, counts = Counter[str](), Counter[str]()
    for path, size in files.items():
        if _is_lock(path[len(base) + 1 :]):
            continue
        name = path[len(base) + 1 :].partition("/")[0].removesuffix(".lance")
        bytes_[name] += size
        counts[name] += 1
    return {name: Weight(bytes_[name], n) for name, n in counts.items()}
