"""What an application gets back beside what reads return; the same on a home and on a server."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memory_pipeline.domain.plain import Plain
from memory_pipeline.domain.reading.recall import Answer, Payload


@dataclass(frozen=True, slots=True)
class Receipt(Plain):
    """What became of messages that were handed in, by count.

    Attributes:
        known: those whose id the session has already.
        quarantined: those that are not of the landing format; ``faults`` says why.
        erased: those that were erased before, and stay out.
        faults: ``index`` (of the message, from 0) and ``reason`` of each that was quarantined.
    """

    taken: int
    known: int
    quarantined: int
    erased: int = 0
    faults: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class MemoryRecord(Plain):
    """A memory as it stands.

    Attributes:
        lineage_id: id of the first memory of the chain of facts that it belongs to.
        evidence: ids of the messages that it rests on.
        superseded_by: id of the memory that replaced it.
        change, reason: of an act, what it was and why; empty in lists.
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
    change: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class MemoryHistory(Plain):
    """Where a memory came from, down to the sentence. All values as JSON has them.

    Attributes:
        memory: as it stands.
        versions: oldest first.
        verdict, proposal, window: of the newest version that came from a conversation.
        messages: with the words that are quoted.
        lineage: the memories of its chain of facts.
    """

    memory: Mapping[str, Any]
    versions: tuple[Mapping[str, Any], ...]
    verdict: Mapping[str, Any] | None
    proposal: Mapping[str, Any] | None
    window: Mapping[str, Any] | None
    messages: tuple[Mapping[str, Any], ...]
    prompt_hash: str | None
    model: str | None
    run_id: str | None
    lineage: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class Reply(Plain):
    """A model's reply to a turn.

    Attributes:
        model: its name, as the model's server states it.
        recall_id, item_ids: what was remembered for the prompt, for ``feedback``.
        tokens: estimated size of the prompt.
        kept: what became of the turn and the reply; None where they could not be kept, which the log says.
    """

    text: str
    model: str
    recall_id: str
    item_ids: tuple[str, ...]
    tokens: int
    kept: Receipt | None = None


@dataclass(frozen=True, slots=True)
class Say(Plain):
    """What memory has for a message: the answer, where it asks for something that memory knows, else the prompt for a
    chat model."""

    answer: Answer | None = None
    payload: Payload | None = None
