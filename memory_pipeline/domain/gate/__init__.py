"""The gate: small named rules between a loose extractor and the store (DL-11).

Stateless and without I/O. Every rule measures one thing and says so; a proposal passes when all do. What depends on the
memories that exist (duplicates, contradictions) is decided by consolidation. The rules stand by theme in ``rules``,
what they need to know of texts in ``texts``; their codes are explained in ``domain.reasons``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from memory_pipeline.domain.gate.gate_input import GateInput, RecalledText
from memory_pipeline.domain.gate.rules import corroboration, echo, extent, fidelity, grounding, safety, substance
from memory_pipeline.domain.gate.rules.corroboration import unknown
from memory_pipeline.domain.gate.rules.echo import nods
from memory_pipeline.domain.gate.rules.substance import quality
from memory_pipeline.domain.proposal import Finding

__all__ = [
    "RULES",
    "GateInput",
    "RecalledText",
    "examine",
    "first_failure",
    "nods",
    "quality",
    "rejection",
    "unknown",
    "wants_session",
]

# In the order in which a reader should hear of them: the first that fails names the verdict.
RULES: tuple[Callable[[GateInput], Finding | None], ...] = (
    safety.secret,
    safety.instruction,
    safety.canary,
    substance.length,
    substance.confidence,
    substance.salience,
    substance.surprise,
    substance.quality_of_work,
    substance.dates,
    substance.derived,
    grounding.grounding,
    grounding.own_words,
    echo.echo,
    corroboration.invented,
    corroboration.unsupported,
    fidelity.voice,
    fidelity.subject,
    fidelity.contrary,
    fidelity.unfounded,
    extent.widened,
    extent.embellished,
)


# What these find may be otherwise where more of the conversation is known.
_BY_CONVERSATION = (corroboration.invented, corroboration.unsupported, extent.embellished)


def examine(given: GateInput) -> tuple[Finding, ...]:
    """Every rule's finding, in the order of the rules; those that do not apply are left out."""
    return tuple(finding for rule in RULES if (finding := rule(given)) is not None)


def first_failure(findings: Sequence[Finding]) -> Finding | None:
    """The finding that rejects the proposal, None when it passes."""
    return next((f for f in findings if not f.passed), None)


def wants_session(given: GateInput) -> bool:
    """Whether the conversation around the cited messages could change a finding.

    It can only where these do not hold all that the content says, where the user may have quoted the assistant, or
    where something was recalled.
    """
    if given.recalled or echo.quotes(given):
        return True
    return any(found is not None and not found.passed for found in (rule(given) for rule in _BY_CONVERSATION))


def rejection(finding: Finding) -> str:
    """A finding that rejects as one clause for whoever wrote (KN-8): the rule, what it says, and its figures."""
    figures = ""
    if finding.figure is not None and finding.threshold is not None:
        figures = f" ({finding.figure:g}, the threshold is {finding.threshold:g})"
    return f"{finding.code}: {finding.detail}{figures}"
