"""How many bytes and files the stores take, and how many of them their present content needs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import pyarrow.fs as pafs

from memory_pipeline.storage.files import NOTES
from memory_pipeline.storage.index import Index
from memory_pipeline.storage.lake import Lake


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

    def as_dict(self) -> dict[str, object]:
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
    infos = _infos(lake.store.fs, lake.store.base)
    datasets = _by_folder(infos, lake.store.base)
    rows = {i.path: i.size for i in infos if i.path.endswith(".parquet") and _first(i.path, lake.store.base) != NOTES}
    live = sum(rows[path] for path in lake.store.shown(rows))
    fs, base = pafs.FileSystem.from_uri(index.uri) if "://" in index.uri else (lake.store.fs, index.uri)
    tables = _by_folder(_infos(fs, base), base)
    return StoreSize(datasets, tables, live + sum(index.live_bytes().values()))


def _infos(fs: pafs.FileSystem, base: str) -> list[pafs.FileInfo]:
    found = fs.get_file_info(pafs.FileSelector(base, allow_not_found=True, recursive=True))
    return [info for info in found if info.type == pafs.FileType.File]


def _first(path: str, base: str) -> str:
    return path[len(base) + 1 :].split("/", 1)[0]


def _by_folder(infos: Iterable[pafs.FileInfo], base: str) -> dict[str, Weight]:
    found: dict[str, Weight] = {}
    for info in infos:
        name = _first(info.path, base).removesuffix(".lance")
        held = found.get(name, Weight(0, 0))
        found[name] = Weight(held.bytes + info.size, held.files + 1)
    return found
