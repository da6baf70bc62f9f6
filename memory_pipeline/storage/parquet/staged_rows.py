"""Rows that wait to be judged: files of a run that no reader looks at.

Layout: ``lake/.staged/<run>/<part>/<dataset>/day=2026-03-10/<file>.parquet``. The files are those that publishing puts
into the datasets, name and bytes; ``note.json`` beside the parts says what was found of them.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import date, timedelta
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from memory_pipeline.domain.scope import Scope
from memory_pipeline.storage.exclusion.locks import lock
from memory_pipeline.storage.parquet.schemas import DATASETS

if TYPE_CHECKING:
    import pyarrow as pa

    from memory_pipeline.storage.parquet.lake import Lake
    from memory_pipeline.storage.parquet.overlay import OverlayLake

FOLDER = ".staged"
STAGED = ("memory_versions", "verdicts")
"""Datasets whose rows are staged."""
_BELOW = frozenset({"quarantined"})  # a reply that did not fit is kept, whatever comes of the others
_NOTE = "note.json"
_UNSAFE = re.compile(r"[^\w.-]|^\.")


class StagedRows:
    """What one run has staged."""

    def __init__(self, lake: Lake, name: str) -> None:
        self.lake = lake
        self.name = name
        self._root = f"{FOLDER}/{name}"

    @classmethod
    def of(cls, lake: Lake, run_id: str) -> StagedRows:
        """That of a run, whether it has staged anything or not."""
        return cls(lake, _UNSAFE.sub("_", run_id))

    @property
    def path(self) -> str:
        """Where the files lie."""
        return f"{self.lake.store.base}/{self._root}"

    def begin(self, part: str) -> None:
        """Make room for a part, be it for no rows; what is there of one that was broken off goes."""
        self.lake.store.fs.delete_dir_contents(f"{self.path}/{part}", missing_dir_ok=True)
        self.lake.store.fs.create_dir(f"{self.path}/{part}", recursive=True)

    def on_top(self, part: str) -> OverlayLake:
        """The lake with this part on top: whoever works on it stages what it writes, and sees that as if it held."""
        from memory_pipeline.storage.parquet.overlay import PAID, OverlayLake

        return OverlayLake(self.lake, f"{self.lake.store.root.rstrip('/')}/{self._root}/{part}", PAID | _BELOW)

    def put(self, part: str, dataset: str, rows: Sequence[Any] | pa.Table) -> int:
        """Stage rows of a dataset. Returns the number of files."""
        return self.lake.append(dataset, rows, under=f"{self._root}/{part}/")

    def parts(self) -> list[str]:
        """The parts that hold files, in order."""
        import pyarrow.fs as pafs

        return sorted(i.base_name for i in self._infos() if i.type == pafs.FileType.Directory)

    def _infos(self, *, recursive: bool = False) -> list[Any]:
        import pyarrow.fs as pafs

        selector = pafs.FileSelector(self.path, allow_not_found=True, recursive=recursive)
        return list(self.lake.store.fs.get_file_info(selector))

    def files(self, dataset: str, part: str | None = None) -> list[str]:
        """Paths of a dataset's staged files, of all parts or of one."""
        parts = self.parts() if part is None else [part]
        return [path for one in parts for path in self.lake.store.paths(f"{self._root}/{one}/{dataset}")]

    def rows(self, dataset: str, part: str | None = None) -> pa.Table:
        """Staged rows of a dataset, of all parts or of one."""
        return self.lake.columns(dataset, self.files(dataset, part), DATASETS[dataset].schema.names)

    def publish(self, dataset: str, part: str) -> int:
        """Put the files of a part into the dataset as they are; twice is as good as once. Returns their number."""
        files = self.files(dataset, part)
        for path in files:
            owners = self.lake.columns(dataset, [path], ["tenant_id", "user_id"])
            with self.lake.fence.writing(dataset, owners), self.lake.store.fs.open_input_stream(path) as stream:
                place = PurePosixPath(path)
                self.lake.store.put(f"{dataset}/{place.parent.name}/{place.name}", bytes(stream.read()))
        return len(files)

    def note(self) -> dict[str, Any]:
        """What was found of the rows; empty while they are not judged."""
        try:
            with self.lake.store.fs.open_input_stream(f"{self.path}/{_NOTE}") as stream:
                found: dict[str, Any] = json.loads(bytes(stream.read()))
                return found
        except (OSError, ValueError):
            return {}

    def write_note(self, note: dict[str, Any]) -> None:
        """Keep what was found."""
        self.lake.store.put(f"{self._root}/{_NOTE}", json.dumps(note, separators=(",", ":")).encode())

    def older_than(self, kept: timedelta) -> bool:
        """Whether no file of it was written for some time."""
        times = [i.mtime.timestamp() for i in self._infos(recursive=True) if i.mtime is not None]
        return max(times, default=0.0) < time.time() - kept.total_seconds()

    def empty(self) -> None:
        """Remove every row, and what was found of them."""
        import pyarrow.fs as pafs

        for info in self._infos():
            if info.type == pafs.FileType.Directory:
                self.lake.store.fs.delete_dir(info.path)
            elif info.base_name != ".lock":
                self.lake.store.fs.delete_file(info.path)

    def remove(self) -> None:
        """Remove all of it, if it is there."""
        with suppress(FileNotFoundError):
            self.lake.store.fs.delete_dir(self.path)

    def drop(self, scope: Scope) -> int:
        """Remove one user's rows, and what the note shows of them. Returns how many rows there were."""
        import pyarrow.compute as pc

        dropped = 0
        for dataset in STAGED:
            for path in self.files(dataset):
                table = self.lake.columns(dataset, [path], DATASETS[dataset].schema.names)
                own = pc.and_(pc.equal(table["tenant_id"], scope.tenant_id), pc.equal(table["user_id"], scope.user_id))
                rest = table.filter(pc.invert(own))
                if rest.num_rows == table.num_rows:
                    continue
                dropped += table.num_rows - rest.num_rows
                place = path.removeprefix(f"{self.lake.store.base}/")
                if rest.num_rows:
                    self.lake.store.put(place, self.lake.encoded(dataset, rest))
                else:
                    self.lake.store.remove(place)
        note = self.note()
        kept = [{**audit, "examples": _of_others(audit["examples"], scope)} for audit in note.get("audits", [])]
        if note and kept != note["audits"]:
            self.write_note({**note, "audits": kept})
        return dropped

    @contextmanager
    def held(self) -> Iterator[bool]:
        """Whether nobody else is at work on it; meanwhile nobody else is."""
        # On object storage beside the run's folder, which is removed while its lock is held.
        store = self.lake.store
        place = f"{self.path}/" if store.local else f"{store.root.rstrip('/')}/{FOLDER}-locks/{self.name}"
        with lock(place, f"what run {self.name} has staged", wait=False) as idle:
            yield idle


