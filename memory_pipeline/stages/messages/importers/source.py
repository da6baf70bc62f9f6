"""A file being imported: opening it, its lines, its JSON documents, and what an importer makes of it."""

from __future__ import annotations

import gzip
import json
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO, NamedTuple, cast

from memory_pipeline.errors import IngestError

MAX_LINE = 5_000_000  # bytes
DAMAGED = (EOFError, gzip.BadGzipFile, zlib.error)
_SHOWN = 8_000  # bytes of a bad line that are kept for the quarantine, which cuts at characters
_SWALLOW = 1 << 20


class Record(NamedTuple):
    """One message in the fields of the landing format, not yet checked.

    Attributes:
        line: line of the file, or number of the message where the format has no lines; from 1.
        fields: ``created_at`` may be a datetime, everything else is what JSON can hold.
        raw: the line as it stood, None where the format has no lines.
        history: number of the conversation that it was sent with, where a message of it has no time of its own: only
            its place in the conversation then tells it from an equal one.
    """

    line: int
    fields: Mapping[str, Any]
    raw: bytes | None = None
    history: int | None = None

    def text(self) -> str:
        """The record for a person who looks into the quarantine."""
        if self.raw is not None:
            return shown(self.raw)
        return json.dumps(self.fields, ensure_ascii=False, default=str)


class Fault(NamedTuple):
    """A place of the file that holds no message that could be read."""

    line: int
    reason: str
    content: str


Item = Record | Fault


def shown(line: bytes) -> str:
    """The beginning of a line as text, whatever its bytes are."""
    return line[:_SHOWN].decode("utf-8", "backslashreplace").rstrip("\r\n")


@dataclass
class SourceFile:
    """One file on its way into the log.

    Attributes:
        path: where it lies.
        name: what it is called in the log and in the quarantine: relative to the folder that was given.
    """

    path: Path
    name: str
    size: int = 0
    _raw: BinaryIO | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        with _readable(self.path):
            self.size = self.path.stat().st_size

    @property
    def done(self) -> int:
        """Bytes of the file, as it lies on disk, that have been read."""
        return self.size if self._raw is None or self._raw.closed else self._raw.tell()

    @contextmanager
    def open(self) -> Iterator[BinaryIO]:
        """The file's bytes, decompressed when they are gzip.

        Raises:
            IngestError: it cannot be opened.
        """
        with _readable(self.path):
            raw = self.path.open("rb")
        with raw:
            self._raw = raw
            if raw.peek(2)[:2] == b"\x1f\x8b":
                with gzip.GzipFile(fileobj=raw) as unpacked:
                    yield cast(BinaryIO, unpacked)
            else:
                yield raw


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise IngestError(f"cannot read {path}: {error.strerror or error}", path=str(path)) from error


def lines(stream: BinaryIO, limit: int = MAX_LINE) -> Iterator[tuple[int, bytes, bool]]:
    """Numbered lines with their line ends, in constant memory.

    Yields:
        The line's number from 1, its bytes, and whether these are all of it: of a line of more than ``limit`` bytes
        only the beginning is held, the rest is read past.
    """
    number = 0
    while line := stream.readline(limit + 1):
        number += 1
        whole = len(line) <= limit or line.endswith(b"\n")
        yield number, line, whole
        if not whole:
            while (rest := stream.readline(_SWALLOW)) and not rest.endswith(b"\n"):
                pass


def documents(source: SourceFile, members: str = "conversations*.json") -> Iterator[Any]:
    """The JSON document that a file is, or those of a zip whose names match. Each is held whole.

    Raises:
        IngestError: not JSON, a damaged archive, or one without such a member.
    """
    try:
        if zipfile.is_zipfile(source.path):
            with zipfile.ZipFile(source.path) as archive:
                names = [n for n in archive.namelist() if fnmatch(PurePosixPath(n).name, members)]
                if not names:
                    raise IngestError(f"{source.path}: the archive holds no {members}", path=str(source.path))
                for name in sorted(names):
                    yield _parsed(archive.read(name))
        else:
            with source.open() as stream:
                data = stream.read()
            yield _parsed(data)
    except (OSError, zipfile.BadZipFile, RuntimeError, ValueError, *DAMAGED) as error:
        raise IngestError(f"{source.path}: not a readable JSON document: {error}", path=str(source.path)) from error


def _parsed(data: bytes) -> Any:
    return json.loads(data.decode("utf-8-sig"))


def shape_error(source: SourceFile, format: str, expected: str) -> IngestError:
    """The error for a document that is JSON but not of the format."""
    return IngestError(f"{source.path}: not of the format {format!r}: expected {expected}")
