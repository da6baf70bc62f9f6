"""Reading a small file through an importer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from memory_pipeline.stages.messages.importers import FORMATS, Item, SourceFile


def items(path: Path, format: str) -> list[Item]:
    return list(FORMATS[format].read(SourceFile(path, path.name)))


def items_of(document: Any, format: str, folder: Path) -> list[Item]:
    path = folder / f"{format}.json"
    path.write_text(json.dumps(document, indent=1), encoding="utf-8")
    return items(path, format)
