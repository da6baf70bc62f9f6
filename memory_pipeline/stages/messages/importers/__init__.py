"""One module a format: each reads a file as records in the fields of the landing format, unchecked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from memory_pipeline.errors import IngestError
from memory_pipeline.stages.messages.importers import (
    chatgpt,
    claude,
    csv,
    jsonl,
    locomo,
    longmemeval,
    openai,
    parquet,
)
from memory_pipeline.stages.messages.importers.detection import detect
from memory_pipeline.stages.messages.importers.source import Fault, Item, Record, SourceFile

__all__ = ["FORMATS", "Fault", "Format", "Item", "Record", "SourceFile", "detect", "format_named"]


@dataclass(frozen=True, slots=True)
class Format:
    """A format that can be imported.

    Attributes:
        needs_user: its files name no user, so the caller must.
    """

    name: str
    read: Callable[[SourceFile], Iterator[Item]]
    needs_user: bool = False


FORMATS = {
    f.name: f
    for f in (
        Format("jsonl", jsonl.read),
        Format("openai", openai.read),
        Format("chatgpt", chatgpt.read, needs_user=True),
        Format("claude", claude.read),
        Format("locomo", locomo.read),
        Format("longmemeval", longmemeval.read),
        Format("csv", csv.read),
        Format("parquet", parquet.read),
    )
}


def format_named(name: str) -> Format:
    """The format of that name.

    Raises:
        IngestError: there is none.
    """
    if name not in FORMATS:
        raise IngestError(f"no format called {name!r}; known are auto, {', '.join(FORMATS)}")
    return FORMATS[name]
