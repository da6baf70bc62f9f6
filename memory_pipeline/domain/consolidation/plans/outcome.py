"""Outcomes: when a decision is reported to have turned out well, it weighs more from then on (LS-19)."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from memory_pipeline.domain.consolidation.supersession import Candidate
from memory_pipeline.domain.ledger.memory import Cause, Change, MemoryVersion, evolve
from memory_pipeline.domain.proposal import MemoryType, Proposal
from memory_pipeline.domain.text import content_words, normalise

ATTRIBUTE = "outcome"


class Result(StrEnum):
    """How a decision turned out: the value of a proposal whose attribute is ``outcome``."""

    POSITIVE = "positive"
    NEGATIVE = "negative"
    MIXED = "mixed"


def result_of(proposal: Proposal) -> Result | None:
    """The result that a proposal reports; None when it reports none."""
    if normalise(proposal.attribute or "") != ATTRIBUTE:
        return None
    value = normalise(proposal.value or "")
    return Result(value) if value in {str(r) for r in Result} else None


def decision_behind(proposal: Proposal, candidates: Sequence[Candidate]) -> MemoryVersion | None:
    """The earlier decision that a reported outcome belongs to: the nearest one that shares a word with it."""
    words = content_words(proposal.content)
    named = [
        c
        for c in candidates
        if c.memory.type is MemoryType.DECISION
        and c.memory.observed_at <= proposal.observed_at
        and words & content_words(c.memory.content)
    ]
    best = max(named, key=lambda c: (c.similarity, c.memory.memory_id), default=None)
    return best.memory if best is not None else None


def boosted(decision: MemoryVersion, proposal: Proposal, boost: float) -> MemoryVersion:
    """The decision after its outcome was reported as good: ``boost`` more important, at most 1."""
    return evolve(
        decision,
        change=Change.REINFORCE,
        cause=Cause.PROPOSAL,
        reason=f"turned out well: {proposal.content}",
        importance=min(1.0, round(decision.importance + boost, 4)),
        referenced_at=max(decision.referenced_at, proposal.observed_at),
        changed_at=max(decision.changed_at, proposal.observed_at),
        day=proposal.day,
        proposal_id=proposal.proposal_id,
    )
