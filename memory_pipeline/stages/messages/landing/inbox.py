"""The inbox: which of its files have not been taken yet, and which days they hold."""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Iterator, MutableMapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from memory_pipeline.errors import IngestError
from memory_pipeline.stages.messages.importers import FORMATS, Record, SourceFile, detect
from memory_pipeline.stages.messages.importers.files.detection import is_lines
from memory_pipeline.stages.messages.importers.files.source import DAMAGED
from memory_pipeline.stages.messages.landing.times import instant
from memory_pipeline.stages.messages.landing.validation import AHEAD

if TYPE_CHECKING:
    from memory_pipeline.settings import Settings
    from memory_pipeline.storage.parquet.lake import Lake

SETTLED_S = 1.0
_UNFINISHED = (".tmp", ".part", ".partial", ".crdownload")
_BLOCK = 1 << 20
_OVERLAP = 64  # bytes, longer than a key and its date
_SLACK = timedelta(days=1)
_TAKEN = """
WITH files AS (SELECT sha256, path, max(recorded_at) AS at FROM sources GROUP BY ALL),
early AS (
    SELECT source, CAST(regexp_extract(reason, '^created_at (.+) is in the future$', 1) AS TIMESTAMPTZ) AS due
    FROM quarantined WHERE reason LIKE 'created_at % is in the future'
)
SELECT DISTINCT sha256 FROM files f
WHERE NOT EXISTS (SELECT 1 FROM early e WHERE e.source = f.path AND e.due > f.at + $ahead AND e.due <= $now + $ahead)
"""
_CREATED = re.compile(rb'"created_at"\s*:\s*"([0-9W-]{8,10})')


@dataclass(frozen=True, slots=True)
class InboxFile:
    """A file of the inbox.

    Attributes:
        path: its path, or its URI when the home is remote.
        name: its path inside the inbox.
        sha256: of its content, "" as long as nobody has read it.
        mtime: last change, seconds since 1970.
    """

    path: str
    name: str
    sha256: str
    size: int
    mtime: float

    @property
    def stamp(self) -> str:
        """Changes when the file does, without reading it."""
        return f"{self.size}:{self.mtime:.6f}"


def list_inbox(settings: Settings) -> list[InboxFile]:
    """The inbox's files in the order of their names, unread; hidden and unfinished ones (``.part``) are left out."""
    import pyarrow.fs as pafs

    root = settings.path("inbox")
    fs, base = _filesystem(root)
    try:
        infos = fs.get_file_info(pafs.FileSelector(base, recursive=True, allow_not_found=True))
    except OSError as error:
        raise IngestError(f"cannot list the inbox {root}: {error}") from error
    files = []
    for info in infos:
        name = info.path[len(base.rstrip("/")) + 1 :]
        hidden = any(part.startswith(".") for part in PurePosixPath(name).parts)
        if info.type == pafs.FileType.File and not hidden and not name.lower().endswith(_UNFINISHED):
            files.append(InboxFile(f"{root}/{name}", name, "", info.size, (info.mtime_ns or 0) / 1e9))
    return sorted(files, key=lambda f: f.name)


def pending_inbox(settings: Settings, lake: Lake, seen: MutableMapping[str, str] | None = None) -> list[InboxFile]:
    """The inbox's files that the log has not taken, with the hash of their content.

    A file that was changed less than a second ago may still be written: it is given that second, and looked at once
    more; one that is still changing waits for the next call.

    Args:
        seen: the caller's cursor, path to :attr:`InboxFile.stamp`. Files that stand in it unchanged are neither read
            nor returned again; it is brought up to date. Without it every file is read, and every one that has not
            been taken is returned: that is what finds the files of runs that failed.
    """
    seen = {} if seen is None else seen
    files = list_inbox(settings)
    for gone in seen.keys() - {f.path for f in files}:
        del seen[gone]
    if any(seen.get(f.path) != f.stamp and abs(time.time() - f.mtime) < SETTLED_S for f in files):
        time.sleep(SETTLED_S)
        files = list_inbox(settings)
    now = time.time()
    fresh = [f for f in files if seen.get(f.path) != f.stamp and abs(now - f.mtime) >= SETTLED_S]
    if not fresh:
        return []
    taken = taken_hashes(lake, datetime.now(UTC))
    pending = []
    for file in fresh:
        try:
            read = hashed(file)
        except IngestError:  # taking the inbox reports it; the other files must not wait for it
            continue
        if read is not None:
            seen[file.path] = file.stamp
            if read.sha256 not in taken:
                pending.append(read)
    return pending


