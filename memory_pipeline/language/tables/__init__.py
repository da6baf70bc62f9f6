"""Words and thresholds that are data: TOML files, read once."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources
from typing import Any


@cache
def read(name: str) -> dict[str, Any]:
    """A table by the name of its file without ``.toml``."""
    path = resources.files("memory_pipeline.language.tables") / f"{name}.toml"
    return tomllib.loads(path.read_text(encoding="utf-8"))
