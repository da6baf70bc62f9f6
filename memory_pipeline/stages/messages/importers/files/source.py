"""A file being imported: opening it, its lines, and what an importer makes of it."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
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
            return excerpt(self.raw)
        return json.dumps(self.fields, ensure_ascii=False, default=str)


class Fault(NamedTuple):
    """A place of the file that holds no message that could be read."""

    line: int
    reason: str
    content: str


class Skipped(NamedTuple):
    """A message of the file that is left out on purpose, because it is no part of the talk.

    Attributes:
        reason: which kind of message it is, in a few words.
    """

    reason: str


Row = Record | Fault
Item = Row | Skipped


def excerpt(line: bytes) -> str:
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
