"""Word tables of the domain: what people say, kept apart from the rules that read it."""

from __future__ import annotations

import tomllib
from functools import lru_cache
from importlib import resources
from typing import Any


@lru_cache(maxsize=16)
def table(name: str) -> dict[str, Any]:
    """One table of the package, by its file name without the ending; it is read once.

    Raises:
        FileNotFoundError: the package holds no such table.
    """
    return tomllib.loads((resources.files(__name__) / f"{name}.toml").read_text(encoding="utf-8"))


@lru_cache(maxsize=64)
def wordset(name: str, key: str) -> frozenset[str]:
    """The words of one text of a table."""
    return frozenset(str(table(name)[key]).split())
