"""What the index holds of a noun: the memory's current row, and the words by which a turn is found."""

from __future__ import annotations

from dataclasses import fields

from memory_pipeline.domain.classification import STRICTEST
from memory_pipeline.domain.derived.summary import Summary
from memory_pipeline.domain.ledger.memory import MemoryVersion
from memory_pipeline.domain.message import Role
from memory_pipeline.storage.vectors.index import IndexedMemory, IndexedSummary

_ROLES = frozenset(Role)


def indexed_memory(version: MemoryVersion) -> IndexedMemory:
    """A version as the index holds it."""
    same = {f.name: getattr(version, f.name) for f in fields(IndexedMemory) if f.name != "evidence"}
    return IndexedMemory(**same, evidence=tuple(dict.fromkeys(e.message_id for e in version.evidence)))


def indexed_summary(summary: Summary) -> IndexedSummary:
    """A calendar summary as the index holds it."""
    same = {f.name: getattr(summary, f.name) for f in fields(IndexedSummary) if hasattr(summary, f.name)}
    return IndexedSummary(
        **same
        | {
            "grain": str(summary.grain),
            "content": summary.text,
            "classification": str(summary.classification or STRICTEST),
        }
    )


def spoken(speaker: str | None, content: str) -> str:
    """A turn as it is encoded and searched by keyword: with the speaker's name, where it is a name.

    Questions name people ("What did Caroline paint?"); without the name, turns addressed to Caroline win over hers
    (measured on LoCoMo: dense R@5 .14 without it, .37 with it).
    """
    return f"{speaker}: {content}" if has_name(speaker) else content


def has_name(speaker: str | None) -> bool:
    """Whether a speaker is called by a name, not by a role."""
    return bool(speaker) and str(speaker).casefold() not in _ROLES
