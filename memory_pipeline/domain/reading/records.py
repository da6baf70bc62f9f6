"""What plain reads return: a memory as it is listed, where it came from, a stretch of the calendar."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from memory_pipeline.domain.plain import Record

# Without slots: programs that take any object read its fields by ``vars``.


@dataclass(frozen=True, eq=False)
class ListedMemory(Record):
    """A memory as it stands.

    Attributes:
        lineage_id: id of the first memory of the chain of facts that it belongs to.
        evidence: ids of the messages that it rests on.
        superseded_by: id of the memory that replaced it.
        version: 1, 2, … within the memory.
        entity_ids: whom and what it is about, as ``entities`` lists them; None where that was not asked.
    """

    memory_id: str
    lineage_id: str
    user_id: str
    tenant_id: str
    type: str
    status: str
    content: str
    subject: str | None
    attribute: str | None
    value: str | None
    surface: str
    confidence: float
    salience: float
    importance: float
    pinned: bool
    entities: tuple[str, ...]
    observed_at: datetime
    valid_from: datetime | None
    valid_until: datetime | None
    due_at: datetime | None
    evidence: tuple[str, ...]
    superseded_by: str | None
    version: int
    entity_ids: tuple[str, ...] | None = None


@dataclass(frozen=True, eq=False)
class MemoryRecord(ListedMemory):
    """A memory as it stands, after an act of the user's own hand.

    Attributes:
        change, reason: of the act, what it was and why; empty in lists.
    """

    change: str = ""
    reason: str = ""


@dataclass(frozen=True, eq=False)
class MemoryHistory(Record):
    """Where a memory came from, down to the sentence.

    Attributes:
        memory: as it stands.
        versions: those that stand, oldest first.
        verdict, proposal, window: of the newest version that came from a conversation; None for what the user wrote or
            time did.
        messages: those cited, in order of time, each with ``quote`` and ``quotes``; of a reflection or a pattern those
            that its sources rest on.
        prompt_hash, model, run_id: by which it was made.
        verdicts, proposals, windows: of all versions, newest first.
        derived_from: ids of what a reflection or a pattern was made from; ``sources`` are these memories.
        manual: what was done to it by hand.
        superseded_by, supersedes: its neighbours in its chain of facts; ``lineage`` is the whole chain.
        links: what it is linked with.
        cost: ``tokens``, ``usd`` and the ``replies`` that it is a part of; None where no model was asked.
    """

    memory: ListedMemory
    versions: tuple[Mapping[str, Any], ...]
    verdict: Mapping[str, Any] | None
    proposal: Mapping[str, Any] | None
    window: Mapping[str, Any] | None
    messages: tuple[Mapping[str, Any], ...]
    prompt_hash: str | None
    model: str | None
    run_id: str | None
    verdicts: tuple[Mapping[str, Any], ...] = ()
    proposals: tuple[Mapping[str, Any], ...] = ()
    windows: tuple[Mapping[str, Any], ...] = ()
    derived_from: tuple[str, ...] = ()
    sources: tuple[Mapping[str, Any], ...] = ()
    manual: tuple[Mapping[str, Any], ...] = ()
    superseded_by: Mapping[str, Any] | None = None
    supersedes: tuple[Mapping[str, Any], ...] = ()
    lineage: tuple[Mapping[str, Any], ...] = ()
    links: tuple[Mapping[str, Any], ...] = ()
    cost: Mapping[str, Any] | None = None


@dataclass(frozen=True, eq=False)
class TimelinePeriod(Record):
    """A day, a week or a month of a user.

    Attributes:
        label: 2026-03-10, 2026-W11 or 2026-03.
        start, end: its first and last day.
        messages, sessions: how many.
        summary: a paragraph for each domain where there are several; None where there is none.
        summary_id: of the first; ``summary_ids`` of all.
        changes: each memory version of the period, with ``memory_id``, ``change``, ``status``, ``content``, ``reason``
            and ``day``; without ``content`` and ``reason`` where these were not asked for.
        over: whether it has ended: weeks and months get their summary then.
        days: until then those of its days, each with ``label``, ``summary`` and ``summary_id``.
    """

    label: str
    start: date
    end: date
    messages: int
    sessions: int
    summary: str | None
    summary_id: str | None
    summary_ids: tuple[str, ...]
    changes: tuple[Mapping[str, Any], ...]
    over: bool
    days: tuple[Mapping[str, Any], ...]
