"""Turns of a conversation that are off the record because of those around them: what a later turn takes back, and what
an assistant answers to what is not to be kept."""

from __future__ import annotations

from collections.abc import Sequence

from memory_pipeline.language.standing.off_record import UNSAID, Reach, may_plead, unsays
from memory_pipeline.language.standing.reader import Standing, Turn, spans

_ASKED = frozenset({Standing.QUESTION, Standing.REQUEST})


def unsaid(turns: Sequence[Turn]) -> frozenset[int]:
    """Places of the turns of which nothing is to be kept, though they plead for nothing themselves.

    Args:
        turns: of one session, in order.
    """
    found: set[int] = set()
    silent = False
    for n, turn in enumerate(turns):
        if turn.role != "user":
            found |= {n} if silent else set()
            continue
        pleading = may_plead(turn.content)
        found |= _taken_back(turns, n) if pleading else set()
        silent = pleading and _pleads(turn, turns[:n])
    return frozenset(found)


def recorded(content: str, before: Sequence[Turn] = ()) -> str:
    """A user's turn without the sentences that are not to be kept."""
    if not may_plead(content):
        return content
    left, place = [], 0
    for span in spans(content, before):
        if span.standing is Standing.OFF_RECORD:
            left.append(content[place : span.start])
            place = span.end
    return "".join((*left, content[place:])) if left else content


def _pleads(turn: Turn, before: Sequence[Turn]) -> bool:
    return any(s.standing is Standing.OFF_RECORD for s in spans(turn.content, before))


def _taken_back(turns: Sequence[Turn], place: int) -> set[int]:
    """The turn before a plea that says nothing else, and the assistant's answers to it."""
    reach = unsays(turns[place].content)
    earlier = next((n for n in range(place - 1, -1, -1) if turns[n].role == "user"), None)
    if reach is None or earlier is None:
        return set()
    if reach is Reach.BEFORE and any(s.standing in _ASKED for s in spans(turns[earlier].content, turns[:earlier])):
        return set()  # "Find me a flat in Leeds." "Forget that.": it is the request that is given up
    return set(range(earlier, place))


__all__ = ["UNSAID", "recorded", "unsaid"]
