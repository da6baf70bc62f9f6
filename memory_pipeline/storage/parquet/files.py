"""The files of a lake: where a dataset's partitions lie, in what state they are, and how a file comes into being.

A file appears by rename (one PUT on object storage), so readers see all of it or none.
"""

from __future__ import annotations

import os
import time
import uuid
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date
from pathlib import PurePosixPath

import pyarrow as pa
import pyarrow.fs as pafs
import pyarrow.parquet as pq

from memory_pipeline.domain.ids import fingerprint
from memory_pipeline.errors import StorageError
from memory_pipeline.storage.parquet.damaged_files import damage

NOTES = ".notes"
"""Folder of what can be made again from the datasets."""
ROLLED = "rolled"
"""Begins the name of a file that stands in the place of others, and names them in its metadata."""
PARTIAL = ".writing"
"""Folder of files that are being written; one of a process that was killed stays there until maintenance removes it."""
_SETTLED_S = 2.0  # changes within one tick of a file system's clock look alike; object stores tick in seconds


class Files:
    """The files under one root (a path or an object-storage URI)."""

    def __init__(self, root: str) -> None:
        self.root = root
        self.base: str
        try:
            self.fs, self.base = (
                pafs.FileSystem.from_uri(root) if "://" in root else (pafs.LocalFileSystem(), os.path.abspath(root))
            )
        except (OSError, pa.ArrowInvalid) as error:
            raise StorageError(f"cannot open the lake at {root}: {error}") from error
        self._replaced: dict[str, frozenset[str]] = {}
        self.local = isinstance(self.fs, pafs.LocalFileSystem)

    def days(self, dataset: str) -> list[date]:
        """The days that hold at least one file, in order."""
        infos = self.fs.get_file_info(pafs.FileSelector(f"{self.base}/{dataset}", allow_not_found=True))
        return sorted(
            date.fromisoformat(i.base_name.removeprefix("day=")) for i in infos if i.base_name.startswith("day=")
        )

    def paths(self, dataset: str, days: Iterable[date] | None = None) -> list[str]:
        """Paths of the dataset's files, of all days or of some, in order, without those that were rolled up."""
        return sorted(self.shown(info.path for info in self.infos(dataset, days)))

    def shown(self, paths: Iterable[str]) -> list[str]:
        """Those of some files that are read: not those in whose place another one of their partition stands."""
        by_folder: dict[str, list[str]] = {}
        for path in paths:
            by_folder.setdefault(path.rpartition("/")[0], []).append(path)
        return [path for inside in by_folder.values() for path in self._shown(inside)]

    def _shown(self, paths: Sequence[str]) -> Iterable[str]:
        if len(paths) == 1:  # most days hold one: nothing per file that can be done without
            return paths
        rolled = [path for path in paths if path.rpartition("/")[2].startswith(ROLLED)]
        if not rolled:
            return paths
        for path in rolled:
            if path not in self._replaced:
                self._replaced[path] = replaced_by(self.fs, path)
        gone = frozenset().union(*(self._replaced[path] for path in rolled))
        return [path for path in paths if path.rpartition("/")[2] not in gone]

    def states(self, dataset: str) -> Mapping[date, str]:
        """A text for each partition that differs once a file of it was added, replaced or removed.

        It is empty where a partition changed so lately that another change might look the same.
        """
        now = time.time()
        if self.local:
            # Every rename into a folder and every removal from it moves the folder's own time.
            found = {day: stat.st_mtime_ns for day, stat in self._folders(dataset)}
            return {d: "" if abs(now - at / 1e9) < _SETTLED_S else str(at) for d, at in found.items()}
        by_day: dict[date, list[pafs.FileInfo]] = {}
        for info in self.infos(dataset, None):
            by_day.setdefault(day_of(info.path), []).append(info)
        return {
            day: ""
            if any(abs(now - i.mtime.timestamp()) < _SETTLED_S for i in infos)
            else fingerprint(f"{i.base_name}:{i.size}:{i.mtime_ns}" for i in infos)
            for day, infos in by_day.items()
        }

    def _folders(self, dataset: str) -> list[tuple[date, os.stat_result]]:
        try:
            with os.scandir(f"{self.base}/{dataset}") as entries:
                found = [(e.name, e.stat()) for e in entries if e.name.startswith("day=")]
        except FileNotFoundError:
            return []
        return [(date.fromisoformat(name.removeprefix("day=")), stat) for name, stat in found]

    def infos(self, dataset: str, days: Iterable[date] | None) -> list[pafs.FileInfo]:
        """Every file of the dataset, of all days or of some, those that were rolled up included."""
        folder = f"{self.base}/{dataset}"
        if days is None:
            selectors = [pafs.FileSelector(folder, allow_not_found=True, recursive=True)]
        else:
            selectors = [
                pafs.FileSelector(f"{folder}/day={day.isoformat()}", allow_not_found=True) for day in sorted(set(days))
            ]
        return [
            info
            for selector in selectors
            for info in self.fs.get_file_info(selector)
            if info.type == pafs.FileType.File and info.path.endswith(".parquet")
        ]

    def mark(self, path: str) -> str:
        """What tells a file (by its full path) from the one that may take its place; empty where there is none."""
        info = self.fs.get_file_info(path)
        if info.type != pafs.FileType.File:
            return ""
        return f"{os.stat(path).st_ino if self.local else ''}:{info.mtime_ns}:{info.size}"

    def marks(self, dataset: str, days: Iterable[date]) -> tuple[tuple[str, int, int, int], ...]:
        """What tells the files of some partitions from those that may take their places; nothing where there are none,
        where one goes meanwhile, and on object storage.

        A file that takes another one's name has another inode, as both exist until then: what settles (:meth:`states`)
        need not be waited for.
        """
        if not self.local:
            return ()
        found = []
        for path in sorted(info.path for info in self.infos(dataset, days)):
            try:
                stat = os.stat(path)
            except FileNotFoundError:
                return ()
            found.append((path, stat.st_ino, stat.st_mtime_ns, stat.st_size))
        return tuple(found)

    def put(self, path: str, data: bytes) -> None:
        """Let a file appear, or take the place of the one of that name.

        Raises:
            StorageError: it cannot be written.
        """
        target = f"{self.base}/{path}"
        try:
            if not self.local:
                with self.fs.open_output_stream(target) as out:
                    out.write(data)
                return
            os.makedirs(PurePosixPath(target).parent, exist_ok=True)
            os.makedirs(f"{self.base}/{PARTIAL}", exist_ok=True)
            temporary = f"{self.base}/{PARTIAL}/{uuid.uuid4().hex}.tmp"
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

    def names(self, folder: str) -> list[str]:
        """Names of what lies in a folder under the root, in order; none where there is no such folder."""
        infos = self.fs.get_file_info(pafs.FileSelector(f"{self.base}/{folder}", allow_not_found=True))
        return sorted(info.base_name for info in infos)

    def content(self, path: str) -> bytes:
        """Content of a file under the root; empty where there is none.

        Raises:
            StorageError: it cannot be read.
        """
        try:
            with self.fs.open_input_stream(f"{self.base}/{path}") as stream:
                return bytes(stream.read())
        except FileNotFoundError:
            return b""
        except OSError as error:
            raise StorageError(f"cannot read {self.base}/{path}: {error}", path=str(path)) from error

    def remove(self, path: str) -> None:
        """Remove a file if it is there (a path inside the root, or as :meth:`paths` gives it).

        Raises:
            StorageError: it cannot be removed.
        """
        target = path if path.startswith(f"{self.base}/") else f"{self.base}/{path}"
        try:
            if self.fs.get_file_info(target).type == pafs.FileType.File:
                self.fs.delete_file(target)
        except FileNotFoundError:
            return  # somebody else was quicker
        except OSError as error:
            raise StorageError(f"cannot remove {target}: {error}") from error

    def keep_only(self, folder: str, paths: Collection[str]) -> None:
        """Remove the files of a folder but for some."""
        infos = self.fs.get_file_info(pafs.FileSelector(f"{self.base}/{folder}", allow_not_found=True))
        for info in infos:
            if info.type == pafs.FileType.File and f"{folder}/{info.base_name}" not in paths:
                self.remove(info.path)

    def note(self, name: str) -> bytes:
        """A note beside the datasets, which can be made again from them; empty where there is none."""
        try:
            with self.fs.open_input_stream(f"{self.base}/{NOTES}/{name}") as stream:
                return bytes(stream.read())
        except OSError:
            return b""

    def beside(self, path: str) -> str:
        """Full path of a file that a note names by its place under the root."""
        return f"{self.base}/{path}"

    def noted_at(self, name: str) -> float | None:
        """When a note was written, seconds since 1970; None where there is none."""
        info = self.fs.get_file_info(f"{self.base}/{NOTES}/{name}")
        return (info.mtime_ns or 0) / 1e9 if info.type == pafs.FileType.File else None

    def write_note(self, name: str, data: bytes) -> None:
        """Keep a note."""
        self.put(f"{NOTES}/{name}", data)


def replaced_by(fs: pafs.FileSystem, path: str) -> frozenset[str]:
    """Names of the files in whose place a file stands; none for one that was not rolled up."""
    if not PurePosixPath(path).name.startswith(ROLLED):
        return frozenset()
    try:
        metadata = pq.read_schema(path, filesystem=fs).metadata or {}
    except FileNotFoundError:
        return frozenset()
    except (OSError, pa.ArrowException) as error:
        raise damage(path, str(error).splitlines()[0]) from error
    return frozenset(metadata.get(ROLLED.encode(), b"").decode().split("\n"))


def day_of(path: str) -> date:
    """The partition that a file lies in."""
    return date.fromisoformat(PurePosixPath(path).parent.name.removeprefix("day="))
