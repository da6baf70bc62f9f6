"""What became of each thing that a turn might have brought into its prompt: where it stands, or why it is left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any

from memory_pipeline.domain.reading.recall import ContextBlock, RecalledItem
from memory_pipeline.retrieval.prompt.layouts import SAID


class Fate(StrEnum):
    """Whether an item is in the block, or what kept it out."""

    meaning: str

    def __new__(cls, code: str, meaning: str) -> Fate:
        member = str.__new__(cls, code)
        member._value_ = code
        member.meaning = meaning
        return member

    SHOWN = "shown", "stands in the block"
    ROOM = "room", "found no room within the budget"
    TOLD = "told", "is told already by what stands in the block"
    QUIET = "quiet", "is not to be brought up, and the message does not"
    DISTANT = "distant", "has too little to do with the message"


def account(block: ContextBlock, items: Sequence[RecalledItem]) -> list[dict[str, Any]]:
    """The items of a search beside the block for the same message.

    Args:
        items: best first, with signals; the search also found what is not to be brought up.

    Returns:
        For each the keys of a ``RecalledItem``, ``fate``, ``meaning`` (of the fate), ``section`` (its title in the
        block, without the colon, or None) and ``signals``: of each ``name``, ``value``, ``weight`` and
        ``contribution``, the strongest first.
    """
    section = _sections(block)
    told = {i for item in items if item.id in section for i in item.evidence}
    told |= {item.id for item in items if item.id in section and item.layer == "episodic"}
    found = []
    for item in items:
        fate = _fate(item, section, block.dropped, told)
        place = section.get(item.id)
        signals = sorted(item.signals.items(), key=lambda pair: -abs(pair[1].contribution))
        found.append(
            {
                **item.to_dict(),
                "fate": fate,
                "meaning": fate.meaning,
                "section": place.rstrip(":").capitalize() if place else None,
                "signals": [{"name": name, **signal.to_dict()} for name, signal in signals],
            }
        )
    return found


def _fate(item: RecalledItem, section: Mapping[str, str], dropped: Sequence[str], told: set[str]) -> Fate:
    if item.id in section:
        return Fate.SHOWN
    if item.id in dropped:
        return Fate.ROOM
    if item.surface == "avoid":
        return Fate.QUIET
    sources = {item.id} if item.layer == "episodic" else set(item.evidence)
    return Fate.TOLD if sources and sources <= told else Fate.DISTANT


def _sections(block: ContextBlock) -> dict[str, str]:
    """The section of each id: a line is an item, in order, but for what the session itself has just said."""
    titles = [title for title, lines in block.sections.items() if title != SAID for _ in lines.splitlines()]
    return dict(zip(block.item_ids, titles, strict=False))
