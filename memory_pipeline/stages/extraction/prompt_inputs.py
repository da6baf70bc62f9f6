"""How messages and memories are shown to a model: times in the user's zone, long texts cut, within a budget."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memory_pipeline.domain.calendar import zone
from memory_pipeline.domain.ledger.memory import MemoryVersion
from memory_pipeline.domain.message import Message, Role
from memory_pipeline.domain.text import estimate_tokens, truncate

MESSAGE_TOKENS = 1_500
SUMMARISED_TOKENS = 300
_OVERHEAD = 25


def message_input(message: Message, alias: str, tokens: int = MESSAGE_TOKENS) -> dict[str, Any]:
    """A message as the prompts get it: times in the user's zone, long texts cut."""
    return {
        "id": alias,
        "role": str(message.role),
        "speaker": message.speaker,
        "content": truncate(message.content, tokens),
        "created_at": message.created_at.astimezone(zone(message.timezone)).isoformat(timespec="seconds"),
    }


def memory_input(version: MemoryVersion, alias: str) -> dict[str, Any]:
    """A memory version as the prompts get it."""
    return {
        "id": alias,
        "type": str(version.type),
        "content": version.content,
        "change": str(version.change),
        "day": version.day.isoformat(),
        "importance": version.importance,
        "subject": version.subject,
        "attribute": version.attribute,
        "value": version.value,
    }


def within_budget(messages: Sequence[Message], tokens: int) -> list[Message]:
    """As many messages as fit, in order: the user's own first, then the others, evenly spread when not all fit."""
    ordered = sorted(messages, key=lambda m: (m.order, m.session_id))
    chosen: list[Message] = []
    left = tokens
    for own in (True, False):
        group = [m for m in ordered if (m.role is Role.USER) is own and m.role is not Role.SYSTEM]
        sizes = [min(estimate_tokens(m.content), SUMMARISED_TOKENS) + _OVERHEAD for m in group]
        step = max(1.0, sum(sizes) / max(left, 1))
        position = 0.0
        while round(position) < len(group):
            n = round(position)
            if sizes[n] <= left:
                chosen.append(group[n])
                left -= sizes[n]
            position += step
    return sorted(chosen, key=lambda m: (m.order, m.session_id))
