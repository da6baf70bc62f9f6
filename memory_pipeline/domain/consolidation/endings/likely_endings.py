"""Which memory an ending means that shares no word with it: "came off the antidepressants", "Takes sertraline".

Cosine ranks the few memories that such an ending can end at all, and says which of them is meant where one stands out.
It never says that something is over: the words of the statement do.
"""

from __future__ import annotations

from collections.abc import Sequence

from memory_pipeline.domain.consolidation.endings.ended_relations import open_to_end
from memory_pipeline.domain.consolidation.equivalence import told_together
from memory_pipeline.domain.ledger.memory import MemoryVersion
from memory_pipeline.domain.policy import SimilarityPolicy
from memory_pipeline.domain.proposal import Proposal


def likely_ended(
    proposal: Proposal, near: Sequence[tuple[MemoryVersion, float]], policy: SimilarityPolicy
) -> list[MemoryVersion]:
    """The one memory that a proposal most likely tells to be over; none where none or more than one may be meant.

    It is nearer than any other that the ending can end by as much as lies between what is linked and what is judged;
    where the ending names a thing, it is also as near as what is linked, and where it only points ("traded it in"), as
    near as it must be apart.

    Args:
        near: memories, each with its cosine to the proposal.
    """
    apart = policy.judge - policy.link
    for named, least in ((True, policy.link), (False, apart)):
        meant = {m.memory_id for m in open_to_end(proposal, [memory for memory, _ in near], named=named)}
        ranked = sorted(
            ((cosine, m) for m, cosine in near if m.memory_id in meant and not told_together(proposal, m)),
            key=lambda pair: (-pair[0], pair[1].memory_id),
        )
        if ranked and ranked[0][0] >= least and all(ranked[0][0] - cosine >= apart for cosine, _ in ranked[1:]):
            return [ranked[0][1]]
    return []
