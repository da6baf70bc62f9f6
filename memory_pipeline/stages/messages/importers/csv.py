"""CSV with the columns of the landing format, streamed row by row.

Rows are cut here and not by a reader over the whole file, because an unbalanced quote must cost its own line, not every
line up to the next quote.
"""

from __future__ import annotations

import csv
from collections import deque
from collections.abc import Iterator
from typing import Any, BinaryIO

from memory_pipeline.errors import IngestError
from memory_pipeline.stages.messages.importers.files.source import (
    DAMAGED,
    MAX_LINE,
    Fault,
    Item,
    Record,
    Row,
    SourceFile,
    excerpt,
    lines,
)
from memory_pipeline.stages.messages.importers.files.strict_json import loads
from memory_pipeline.stages.messages.importers.jsonl import BOM

REQUIRED = ("session_id", "role", "content", "created_at")
DELIMITERS = (",", ";", "\t")
Line = tuple[int, bytes, bool]


def header_of(line: bytes) -> tuple[str, list[str]] | None:
    """Delimiter and column names of a header, or None when a required column is not in it."""
    text = line.removeprefix(BOM).decode("utf-8", "replace").strip("\r\n")
    for delimiter in DELIMITERS:
        names = [name.strip() for name in text.replace('"', "").split(delimiter)]
        if set(REQUIRED) <= set(names):
            return delimiter, names
    return None


def read(source: SourceFile) -> Iterator[Item]:
    """The rows as records, by physical line. Empty cells are absent fields; ``metadata`` holds a JSON object.

    Raises:
        IngestError: the header lacks a required column or names one twice.
    """
    # The module's own limit on a field is small and process-wide; rows are bounded here already.
    csv.field_size_limit(max(csv.field_size_limit(), MAX_LINE))
    last = 0
    with source.open() as stream:
        try:
            header = header_of(stream.readline(MAX_LINE))
            if header is None or len(set(header[1])) != len(header[1]):
                raise IngestError(
                    f"{source.path}: a CSV header needs each of {', '.join(REQUIRED)} once", path=str(source.path)
                )
            delimiter, names = header
            for item in _rows(stream, delimiter, names):
                last = item.line
                yield item
        except DAMAGED as error:
            yield Fault(last + 1, f"the compressed data is damaged from here on: {error}", "")


def _rows(stream: BinaryIO, delimiter: str, names: list[str]) -> Iterator[Row]:
    physical = ((n + 1, line, whole) for n, line, whole in lines(stream))
    waiting: deque[Line] = deque()
    while taken := _balanced(physical, waiting):
        number, first, whole = taken[0]
        if not whole:
            yield Fault(number, f"the line is longer than {MAX_LINE:,} bytes", excerpt(first))
            continue
        if len(taken) == 1 and first.isspace():
            continue
        item = _record(number, b"".join(line for _, line, _ in taken), delimiter, names)
        if isinstance(item, Fault) and len(taken) > 1:
            waiting.extendleft(reversed(taken[1:]))
            item = _record(number, first, delimiter, names)
        yield item


def _balanced(physical: Iterator[Line], waiting: deque[Line]) -> list[Line]:
    """The next lines up to where their quotes are even, which is where a row ends; one line when that is too far."""
    taken: list[Line] = []
    size = quotes = 0
    while True:
        line = waiting.popleft() if waiting else next(physical, None)
        if line is None:
            break
        taken.append(line)
        size += len(line[1])
        quotes += line[1].count(b'"')
        if not line[2] or size > MAX_LINE:
            break
        if quotes % 2 == 0:
            return taken
    waiting.extendleft(reversed(taken[1:]))
    return taken[:1]


def _record(number: int, row: bytes, delimiter: str, names: list[str]) -> Row:
    try:
        text = row.decode("utf-8")
        cells = _cells(text, delimiter)
        if len(cells) != len(names):
            raise ValueError(f"{len(cells)} cells where the header has {len(names)}")
        fields: dict[str, Any] = {name: cell for name, cell in zip(names, cells, strict=True) if cell and name}
        if "metadata" in fields:
            fields["metadata"] = loads(fields["metadata"].encode())
    except UnicodeDecodeError as error:
        return Fault(number, f"not UTF-8: byte 0x{row[error.start]:02x} at {error.start}", excerpt(row))
    except ValueError as error:
        return Fault(number, str(error), excerpt(row))
    return Record(number, fields, row)


def _cells(text: str, delimiter: str) -> list[str]:
    try:
        return next(csv.reader([text], delimiter=delimiter, strict=True), [])
    except csv.Error as error:
        raise ValueError(f"not CSV: {error}") from error
