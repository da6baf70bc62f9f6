"""What people study: who has changed to one field no longer studies another."""

from __future__ import annotations

import re
from functools import lru_cache

from memory_pipeline.domain.patterns import lazy
from memory_pipeline.domain.tables import table
from memory_pipeline.domain.text import normalise


@lru_cache(maxsize=1)
def fields() -> frozenset[str]:
    """The names of what is studied, in small letters."""
    return frozenset(str(name) for name in table("objects")["fields"])


@lru_cache(maxsize=65536)
def fields_in(text: str) -> frozenset[str]:
    """The fields that a text names, each by its fullest name."""
    return frozenset(hit.group() for hit in _pattern().finditer(normalise(text)))


@lru_cache(maxsize=1)
def _pattern() -> re.Pattern[str]:
    return lazy(rf"\b(?:{'|'.join(sorted(fields(), key=len, reverse=True))})\b")
