"""When a statement holds: what was true once, and what begins only later. Neither ends what is true now."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from functools import lru_cache

from memory_pipeline.domain.calendar import local_day
from memory_pipeline.domain.consolidation.slots import ATTRIBUTES, Attribute
from memory_pipeline.domain.ledger.memory import RETIRED, MemoryVersion
from memory_pipeline.domain.patterns import lazy
from memory_pipeline.domain.proposal import Proposal
from memory_pipeline.domain.tables import table
from memory_pipeline.domain.text import normalise


def past(proposal: Proposal) -> bool:
    """Whether a proposal states what was true once: it had ended when it was said, or is told as over."""
    if proposal.valid_until is not None and proposal.valid_until < proposal.observed_at:
        return True
    return tells_past(proposal.content, proposal.attribute)


@lru_cache(maxsize=65536)
def tells_past(content: str, attribute: str | None) -> bool:
    """Whether a sentence tells a state that was true once: "Was a baker for ten years.", "Lebte früher in Köln."

    Only of the states that somebody has one at a time: who was born or founded something in the past still was.
    """
    if attribute is None or not ATTRIBUTES.get(attribute, Attribute()).single:
        return False
    return any(pattern.search(normalise(content)) for pattern in _patterns())


@lru_cache(maxsize=1)
def _patterns() -> tuple[re.Pattern[str], ...]:
    return tuple(lazy(says) for says in table("once")["says"])


def begins_later(proposal: Proposal, timezone: str) -> datetime | None:
    """When what a proposal states begins, where that is on a later local day than the one it was said on."""
    begin = proposal.valid_from
    if begin is None or local_day(begin, timezone) <= local_day(proposal.observed_at, timezone):
        return None
    return begin


def not_begun(memory: MemoryVersion, at: datetime) -> bool:
    """Whether a memory states what begins only later."""
    return memory.valid_from is not None and memory.valid_from > at


def ends_later(memory: MemoryVersion, at: datetime) -> bool:
    """Whether a memory holds until what has been told to take its place begins."""
    known = memory.superseded_by is not None and memory.status not in RETIRED
    return known and memory.valid_until is not None and memory.valid_until >= at


def until(begin: datetime) -> datetime:
    """The last moment of what holds until something else begins."""
    return begin - timedelta(seconds=1)
