"""What cannot be so beside what is told later: who eats fish is no vegan, who has a job is not out of work."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from memory_pipeline.domain.consolidation.equivalence import one_owner, told_together
from memory_pipeline.domain.ledger.memory import MemoryVersion
from memory_pipeline.domain.patterns import lazy
from memory_pipeline.domain.proposal import MemoryType, Operation, Proposal
from memory_pipeline.domain.tables import table
from memory_pipeline.domain.text import negations, normalise

_STATING = frozenset({Operation.ADD, Operation.UPDATE})
_STATES = frozenset({MemoryType.PROFILE_FACT, MemoryType.PREFERENCE, MemoryType.EPHEMERAL})
_Row = tuple[re.Pattern[str], str, bool]  # what the later one says, what the earlier one says, whether that is denied


def excludes(content: str) -> tuple[tuple[re.Pattern[str], bool], ...]:
    """What a statement leaves no room for: how the earlier one reads, and whether that one is a denial."""
    return _excludes(normalise(content)) if not negations(content) else ()


@lru_cache(maxsize=65536)
def _excludes(text: str) -> tuple[tuple[re.Pattern[str], bool], ...]:
    found = []
    for new, old, denied in _rows():
        hit = new.search(text)
        if hit:
            named = re.escape(hit.groupdict().get("what") or "")
            found.append((lazy(old.replace("(?P=what)", named)), denied))
    return tuple(found)


def excluded(proposal: Proposal, memories: Sequence[MemoryVersion]) -> list[MemoryVersion]:
    """The states of the proposal's subject, told before it in another message, that cannot be so beside it."""
    if proposal.operation not in _STATING or proposal.negated or proposal.type not in _STATES:
        return []
    rows = excludes(proposal.content)
    return [
        m
        for m in memories
        if rows and m.type in _STATES and one_owner(proposal, m)
        if proposal.observed_at >= m.referenced_at and not told_together(proposal, m)
        if any(old.search(normalise(m.content)) and (denied or not m.negated) for old, denied in rows)
    ]


@lru_cache(maxsize=1)
def _rows() -> tuple[_Row, ...]:
    rows = table("exclusions")["excluded"]
    return tuple((lazy(row["new"]), row["old"], bool(row.get("denied"))) for row in rows)