def staged_runs(lake: Lake) -> list[StagedRows]:
    """Every run that has left something staged, in the order of their names."""
    import pyarrow.fs as pafs

    infos = lake.store.fs.get_file_info(pafs.FileSelector(f"{lake.store.base}/{FOLDER}", allow_not_found=True))
    return [StagedRows(lake, name) for name in sorted(i.base_name for i in infos if i.type == pafs.FileType.Directory)]


def extent(staged: StagedRows) -> tuple[set[Scope], set[date]]:
    """Users and days of what is staged."""
    rows = staged.lake.sql(
        "SELECT DISTINCT tenant_id, user_id, day FROM versions UNION SELECT tenant_id, user_id, day FROM judged",
        files={
            "versions": ("memory_versions", staged.files("memory_versions")),
            "judged": ("verdicts", staged.files("verdicts")),
        },
    )
    users = zip(rows["tenant_id"].to_pylist(), rows["user_id"].to_pylist(), strict=True)
    return {Scope(t, u) for t, u in users}, set(rows["day"].to_pylist())


def _of_others(examples: Iterable[dict[str, Any]], scope: Scope) -> list[dict[str, Any]]:
    return [e for e in examples if (e.get("tenant_id"), e.get("user_id")) != (scope.tenant_id, scope.user_id)]
