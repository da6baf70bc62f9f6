"""What reads return: an item, the block and the whole prompt of a turn, an answer, and a user in a few lines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from memory_pipeline.domain.plain import Plain


@dataclass(frozen=True, slots=True)
class Signal(Plain):
    """One part of a score: its value (0 to 1), its weight in the profile, and value × weight."""

    value: float
    weight: float
    contribution: float


@dataclass(frozen=True, slots=True)
class RecalledItem(Plain):
    """A memory (``semantic``), a message (``episodic``) or a summary or reflection (``narrative``).

    Attributes:
        score: of the ranking profile; comparable within one answer only.
        signals: by name, filled when an explanation was asked for.
        age: "3 days ago", from ``observed_at`` to the time of the read.
        evidence: ids of the messages it rests on, in order.
        standing: whose words it is: of a message ``own``, ``question``, ``foreign`` …, as most of it is (see
            ``language.standing.Standing``); of a memory its state; ``derived`` for a summary.
    """

    id: str
    layer: str
    type: str
    content: str
    score: float
    signals: Mapping[str, Signal]
    surface: str
    status: str
    observed_at: datetime
    age: str
    session_id: str | None
    evidence: tuple[str, ...]
    recall_id: str
    pinned: bool = False
    standing: str = ""


@dataclass(frozen=True, slots=True)
class ContextBlock(Plain):
    """Text for a prompt, with an account of what went in.

    Attributes:
        sections: text by section title, in order.
        tokens: estimated size of ``text``.
        dropped: ids left out for lack of room.
        budget: used and limit by section.
    """

    text: str
    sections: Mapping[str, str]
    item_ids: tuple[str, ...]
    tokens: int
    dropped: tuple[str, ...]
    budget: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    recall_id: str = ""


@dataclass(frozen=True, slots=True)
class Payload(Plain):
    """The whole prompt of a turn, in the shape that chat models take (LS-27).

    Attributes:
        messages: a system message with rules, profile, memories, service data and what was said earlier; the turns of
            the conversation that are shown; the user's new turn.
        sections: text of the system message by section, in order.
        item_ids: what was remembered for it.
        tokens: estimated size of all messages.
        dropped: memories, services and ``service.field`` that were left out for lack of room or relevance.
        budget: used, limit and number of dropped items by section, and in total.
    """

    messages: tuple[Mapping[str, Any], ...]
    sections: Mapping[str, str]
    item_ids: tuple[str, ...]
    tokens: int
    dropped: tuple[str, ...]
    budget: Mapping[str, Mapping[str, int]]
    recall_id: str


@dataclass(frozen=True, slots=True)
class Answer(Plain):
    """What memory alone says to a question; ``known`` is False when it says nothing."""

    text: str
    citations: tuple[str, ...]
    known: bool
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class StandingProfile(Plain):
    """A user in a few lines.

    Attributes:
        text: empty when nothing is known.
        item_ids: the memories that it rests on, in the order of the text.
        tokens: estimated size of the text.
        version: digest of text and ids: equal versions are equal bytes.
    """

    text: str
    item_ids: tuple[str, ...]
    tokens: int
    version: str
