"""The gate: small named rules between a loose extractor and the store (DL-11).

Stateless and without I/O. Every rule measures one thing and says so; a proposal passes when all do. What depends on the
memories that exist (duplicates, contradictions) is decided by consolidation.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from memory_pipeline.domain import secrets
from memory_pipeline.domain.message import Message, Role
from memory_pipeline.domain.policy import GatePolicy
from memory_pipeline.domain.proposal import (
    DERIVED_TYPES,
    WORK_TYPES,
    Finding,
    MemoryType,
    Operation,
    Proposal,
)
from memory_pipeline.domain.text import normalise, words


@dataclass(frozen=True, slots=True)
class GateInput:
    """What the rules look at.

    Attributes:
        messages: the messages of the window by id; cited ids that are not among them do not exist.
        canaries: words of the prompt's examples; a proposal that holds one was copied from the prompt.
        recalled: normalised texts that this pipeline recalled into the session before (echo).
    """

    proposal: Proposal
    messages: Mapping[str, Message]
    policy: GatePolicy
    canaries: Sequence[str] = ()
    recalled: frozenset[str] = field(default_factory=frozenset)


_ENDING = frozenset(
    {Operation.FORGET, Operation.SUPPRESS, Operation.CLOSE_OPEN_LOOP, Operation.CONTRADICT, Operation.REINFORCE}
)
_LESSON = re.compile(
    r"\b(?:because|since|so that|due to|why|how|root cause|lesson|caused|in order to|instead of)\b", re.I
)
_STATUS_ONLY = re.compile(r"^(?:is |was |are )?(?:done|fixed|finished|completed|merged|deployed|works?)\b[ .!]*$", re.I)
_KEYWORDS = {
    MemoryType.DECISION: (
        "decid",
        "choose",
        "chose",
        "use",
        "using",
        "go with",
        "going with",
        "adopt",
        "switch",
        "instead",
    ),
    MemoryType.FINDING: ("found", "turn", "cause", "show", "measur", "because", "slow", "fast", "fail", "%", "x", "ms"),
    MemoryType.CORRECTION: ("lesson", "avoid", "root cause", "instead", "never", "always", "must", "fix", "should"),
    MemoryType.ESTIMATE: ("estimat", "take", "day", "week", "hour", "point", "cost", "month"),
}
_INSTRUCTION = re.compile(
    r"\b(?:ignore|disregard|forget) (?:all |any |the |your )*(?:previous|prior|above|earlier) "
    r"(?:instructions?|prompts?|rules?)"
    r"|\b(?:memory (?:system|extractor|pipeline|store|bank)|extractor|system prompt)\b"
    r"|^\s*(?:system|assistant|developer)\s*:|<\s*/?\s*(?:system|instructions?|tool|im_start|im_end)\b|\bas an ai\b"
    r"|\b(?:save|store|remember|record|note|add)\b.{0,40}\b(?:admin|root access|superuser|full permissions?)\b"
    r"|\byou (?:must|should|will) (?:now |always )?(?:remember|store|save|obey|comply|reveal)\b",
    re.I | re.M,
)


def _rule_length(given: GateInput) -> Finding:
    size, low, high = len(given.proposal.content.strip()), given.policy.min_length, given.policy.max_length
    if size > high:
        return Finding("length", False, float(size), float(high), f"longer than {high} characters")
    return Finding("length", size >= low, float(size), float(low), f"{size} characters")


def _rule_confidence(given: GateInput) -> Finding:
    figure, low = given.proposal.confidence, given.policy.min_confidence
    return Finding("confidence", figure >= low, figure, low, "how sure the extractor is")


def _rule_salience(given: GateInput) -> Finding | None:
    if given.proposal.operation in _ENDING:
        return None
    figure = given.proposal.salience
    if given.proposal.type is MemoryType.EPHEMERAL:
        low = given.policy.min_salience_ephemeral
        return Finding("salience", figure > low, figure, low, "passing states must stand out (DL-13)")
    low = given.policy.min_salience
    return Finding("salience", figure >= low, figure, low, "how much it matters")


def quality(proposal: Proposal, policy: GatePolicy) -> float:
    """Quality of a work memory, 0 to 1 in two digits: length 0.3, keywords 0.4, structure 0.3 (KN-5, KN-6).

    Half of the structure is a reason or a lesson; the other half a concrete subject beyond a status report.
    """
    text = proposal.content.strip()
    count = len(words(text))
    length = 0.0 if count < 4 else 0.3 if count <= 60 else 0.15
    folded = normalise(text)
    keyword = 0.4 if any(k in folded for k in _KEYWORDS.get(proposal.type, ())) else 0.0
    structure = 0.15 * bool(_LESSON.search(text))
    concrete = bool(proposal.entities or proposal.value or proposal.subject) and not _STATUS_ONLY.search(text)
    return round(length + keyword + structure + 0.15 * concrete, 2)


def _rule_quality(given: GateInput) -> Finding | None:
    if given.proposal.type not in WORK_TYPES or given.proposal.operation in _ENDING:
        return None
    figure, low = quality(given.proposal, given.policy), given.policy.min_quality
    return Finding("quality", figure >= low, figure, low, "length, keywords and structure of a work memory (KN-5)")


def grounding(quote: str, content: str) -> float:
    """Share of the quote found in a message: 1 when it stands there to the letter, else the share of its words."""
    if normalise(quote) and normalise(quote) in normalise(content):
        return 1.0
    wanted, there = words(quote), set(words(content))
    return sum(w in there for w in wanted) / len(wanted) if wanted else 0.0


def _rule_grounding(given: GateInput) -> Finding:
    low = given.policy.grounding_overlap
    best, detail = 0.0, "no cited message exists"
    for evidence in given.proposal.evidence:
        message = given.messages.get(evidence.message_id)
        if message is None:
            continue
        if len(words(evidence.quote)) < given.policy.min_quote_words:
            detail = "the quote is empty"
            continue
        found = grounding(evidence.quote, message.content)
        if found >= best:
            best, detail = found, f"quote in message {evidence.message_id}"
    return Finding("grounding", best >= low, best, low, detail)


def _rule_own_words(given: GateInput) -> Finding | None:
    if given.proposal.type in DERIVED_TYPES:
        return None
    own = any(
        (message := given.messages.get(e.message_id)) is not None and message.role is Role.USER
        for e in given.proposal.evidence
    )
    return Finding("own_words", own, None, None, "facts about the user need the user's own words (RX-17)")


def _rule_secret(given: GateInput) -> Finding:
    texts = (given.proposal.content, given.proposal.value or "", *(e.quote for e in given.proposal.evidence))
    found = next((kind for text in texts if (kind := secrets.find(text))), None)
    return Finding(
        "secret", found is None, None, None, f"holds a {found}" if found else "no key, password or card number"
    )


def _rule_instruction(given: GateInput) -> Finding:
    texts = (given.proposal.content, *(e.quote for e in given.proposal.evidence))
    found = any(_INSTRUCTION.search(text) for text in texts)
    return Finding("instruction", not found, None, None, "aimed at the memory system" if found else "no instruction")


def _rule_canary(given: GateInput) -> Finding:
    folded = normalise(given.proposal.content)
    found = next((c for c in given.canaries if normalise(c) in folded), None)
    return Finding(
        "canary", found is None, None, None, f"copied from the prompt: {found}" if found else "not from the prompt"
    )


def _rule_dates(given: GateInput) -> Finding:
    p = given.proposal
    wrong = p.valid_from is not None and p.valid_until is not None and p.valid_until < p.valid_from
    return Finding("dates", not wrong, None, None, "ends before it begins" if wrong else "dates in order")


def _rule_echo(given: GateInput) -> Finding:
    found = normalise(given.proposal.content) in given.recalled
    return Finding("echo", not found, None, None, "our own recall, said back" if found else "not an echo")


RULES: tuple[Callable[[GateInput], Finding | None], ...] = (
    _rule_length,
    _rule_confidence,
    _rule_salience,
    _rule_quality,
    _rule_grounding,
    _rule_own_words,
    _rule_secret,
    _rule_instruction,
    _rule_canary,
    _rule_dates,
    _rule_echo,
)


def examine(given: GateInput) -> tuple[Finding, ...]:
    """Every rule's finding, in the order of the rules; those that do not apply are left out."""
    return tuple(finding for rule in RULES if (finding := rule(given)) is not None)


def first_failure(findings: Sequence[Finding]) -> Finding | None:
    """The finding that rejects the proposal, None when it passes."""
    return next((f for f in findings if not f.passed), None)
