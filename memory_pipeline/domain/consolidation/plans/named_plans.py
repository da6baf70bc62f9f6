"""Plans that are dropped by a name alone: "Cyprus is off" after "Plans to marry in Cyprus"."""

from __future__ import annotations

from collections.abc import Sequence

from memory_pipeline.domain.consolidation.endings.ending_verbs import kinds_of
from memory_pipeline.domain.ledger.memory import MemoryVersion
from memory_pipeline.domain.proposal import MemoryType, Proposal
from memory_pipeline.domain.tables import wordset
from memory_pipeline.domain.text import content_words, names, normalise

_AHEAD = frozenset({"pursuit", "plan"})


def dropped_by_name(proposal: Proposal, memories: Sequence[MemoryVersion]) -> list[MemoryVersion]:
    """The one plan or pursuit of the user's that has the names which a dropped plan is told by; none where the
    statement tells more than names ("cancelled the Cyprus hotel"), or where two may be meant.
    """
    told = names(proposal.content) - wordset("objects", "dropping")
    said = content_words(proposal.content) - wordset("objects", "dropping")
    if not proposal.negated or not told or not said <= told:
        return []
    meant = [m for m in memories if _ahead(m) and told <= names(m.content) and m.observed_at <= proposal.observed_at]
    return meant if len({normalise(m.content) for m in meant}) == 1 else []


def _ahead(memory: MemoryVersion) -> bool:
    if normalise(memory.subject or "user") != "user" or memory.negated:
        return False
    return memory.type is MemoryType.OPEN_LOOP or bool(_AHEAD & kinds_of(memory.attribute, memory.content))
