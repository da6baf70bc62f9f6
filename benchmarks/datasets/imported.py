"""Messages of a data set for which ``ingest`` has an importer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from memory_pipeline.stages.messages.importers import Fault, Item, Skipped, SourceFile


def landed(read: Callable[[SourceFile], Iterator[Item]], file: Path) -> list[dict[str, Any]]:
    """The file's messages in the landing format.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: a place of the file holds no message.
    """
    if not file.is_file():
        raise FileNotFoundError(2, "missing", str(file))
    messages = []
    for item in read(SourceFile(file, file.name)):
        if isinstance(item, Fault):
            raise ValueError(item.reason)
        if isinstance(item, Skipped):
            continue
        fields = dict(item.fields)
        if isinstance(fields.get("created_at"), datetime):
            fields["created_at"] = fields["created_at"].isoformat()
        messages.append(fields)
    return messages
