"""The rows of the index: a memory as it stands, a turn, a summary, each as far as retrieval needs it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, slots=True)
class IndexedMemory:
    """The current version of a memory, as retrieval needs it.

    Attributes:
        timezone: the user's, when it was said.
        evidence: message ids.
        change: why the version exists.
        own_words: the user wrote the content by hand; the messages behind it say something else.
        taken_back: ids of messages that are not shown any more, and the memory's own once it is forgotten.
    """

    memory_id: str
    version_id: str
    version: int
    lineage_id: str
    tenant_id: str
    user_id: str
    session_id: str
    agent_id: str | None
    domain: str | None
    shared: bool
    classification: str
    type: str
    status: str
    content: str
    subject: str | None
    attribute: str | None
    value: str | None
    negated: bool
    entities: tuple[str, ...]
    confidence: float
    salience: float
    importance: float
    surface: str
    pinned: bool
    reinforcements: int
    observed_at: datetime
    referenced_at: datetime
    valid_from: datetime | None
    valid_until: datetime | None
    due_at: datetime | None
    timezone: str
    superseded_by: str | None
    evidence: tuple[str, ...]
    derived_from: tuple[str, ...]
    change: str
    own_words: bool
    taken_back: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class IndexedSpan:
    """A sentence of a turn: its place, whose words it is, and a short code of the reason; see ``language.standing``."""

    start: int
    end: int
    standing: str
    why: str


@dataclass(frozen=True, slots=True)
class IndexedMessage:
    """A verbatim turn.

    Attributes:
        previous: the turn before it, cut, for its keywords and for answers that need their question.
        classification: as ``domain.classification`` has it.
        spans: its sentences, in order.
        tokens: the vectors of its single tokens, as ``inference.token_vectors`` packs them; None where the encoder
            gives none, or the row was written by a release that had none.
    """

    message_key: str
    message_id: str
    tenant_id: str
    user_id: str
    session_id: str
    agent_id: str | None
    domain: str | None
    role: str
    speaker: str | None
    content: str
    previous: str
    created_at: datetime
    ordinal: int
    classification: str
    spans: tuple[IndexedSpan, ...] = ()
    tokens: bytes | None = None


@dataclass(frozen=True, slots=True)
class IndexedSummary:
    """A calendar summary; ``label`` names the period ("2026-W11").

    Attributes:
        classification: the strictest class of what it tells.
        domains, agent_ids: every one that what it tells belongs to; None where they are not known.
    """

    summary_id: str
    tenant_id: str
    user_id: str
    grain: str
    label: str
    content: str
    observed_at: datetime
    message_ids: tuple[str, ...]
    memory_ids: tuple[str, ...]
    classification: str
    domains: tuple[str, ...] | None
    agent_ids: tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class Table:
    """A table of the index: the noun of its rows, and the column that names one."""

    noun: type[Any]
    key: str


TABLES = {
    "memories": Table(IndexedMemory, "memory_id"),
    "messages": Table(IndexedMessage, "message_key"),
    "summaries": Table(IndexedSummary, "summary_id"),
}


def tokens_of(table: pa.Table) -> pa.Array | None:
    """The ``tokens`` column in one piece; None where the table has none."""
    if "tokens" not in table.column_names:
        return None
    found = table.column("tokens")
    return found.chunk(0) if found.num_chunks == 1 else found.combine_chunks()


def plain(table: pa.Table) -> pa.Table:
    """The table without what only machines read: vectors, and those of tokens."""
    return table.drop_columns([name for name in ("vector", "tokens") if name in table.column_names])
