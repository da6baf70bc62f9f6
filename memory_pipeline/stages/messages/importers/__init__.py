"""One module a format: each reads a file as records in the fields of the landing format, unchecked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from memory_pipeline.errors import IngestError
from memory_pipeline.stages.messages.importers import chatgpt, claude, csv, jsonl, locomo, longmemeval, openai, parquet
from memory_pipeline.stages.messages.importers.files.detection import detect
from memory_pipeline.stages.messages.importers.files.source import Fault, Item, Record, Skipped, SourceFile

__all__ = ["FORMATS", "Fault", "Format", "Item", "Record", "Skipped", "SourceFile", "detect", "format_named"]


@dataclass(frozen=True, slots=True)
class Format:
    """A format that can be imported.

    Attributes:
        needs_user: its files name no user, so the caller must.
        of_account: its files name the account that they were exported from: a user whom the caller names is meant
            instead of it.
    """

    name: str
    read: Callable[[SourceFile], Iterator[Item]]
    needs_user: bool = False
    of_account: bool = False

    def reader(self, user: str | None) -> Callable[[SourceFile], Iterator[Item]]:
        """How a file is read whose messages, as far as they name nobody, are this user's."""
        return partial(_owned, self.read, user) if self.of_account and user is not None else self.read


def _owned(read: Callable[[SourceFile], Iterator[Item]], user: str, source: SourceFile) -> Iterator[Item]:
    for item in read(source):
        yield item._replace(fields={**item.fields, "user_id": user}) if isinstance(item, Record) else item


FORMATS = {
    f.name: f
    for f in (
        Format("jsonl", jsonl.read),
        Format("openai", openai.read),
        Format("chatgpt", chatgpt.read, needs_user=True),
        Format("claude", claude.read, of_account=True),
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
