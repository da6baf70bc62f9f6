"""The landing format: JSON Lines, one message a line. Constant memory; a bad line costs only itself."""

from __future__ import annotations

from collections.abc import Iterator

from memory_pipeline.stages.messages.importers.files.source import (
    DAMAGED,
    MAX_LINE,
    Fault,
    Item,
    Record,
    SourceFile,
    excerpt,
    lines,
)
from memory_pipeline.stages.messages.importers.files.strict_json import loads

BOM = b"\xef\xbb\xbf"


def read(source: SourceFile) -> Iterator[Item]:
    """The file's lines as records. Blank lines, a byte order mark at the start and CRLF are all right."""
    number = 0
    with source.open() as stream:
        try:
            for number, line, whole in lines(stream):
                if not whole:
                    yield Fault(number, f"the line is longer than {MAX_LINE:,} bytes", excerpt(line))
                    continue
                if number == 1:
                    line = line.removeprefix(BOM)
                if not line or line.isspace():
                    continue
                try:
                    value = loads(line)
                except ValueError as error:
                    yield Fault(number, str(error), excerpt(line))
                    continue
                if isinstance(value, dict):
                    yield Record(number, value, line)
                else:
                    yield Fault(number, f"a line must be a JSON object, not {kind(value)}", excerpt(line))
        except DAMAGED as error:
            yield Fault(number + 1, f"the compressed data is damaged from here on: {error}", "")


def kind(value: object) -> str:
    """What JSON calls a value, with its article."""
    names = {dict: "an object", list: "an array", str: "text", bool: "a boolean", type(None): "null"}
    return names.get(type(value), "a number" if isinstance(value, (int, float)) else type(value).__name__)
