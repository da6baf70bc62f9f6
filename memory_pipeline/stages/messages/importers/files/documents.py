"""JSON exports: the conversations of a file, or of the ``conversations.json`` in a zip, one after another."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from fnmatch import fnmatch
from pathlib import PurePosixPath
from typing import Any, BinaryIO, cast

from memory_pipeline.errors import IngestError
from memory_pipeline.stages.messages.importers.files.json_elements import Element, elements
from memory_pipeline.stages.messages.importers.files.source import DAMAGED, Fault, Item, Skipped, SourceFile, excerpt

MEMBERS = "conversations*.json"
UNREADABLE = (OSError, zipfile.BadZipFile, RuntimeError, NotImplementedError, ValueError, *DAMAGED)


def documents(source: SourceFile) -> Iterator[Element]:
    """The elements of the JSON document that a file is, or of those in a zip whose names match. One is held at a time.

    Raises:
        IngestError: a zip without such a member.
        Exception: one of ``UNREADABLE``, where reading cannot go on.
    """
    if not zipfile.is_zipfile(source.path):
        with source.open() as stream:
            yield from elements(stream)
        return
    with zipfile.ZipFile(source.path) as archive:
        names = conversation_files(archive)
        if not names:
            raise IngestError(f"{source.path}: the archive holds no {MEMBERS}", path=str(source.path))
        for name in names:
            with archive.open(name) as member:
                yield from elements(cast(BinaryIO, member))


def conversation_files(archive: zipfile.ZipFile) -> list[str]:
    """Names of the files of conversations in an export's archive, in order."""
    return sorted(n for n in archive.namelist() if fnmatch(PurePosixPath(n).name, MEMBERS))


def parsed(raw: bytes) -> Any:
    """The value of an element.

    Raises:
        ValueError: with the reason why it is none.
    """
    try:
        return json.loads(raw.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise ValueError(f"not UTF-8: byte 0x{raw[error.start]:02x} at {error.start} of the conversation") from error
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON: {error.msg} at character {error.pos} of the conversation") from error
    except RecursionError as error:
        raise ValueError("nested too deep") from error


def objects(
    source: SourceFile, format: str, one: str, fits: Callable[[Any], bool]
) -> Iterator[Mapping[str, Any] | Fault]:
    """A file's conversations. One that cannot be read costs only itself.

    Args:
        format: its name.
        one: what one conversation of the format is, in words.
        fits: whether a value is one.

    Raises:
        IngestError: not JSON, a damaged archive, a document of another kind, or, after the conversations before it,
            damage or an early end.
    """
    found = False
    try:
        for raw, _ in documents(source):
            try:
                value = parsed(raw)
            except ValueError as error:
                yield Fault(0, str(error), excerpt(raw))
                continue
            if fits(value):
                found = True
                yield value
            elif found:
                yield Fault(0, f"expected {one}", excerpt(raw))
            else:
                raise shape_error(source, format, f"{one}, or a list of such")
    except UNREADABLE as error:
        raise (broken_off if found else unreadable)(source, error) from error


def unreadable(source: SourceFile, error: Exception) -> IngestError:
    """The error for a document of which nothing can be read."""
    return IngestError(f"{source.path}: not a readable JSON document: {error}", path=str(source.path))


def broken_off(source: SourceFile, error: Exception) -> IngestError:
    """The error for a document of which only the beginning can be read."""
    return IngestError(f"{source.path}: only its beginning could be read: {error}", path=str(source.path))


def shape_error(source: SourceFile, format: str, expected: str) -> IngestError:
    """The error for a document that is JSON but not of the format."""
    return IngestError(f"{source.path}: not of the format {format!r}: expected {expected}", path=str(source.path))


def numbered(items: Iterable[Item]) -> Iterator[Item]:
    """The items with the numbers of their messages in the file, where the format has no lines."""
    number = 0
    for item in items:
        if isinstance(item, Skipped):
            yield item
            continue
        number += 1
        yield item._replace(line=number)
