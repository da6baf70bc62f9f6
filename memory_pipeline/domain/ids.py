"""Deterministic identifiers: the same input gives the same id on every machine, in every run."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

_LENGTH = 24  # hexadecimal digits: 96 bits, no collision to be expected below 10^13 rows


def digest(*parts: str) -> str:
    """SHA-256 over length-prefixed parts, so that ("ab", "c") and ("a", "bc") differ. 64 hex digits."""
    h = hashlib.sha256()
    for part in parts:
        raw = part.encode("utf-8", "surrogatepass")
        h.update(str(len(raw)).encode() + b":")
        h.update(raw)
    return h.hexdigest()


def identifier(kind: str, *parts: str) -> str:
    """An id such as ``mem_1f3a…``: a readable kind and 24 hex digits of the parts' digest."""
    return f"{kind}_{digest(kind, *parts)[:_LENGTH]}"


def content_hash(role: str, content: str) -> str:
    """Hash of one message's role and text: the unit of the extraction cursor (RX-10)."""
    return hashlib.sha256(f"{role}:{content}".encode("utf-8", "surrogatepass")).hexdigest()


def fingerprint(items: Iterable[str]) -> str:
    """Order-independent digest of a set of ids, for comparing what a partition was made from."""
    return digest(*sorted(items))
