"""The running conversation in a prompt: the first turn, what is older in a few sentences, the latest turns (LS-25).

A turn is one message of a chat, in the shape that chat models take. Messages are never rewritten, only left out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memory_pipeline.domain.text import estimate_tokens
from memory_pipeline.errors import QueryError

Turn = Mapping[str, Any]

ROLES = ("user", "assistant", "system", "developer", "tool")
_FRAME = 4  # tokens that a chat format takes around a message, roughly


@dataclass(frozen=True, slots=True)
class History:
    """What a prompt shows of a conversation.

    Attributes:
        turns: those kept, in order and unchanged; the first of the conversation among them where there is room.
        summary: of the ones between, empty when none is left out.
        left_out: how many turns are not shown.
        tokens: of the turns and the summary, estimated.
    """

    turns: tuple[Turn, ...]
    summary: str
    left_out: int
    tokens: int


def said(turn: Turn) -> str:
    """The text of a turn; of several parts those that are text."""
    content = turn.get("content") or ""
    if isinstance(content, str):
        return content
    return "\n".join(part["text"] for part in content if isinstance(part.get("text"), str))


def turn_tokens(turn: Turn) -> int:
    """Estimated size of a turn, calls of tools included."""
    calls = str(turn["tool_calls"]) if turn.get("tool_calls") else ""
    return estimate_tokens(said(turn) + calls) + _FRAME


def checked_turns(turns: Sequence[Any]) -> tuple[Turn, ...]:
    """The turns, if each is a message that a chat model takes.

    Raises:
        QueryError: one has no known role, or a content that is neither text nor a list of parts.
    """
    for place, turn in enumerate(turns):
        if not isinstance(turn, Mapping) or turn.get("role") not in ROLES:
            raise QueryError(f"history[{place}] must be a mapping with a role out of {', '.join(ROLES)}")
        content = turn.get("content")
        parts = isinstance(content, list) and all(isinstance(part, Mapping) for part in content)
        if not (content is None or isinstance(content, str) or parts):
            raise QueryError(f"history[{place}].content must be text or a list of parts, not {type(content).__name__}")
    return tuple(turns)


def shown(
    turns: Sequence[Turn],
    limit: int,
    *,
    most: int,
    verbatim: int,
    summary_tokens: int,
    summarise: Callable[[Sequence[Turn], int], str],
) -> History:
    """As much of a conversation as fits, the latest first (LS-25, LS-30).

    The last ``verbatim`` turns are kept as long as they fit at all; then the first turn, a summary of what is left
    out, and further turns back to the last ``most``. An answer of a tool is never shown without the call before it.

    Args:
        limit: tokens at most.
        summary_tokens: of the summary at most.
        summarise: makes a text of some turns, of at most so many tokens.
    """
    sizes = [turn_tokens(turn) for turn in turns]
    start = _back(turns, sizes, len(turns), limit, verbatim)
    left = limit - sum(sizes[start:])
    first = 1 if start > 0 and not _answers(turns, 1) and sizes[0] <= left else 0
    left -= sum(sizes[:first])
    whole = _back(turns, sizes, start, left, max(most - (len(turns) - start), 0), floor=first)
    if whole == first:
        return _made(turns, first, whole, "", sizes)
    room = min(summary_tokens, left)
    start = _back(turns, sizes, start, left - room, max(most - (len(turns) - start), 0), floor=first)
    summary = summarise(turns[first:start], room).strip() if room > 0 else ""
    return _made(turns, first, start, summary, sizes)


def _back(turns: Sequence[Turn], sizes: Sequence[int], end: int, limit: int, most: int, floor: int = 0) -> int:
    """Where the longest run of turns begins that ends before ``end``, fits, and starts with no answer of a tool."""
    start, taken = end, 0
    for place in range(end - 1, max(end - most, floor) - 1, -1):
        taken += sizes[place]
        if taken > limit:
            break
        if not _answers(turns, place):
            start = place
    return start


def _answers(turns: Sequence[Turn], place: int) -> bool:
    return place < len(turns) and turns[place]["role"] == "tool"


def _made(turns: Sequence[Turn], first: int, start: int, summary: str, sizes: Sequence[int]) -> History:
    tokens = sum(sizes[:first]) + sum(sizes[start:]) + (estimate_tokens(summary) if summary else 0)
    return History((*turns[:first], *turns[start:]), summary, start - first, tokens)
