"""What extraction sees of a session before a window: for understanding only, never extracted (NM-14).

All windows of a day look back on the same part of the days before, so that what makes a day stale can be told from the
messages alone, without cutting windows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memory_pipeline.domain.message import Message, Role


@dataclass(frozen=True, slots=True)
class Lookback:
    """What stands before a window.

    Attributes:
        context: the last messages before it, in order (NM-12).
        summarised: the messages up to the last refresh of the rolling summary; empty where that would tell little
            more than the context does.
    """

    context: Sequence[Message] = ()
    summarised: Sequence[Message] = ()


def user_turns(messages: Sequence[Message]) -> int:
    return sum(m.role is Role.USER for m in messages)


def carried(earlier: Sequence[Message], context: int, turns: int) -> Sequence[Message]:
    """What the windows of a day see of the session's earlier days: all of it when a summary is due, else its end.

    Args:
        earlier: the session's messages of the days before, in order.
        context: messages of context.
        turns: user turns beyond the context from which on a summary is made.
    """
    beyond = max(len(earlier) - context, 0)
    return earlier if user_turns(earlier[:beyond]) >= turns else earlier[beyond:]


def lookback(before: Sequence[Message], today: Sequence[Message], context: int, turns: int) -> Lookback:
    """What a window sees.

    The rolling summary is refreshed at the end of a day, every so many user turns of a day, and after a message of the
    system, which is what takes the place of turns that a chat has summarised (RX-23).

    Args:
        before: what is carried over from earlier days.
        today: the session's messages of the window's day before the window, in order.
        context, turns: see :func:`carried`.
    """
    previous = [*before, *today]
    beyond = max(len(previous) - context, 0)
    if user_turns(previous[:beyond]) < turns:
        return Lookback(previous[beyond:])
    refreshed, told = 0, 0
    for n, message in enumerate(today, 1):
        told += message.role is Role.USER
        if message.role is Role.SYSTEM or (message.role is Role.USER and told % turns == 0):
            refreshed = n
    return Lookback(previous[beyond:], previous[: len(before) + refreshed])
