"""Screening a proposal before the rules see it: what the policy withholds is masked, what it restricts is classed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from memory_pipeline.domain.policy import GatePolicy, Handling, SensitiveClass
from memory_pipeline.domain.proposal import Evidence, Proposal
from memory_pipeline.domain.scope import Classification
from memory_pipeline.domain.sensitive.detection import find
from memory_pipeline.domain.sensitive.masking import Hider, masked


def handled(policy: GatePolicy, *handlings: Handling) -> frozenset[SensitiveClass]:
    """The classes that the policy handles in one of some ways."""
    return frozenset(kind for kind, handling in policy.sensitive.items() if handling in handlings)


def withheld(text: str, policy: GatePolicy) -> str:
    """The text without what the policy rejects or masks: as models, stores and logs may see it."""
    return masked(text, handled(policy, Handling.REJECT, Handling.MASK))


def statement(proposal: Proposal) -> Iterator[str]:
    """What a proposal states: every text of it but its quotes."""
    yield proposal.content
    yield from (text for text in (proposal.subject, proposal.attribute, proposal.value) if text)
    yield from proposal.entities


def everything(proposal: Proposal) -> str:
    """All texts of a proposal, quotes included, a line each."""
    return "\n".join((*statement(proposal), *(e.quote for e in proposal.evidence)))


def screen(proposal: Proposal, policy: GatePolicy) -> Proposal:
    """The proposal as the rules and the store may see it (KN-27).

    Spans of classes that are rejected or masked give way to markers in content, slot, entities and quotes; a proposal
    that states something of a restricted class is classified ``restricted``, unless it is classified higher already.
    The very same proposal when it holds nothing of the kind.
    """
    kinds = {span.kind for span in find(everything(proposal))}
    if not kinds:
        return proposal
    quotes = tuple(e.quote for e in proposal.evidence)
    withheld = kinds & handled(policy, Handling.REJECT, Handling.MASK)
    if withheld:
        hider = Hider.of((*statement(proposal), *quotes), withheld)
        proposal = replace(
            proposal,
            content=hider.hide(proposal.content, withheld),
            subject=proposal.subject and hider.hide(proposal.subject, withheld),
            attribute=proposal.attribute and hider.hide(proposal.attribute, withheld),
            value=proposal.value and hider.hide(proposal.value, withheld),
            entities=tuple(dict.fromkeys(hider.hide(e, withheld) for e in proposal.entities)),
            evidence=tuple(Evidence(e.message_id, hider.hide(e.quote, withheld)) for e in proposal.evidence),
        )
    restricted = kinds & handled(policy, Handling.RESTRICT)
    if restricted and any(span.kind in restricted for text in statement(proposal) for span in find(text)):
        floor = Classification.RESTRICTED
        if not proposal.classification.permits(floor):
            proposal = replace(proposal, classification=floor)
    return proposal
