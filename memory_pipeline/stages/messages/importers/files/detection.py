"""Which format a file is of, from its name and its beginning."""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Iterator, Set
from pathlib import Path
from typing import BinaryIO

from memory_pipeline.errors import IngestError
from memory_pipeline.stages.messages.importers.csv import header_of
from memory_pipeline.stages.messages.importers.files.diagnosis import encoding_fault, what_it_is
from memory_pipeline.stages.messages.importers.files.documents import conversation_files
from memory_pipeline.stages.messages.importers.files.source import DAMAGED, SourceFile
from memory_pipeline.stages.messages.importers.jsonl import BOM

LINE_SUFFIXES = frozenset((".jsonl", ".ndjson"))
_HEAD = 4 << 20  # bytes looked at: LoCoMo has a sample's questions before its conversation
_BLOCK = 1 << 16
_TRIED = 20  # lines of a JSON Lines file tried, in case the first ones are broken
_TOKEN = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\Z)|[\[\]{}:,]', re.DOTALL)


def detect(path: Path) -> str:
    """Name of the file's format.

    Raises:
        IngestError: it cannot be read, or is of none of the formats.
    """
    found = _by_content(path)
    if found is None and is_lines(path):
        return "jsonl"
    if found is None:
        raise IngestError(
            f"{path}: of no known format: {_described(path)}; known are jsonl, openai, chatgpt, claude, locomo, "
            "longmemeval, csv, parquet",
            path=str(path),
        )
    return found


def _described(path: Path) -> str:
    try:
        return what_it_is(path)
    except (OSError, RuntimeError, zipfile.BadZipFile) as error:
        raise IngestError(f"cannot read {path}: {error}", path=str(path)) from error


def is_lines(path: Path) -> bool:
    """Whether the name says JSON Lines."""
    suffixes = [s.lower() for s in path.suffixes if s.lower() != ".gz"]
    return bool(suffixes) and suffixes[-1] in LINE_SUFFIXES


def _by_content(path: Path) -> str | None:
    head = _head(path)
    if head.startswith(b"PAR1"):
        return "parquet"
    if fault := encoding_fault(head):
        raise IngestError(f"{path}: {fault}", path=str(path))
    text = head.removeprefix(BOM).decode("utf-8", "replace")
    if is_lines(path):
        named = (_named(set(first_keys(line))) for line in text.split("\n", _TRIED)[:_TRIED])
        return next((name for name in named if name), None)
    if text.lstrip()[:1] in ("{", "["):
        return _json_format(text)
    return "csv" if header_of(head.split(b"\n", 1)[0]) else None


def _head(path: Path) -> bytes:
    """The file's beginning, or that of the conversations in a zip."""
    source = SourceFile(path, path.name)
    try:
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                for name in conversation_files(archive):
                    with archive.open(name) as member:
                        return member.read(_HEAD)
            return b""
        with source.open() as stream:
            return _beginning(stream)
    except (OSError, RuntimeError, zipfile.BadZipFile, zlib.error) as error:
        raise IngestError(f"cannot read {path}: {error}", path=str(path)) from error


def _beginning(stream: BinaryIO) -> bytes:
    """As much of the beginning as can be decompressed: what is wrong further on is the importer's to say."""
    head = b""
    try:
        while len(head) < _HEAD and (block := stream.read(_BLOCK)):
            head += block
    except DAMAGED:
        pass
    return head


def _json_format(text: str) -> str | None:
    seen: set[str] = set()
    for key in first_keys(text):
        seen.add(key)
        found = _named(seen)
        if found not in (None, "jsonl"):
            return found
    if _named(seen) == "jsonl":
        # Landing fields in a list, or in an object over several lines, are read as chat messages that carry them.
        return "jsonl" if text.lstrip().split("\n", 1)[0].rstrip().endswith("}") else "openai"
    return "openai" if {"role", "content"} <= seen else None


def _named(keys: Set[str]) -> str | None:
    if keys >= {"role", "content", "session_id", "created_at"}:
        return "jsonl"
    if "mapping" in keys:
        return "chatgpt"
    if "chat_messages" in keys:
        return "claude"
    if "haystack_sessions" in keys:
        return "longmemeval"
    if "conversation" in keys and keys & {"qa", "sample_id", "event_summary", "observation", "session_summary"}:
        return "locomo"
    return "openai" if "messages" in keys else None


def first_keys(text: str) -> Iterator[str]:
    """Keys of the first object in the beginning of a JSON text, in order; the text may break off anywhere."""
    depth = target = 0
    last = ""
    for match in _TOKEN.finditer(text):
        token = match[0]
        if token in "{[":
            depth += 1
            target = target or (depth if token == "{" else 0)
        elif token in "}]":
            depth -= 1
            if depth < target:
                return
        elif token == ":" and depth == target and last.startswith('"'):
            yield last[1:-1]
        last = token