def taken_hashes(lake: Lake, now: datetime) -> set[str]:
    """Content hashes of the files that have been taken, and need not be looked at again.

    A file of which lines were put aside as from the future, by a machine whose clock was behind or since they were, is
    taken once more when their time has come; its other lines are known.
    """
    found = lake.sql(_TAKEN, {"now": now, "ahead": AHEAD})
    return set(found.column("sha256").to_pylist())


def hashed(file: InboxFile) -> InboxFile | None:
    """The file with its content's hash, or None when it changed or went away meanwhile.

    Raises:
        IngestError: it cannot be read.
    """
    fs, path = _filesystem(file.path)
    digest = hashlib.sha256()
    try:
        with fs.open_input_stream(path, compression=None) as stream:
            while block := stream.read(_BLOCK):
                digest.update(block)
        after = fs.get_file_info(path)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise IngestError(f"cannot read {file.path}: {error}", path=str(file.path)) from error
    read = InboxFile(file.path, file.name, digest.hexdigest(), after.size or 0, (after.mtime_ns or 0) / 1e9)
    return read if read.stamp == file.stamp else None


def unchanged(file: InboxFile) -> bool:
    """Whether the file is still the one that was hashed."""
    fs, path = _filesystem(file.path)
    info = fs.get_file_info(path)
    return f"{info.size}:{(info.mtime_ns or 0) / 1e9:.6f}" == file.stamp


@contextmanager
def fetched(path: str | Path) -> Iterator[Path]:
    """A local path to read the file from: its own, or that of a temporary copy of a remote one."""
    if "://" not in str(path):
        yield Path(path)
        return
    fs, inside = _filesystem(str(path))
    with TemporaryDirectory(prefix="memory-pipeline-") as folder:
        copy = Path(folder) / PurePosixPath(inside).name
        try:
            with fs.open_input_stream(inside, compression=None) as stream, copy.open("wb") as out:
                while block := stream.read(_BLOCK):
                    out.write(block)
        except OSError as error:
            raise IngestError(f"cannot read {path}: {error}", path=str(path)) from error
        yield copy


def days_of(path: str | Path) -> tuple[date, date] | None:
    """First and last day that a file's messages may belong to, for choosing the partitions of a run.

    Landing files are scanned for ``created_at`` without parsing them; of other formats the messages' times are read. A
    day is added on both sides, because the users' zones are not known yet. Nothing is checked, so a message that will
    be quarantined counts too: cut the span to the partitions that exist.

    Returns:
        None when the file holds no time or is of no known format.
    """
    with fetched(path) as local:
        try:
            days = _scanned(local) if _is_landing(local) else _imported(local)
        except IngestError:
            return None
    if not days:
        return None
    first, last = min(days), max(days)
    return (max(first, date.min + _SLACK) - _SLACK, min(last, date.max - _SLACK) + _SLACK)


def _is_landing(path: Path) -> bool:
    return is_lines(path) or detect(path) == "jsonl"


def _scanned(path: Path) -> set[date]:
    found: set[bytes] = set()
    rest = b""
    with SourceFile(path, path.name).open() as stream:
        try:
            while block := stream.read(_BLOCK):
                window = rest + block
                found.update(_CREATED.findall(window))
                rest = window[-_OVERLAP:]
        except (OSError, *DAMAGED) as error:
            raise IngestError(f"cannot read {path}: {error}", path=str(path)) from error
    days = set()
    for text in found:
        try:
            days.add(date.fromisoformat(text.decode()))
        except ValueError:
            continue
    return days


def _imported(path: Path) -> set[date]:
    days = set()
    for item in FORMATS[detect(path)].read(SourceFile(path, path.name)):
        if isinstance(item, Record):
            try:
                days.add(instant(item.fields.get("created_at"), UTC).date())
            except ValueError:
                continue
    return days


def _filesystem(place: str) -> tuple[Any, str]:
    import pyarrow.fs as pafs

    if "://" in place:
        fs, path = pafs.FileSystem.from_uri(place)
        return fs, path
    return pafs.LocalFileSystem(), place
