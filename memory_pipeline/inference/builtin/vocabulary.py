"""Word lists written as text."""

from __future__ import annotations


def listed(text: str) -> tuple[str, ...]:
    """The words of a text, in order."""
    return tuple(text.split())


def wordset(text: str) -> frozenset[str]:
    """The words of a text, for membership."""
    return frozenset(text.split())
