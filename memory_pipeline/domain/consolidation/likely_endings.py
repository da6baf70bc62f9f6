"""Which memory an ending means that shares no word with it: "came off the antidepressants", "Takes sertraline".

Cosine ranks the few memories that such an ending can end at all, and says which of them is meant where one stands out.
It never says that something is over: the words of the statement do.
"""

from __future__ import annotations

from collections.abc import Sequence

from memory_pipeline.domain.consolidation.endings import open_to_end
from memory_pipeline.domain.consolidation.equivalence import told_together
from memory_pipeline.domain.ledger.memory import MemoryVersion
from memory_pipeline.domain.policy import SimilarityPolicy
from memory_pipeline.domain.proposal import Proposal


def likely_ended(
    proposal: Proposal, near: Sequence[tuple[MemoryVersion, float]], policy: SimilarityPolicy
) -> list[MemoryVersion]:
    """The one memory that a proposal most likely tells to be over; none where none or more than one may be meant.

    It is as near as what is linked, and nearer than any other by as much as lies between what is linked and what is
    judged.

    Args:
        near: memories, each with its cosine to the proposal.
    """
    meant = {m.memory_id for m in open_to_end(proposal, [memory for memory, _ in near])}
    ranked = sorted(
        (
            (cosine, memory)
            for memory, cosine in near
            if memory.memory_id in meant and not told_together(proposal, memory)
        ),
        key=lambda pair: (-pair[0], pair[1].memory_id),
    )
    if not ranked or ranked[0][0] < policy.link:
        return []
    if len(ranked) > 1 and ranked[0][0] - ranked[1][0] < policy.judge - policy.link:
        return []
    return [ranked[0][1]]
