"""Looking for traces in every byte of a home, and in what its files say once they are decoded.

Pages of Parquet and Lance files are compressed, and SQLite breaks long texts into pages: so each file is searched as it
lies there, and as its reader sees it.
"""

from __future__ import annotations

import gzip
import sqlite3
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

import pyarrow as pa
import pyarrow.fs as pafs
import pyarrow.parquet as pq

from memory_pipeline.storage.erasing.traces import Traces
from memory_pipeline.storage.parquet.files import Files

_BLOCK = 16 << 20
_OVERLAP = 64
_UNREADABLE = (OSError, ValueError, EOFError, zlib.error, sqlite3.Error, zipfile.BadZipFile)


@dataclass
class Findings:
    """What a search has looked at and found.

    Attributes:
        hits: places by file.
        undecoded: files that their reader could not read; they were searched as bytes only.
    """

    files: int = 0
    bytes: int = 0
    decoded_bytes: int = 0
    hits: Counter[str] = field(default_factory=Counter)
    undecoded: list[str] = field(default_factory=list)


def search(root: str, traces: Traces, skip: tuple[str, ...] = ()) -> Findings:
    """Search every file under a root.

    Args:
        skip: folders of the root that hold hashes of what is searched for.
    """
    store = Files(root)
    found = Findings()
    for info in store.fs.get_file_info(pafs.FileSelector(store.base, recursive=True, allow_not_found=True)):
        name = info.path.removeprefix(f"{store.base}/")
        if info.type != pafs.FileType.File or name.startswith(skip):
            continue
        found.files += 1
        found.bytes += info.size or 0
        try:
            found.hits[name] += sum(traces.count(block) for block in _raw(store, info.path))
        except FileNotFoundError:
            continue
        try:
            for block in _decoded(store, info.path):
                found.decoded_bytes += len(block)
                found.hits[name] += traces.count(block)
        except FileNotFoundError:
            continue
        except _UNREADABLE:
            found.undecoded.append(name)
    found.hits = +found.hits
    return found


def _raw(store: Files, path: str) -> Iterator[bytes]:
    with store.fs.open_input_stream(path, compression=None) as stream:
        rest = b""
        while block := stream.read(_BLOCK):
            yield rest + block
            rest = bytes(block[-_OVERLAP:])


def _decoded(store: Files, path: str) -> Iterator[Any]:
    suffix = PurePosixPath(path).suffix
    with store.fs.open_input_stream(path, compression=None) as stream:
        beginning = bytes(stream.read(16))
    if beginning.startswith(b"PAR1"):
        with store.fs.open_input_file(path) as file:
            parquet = pq.ParquetFile(file)
            for batch in parquet.iter_batches():
                yield from _buffers(pa.Table.from_batches([batch]))
    elif suffix == ".lance":
        from lance.file import LanceFileReader

        yield from _buffers(LanceFileReader(path).read_all().to_table())
    elif beginning == b"SQLite format 3\0" and store.local:
        yield from _sqlite(path)
    elif beginning.startswith(b"\x1f\x8b"):
        with store.fs.open_input_stream(path, compression=None) as stream:
            yield gzip.decompress(stream.read())
    elif beginning.startswith(b"PK\3\4") and store.local:
        with zipfile.ZipFile(path) as archive:
            for name in archive.namelist():
                yield archive.read(name)


def _buffers(table: pa.Table) -> Iterator[pa.Buffer]:
    """The values of all columns that may hold text, as they lie in memory."""
    for column in table.columns:
        for chunk in column.chunks:
            if not pa.types.is_primitive(chunk.type) and not pa.types.is_fixed_size_list(chunk.type):  # no vectors
                yield from (b for b in chunk.buffers() if b is not None and b.size)


def _sqlite(path: str) -> Iterator[bytes]:
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as connection:
        connection.text_factory = bytes
        names = [row[0].decode() for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        for name in names:
            quoted = name.replace('"', '""')
            for row in connection.execute(f'SELECT * FROM "{quoted}"'):
                yield from (value for value in row if isinstance(value, bytes) and value)
    connection.close()
