"""Reading a small file through an importer."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

from memory_pipeline.stages.messages.importers import FORMATS, Item, Record, Skipped, SourceFile


def items(path: Path, format: str) -> list[Item]:
    return list(FORMATS[format].read(SourceFile(path, path.name)))


def records(path: Path, format: str) -> list[Record]:
    return [item for item in items(path, format) if isinstance(item, Record)]


def skipped(path: Path, format: str) -> Counter[str]:
    """What an importer leaves out, by kind."""
    return Counter(item.reason for item in items(path, format) if isinstance(item, Skipped))


def items_of(document: Any, format: str, folder: Path) -> list[Item]:
    path = folder / f"{format}.json"
    path.write_text(json.dumps(document, indent=1), encoding="utf-8")
    return items(path, format)
