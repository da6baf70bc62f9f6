"""A lake on top of another one: reads go through, writes stay on top, and what is below never changes.

A stage that works on it sees its own writes as it would in the lake itself. So what a run would make is worked out by
the very code that makes it, at the cost of what it touches and nothing else: no partition is copied.
"""

from __future__ import annotations

import os
import tempfile
import uuid
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date
from typing import TYPE_CHECKING, Any

from memory_pipeline.storage.parquet.files import Files, day_of
from memory_pipeline.storage.parquet.lake import Lake
from memory_pipeline.storage.parquet.versions import Versions

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.fs as pafs

PAID = frozenset({"replies", "vectors", "costs"})
"""Datasets that are written below: what was paid for is kept, and counts."""
OVERLAY = "memory-pipeline-overlay-"
"""Begins the name of the temporary folder on top of a local lake; the process's id follows."""
_FOLDER = ".overlays"


class OverlayFiles(Files):
    """The files of a lake with others on top of them.

    Args:
        below: the lake's own.
        root: where to write; on the same file system.
    """

    def __init__(self, below: Files, root: str) -> None:
        super().__init__(root)
        self._below = below
        self._gone: set[str] = set()

    def days(self, dataset: str) -> list[date]:
        """See :class:`Files`; a day all of whose files were removed on top still counts."""
        return sorted({*self._below.days(dataset), *super().days(dataset)})

    def infos(self, dataset: str, days: Iterable[date] | None) -> list[pafs.FileInfo]:
        span = None if days is None else list(days)
        top = super().infos(dataset, span)
        hidden = {self.place(info.path) for info in top} | self._gone
        return [i for i in self._below.infos(dataset, span) if self.place(i.path) not in hidden] + top

    def place(self, path: str) -> str:
        """Where a file lies under the root, its own or that of the lake below."""
        own = path.removeprefix(f"{self.base}/")
        if own != path:
            return own
        below = self._below
        return below.place(path) if isinstance(below, OverlayFiles) else path.removeprefix(f"{below.base}/")

    def states(self, dataset: str) -> Mapping[date, str]:
        found, top = dict(self._below.states(dataset)), super().states(dataset)
        written = {day_of(path) for path in self._gone if path.startswith(f"{dataset}/")} | top.keys()
        return found | dict.fromkeys(written, "")  # what may change at any time is worked out each time

    def put(self, path: str, data: bytes) -> None:
        super().put(path, data)
        self._gone.discard(path)

    def remove(self, path: str) -> None:
        place = self.place(path)
        super().remove(place)
        self._gone.add(place)

    def keep_only(self, folder: str, paths: Collection[str]) -> None:
        """Nothing: what is below stays."""

    def note(self, name: str) -> bytes:
        return super().note(name) or self._below.note(name)

    def beside(self, path: str) -> str:
        return self._below.beside(path)  # the notes that name files are made below


class OverlayLake(Lake):
    """A lake on top of another one.

    Args:
        root: where to write.
        through: datasets whose rows are appended below.
    """

    def __init__(self, below: Lake, root: str, through: Collection[str] = PAID) -> None:
        super().__init__(below.root)
        self.below = below
        self.through = frozenset(through)
        self.store = OverlayFiles(below.store, root)
        self.versions = Versions(self.store)

    def append(self, dataset: str, rows: Sequence[Any] | pa.Table, *given: Any, **more: Any) -> int:
        lake: Any = self.below if dataset in self.through else super()
        written: int = lake.append(dataset, rows, *given, **more)
        return written

    def written(self, dataset: str) -> list[str]:
        """Paths of the files that lie on top."""
        prefix = f"{self.store.base}/"
        return [path for path in self.files(dataset) if path.startswith(prefix)]


@contextmanager
def on_top_of(below: Lake) -> Iterator[OverlayLake]:
    """A lake on top of another one, for as long as it is needed; whatever ends that, it is gone afterwards."""
    if below.store.local:
        with tempfile.TemporaryDirectory(prefix=f"{OVERLAY}{os.getpid()}-", ignore_cleanup_errors=True) as folder:
            yield OverlayLake(below, folder)
        return
    root = f"{below.root.rstrip('/')}/{_FOLDER}/{uuid.uuid4().hex}"
    lake = OverlayLake(below, root)
    try:
        yield lake
    finally:
        lake.store.fs.delete_dir_contents(lake.store.base, missing_dir_ok=True)
