"""The turns of a session that is under way (LS-24, LS-25)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from memory_pipeline.domain.message import Message


def in_view(turns: Sequence[Message], most: int) -> tuple[Message, ...]:
    """The first turn and the latest ones, in order (LS-25).

    Args:
        most: of the latest.
    """
    return tuple(turns) if len(turns) <= most + 1 else (turns[0], *turns[-most:])


def under_way(turns: Sequence[Message], now: datetime, ttl: timedelta) -> bool:
    """Whether anything has been said in a session within its time to live (LS-24)."""
    return any(now - turn.recorded_at < ttl for turn in turns)


def with_place(turn: Message, before: Sequence[Message]) -> Message:
    """A new turn with its place among those of its session that bear the same time.

    Args:
        before: the session's turns that came earlier.
    """
    same = sum(other.created_at == turn.created_at for other in before)
    return replace(turn, ordinal=same) if same != turn.ordinal else turn
