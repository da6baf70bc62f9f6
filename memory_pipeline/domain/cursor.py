"""The content-hash cursor: which turns of a history that is sent again are known, and where the new ones begin.

A chat that keeps no times and no ids sends its history with each call: whole, cut to the last turns, or with a summary
in the place of old turns. The hashes of role and text, in their order, tell what of it is known (RX-10…15).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher


@dataclass(frozen=True, slots=True)
class Alignment:
    """A history laid against what is held of its session.

    Attributes:
        places: for each given turn the place of the held turn that it is, None for one that is not found.
        tail: from which given turn on everything is new, because the one before it is the last that is held; None
            where the history does not reach that far.
        head: how many given turns stand before the first that is held: an older part of the talk.
    """

    places: tuple[int | None, ...]
    tail: int | None
    head: int


def align(held: Sequence[str], given: Sequence[str]) -> Alignment:
    """Lay a history against the held turns, both as content hashes in order.

    One turn alone in the middle of either, such as an "ok", proves nothing; at an end it does. What stands before a
    turn that is the last held one was sent before, wherever the log has it: a summary is held after the turns whose
    place it takes.
    """
    places: list[int | None] = [None] * len(given)
    tail: int | None = None
    head = 0
    for block in _blocks(held, given):
        at_begin = block.a == 0 and len(given) > 1
        at_end = block.a + block.size == len(held)
        if block.size == 1 and not (at_begin or at_end):
            continue
        for n in range(block.size):
            places[block.b + n] = block.a + n
        if at_begin:
            head = block.b
        if at_end:
            tail = block.b + block.size
    _find_elsewhere(held, given[:tail] if tail is not None else (), places)
    return Alignment(tuple(places), tail, head)


def _find_elsewhere(held: Sequence[str], given: Sequence[str], places: list[int | None]) -> None:
    spare: dict[str, list[int]] = {}
    for place in sorted(set(range(len(held))) - set(places), reverse=True):
        spare.setdefault(held[place], []).append(place)
    for n, turn in enumerate(given):
        if places[n] is None and spare.get(turn):
            places[n] = spare[turn].pop()


@dataclass(frozen=True, slots=True)
class _Block:
    a: int
    b: int
    size: int


def _blocks(held: Sequence[str], given: Sequence[str]) -> list[_Block]:
    if not held or not given:
        return []
    if list(given[: len(held)]) == list(held):  # the whole history once more, and what is new
        return [_Block(0, 0, len(held))]
    found = SequenceMatcher(None, held, given, autojunk=False).get_matching_blocks()
    return [_Block(*block) for block in found if block.size]
