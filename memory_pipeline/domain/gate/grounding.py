"""Rules for the evidence: the quote stands in a cited message, and the user said it."""

from __future__ import annotations

import re

from memory_pipeline.domain.gate.given import GateInput
from memory_pipeline.domain.policy import Handling
from memory_pipeline.domain.proposal import DERIVED_TYPES, Finding
from memory_pipeline.domain.sensitive import handled, masked
from memory_pipeline.domain.text import normalise, words

_OWN, _NOT_OWN = (
    Finding("own_words", own, None, None, "facts about the user need the user's own words") for own in (True, False)
)
_WORD = re.compile(r"[^\W_]+")


def grounded(quote: str, content: str) -> float:
    """Share of the quote found in a message: 1 when it stands there to the letter, else the share of its words."""
    if quote.strip() and quote in content:
        return 1.0
    wanted = normalise(quote)
    if wanted and wanted in normalise(content):
        return 1.0
    parts, there = words(quote), set(words(content))
    return sum(w in there for w in parts) / len(parts) if parts else 0.0


def grounding(given: GateInput) -> Finding:
    """The quoted words occur in a cited message that exists."""
    low = given.policy.grounding_overlap
    best, detail = 0.0, "no cited message exists"
    for evidence, message in given.cited():
        if len(_WORD.findall(evidence.quote)) < given.policy.min_quote_words:
            detail = detail if best else "the quote is empty"
            continue
        content = message.content
        if "[withheld " in evidence.quote:
            content = masked(content, handled(given.policy, Handling.REJECT, Handling.MASK))
        found = grounded(evidence.quote, content)
        if found >= best:
            best, detail = found, f"quote in message {evidence.message_id}"
    return Finding("grounding", best >= low, best, low, detail)


def own_words(given: GateInput) -> Finding | None:
    """A fact about the user rests on the user's own words (RX-17, KN-1); what is derived rests on memories."""
    if given.proposal.type in DERIVED_TYPES:
        return None
    return _OWN if given.own() else _NOT_OWN
