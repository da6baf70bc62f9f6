"""What an application gets back beside what reads return; the same on a home and on a server."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from memory_pipeline.domain.plain import Plain
from memory_pipeline.domain.reading.recall import Answer, Payload
from memory_pipeline.domain.reading.records import MemoryHistory, MemoryRecord


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


__all__ = ["MemoryHistory", "MemoryRecord", "Receipt", "Reply", "Say"]
