"""Rules for the evidence: the quote stands in a cited message, and the user said it."""

from __future__ import annotations

from collections.abc import Sequence

from memory_pipeline.domain.gate.gate_input import GateInput
from memory_pipeline.domain.patterns import lazy
from memory_pipeline.domain.policy import Handling
from memory_pipeline.domain.proposal import DERIVED_TYPES, Finding
from memory_pipeline.domain.sensitive import handled, masked
from memory_pipeline.domain.text import normalise, words

_OWN, _NOT_OWN = (
    Finding("own_words", own, None, None, "facts about the user need the user's own words") for own in (True, False)
)
_WORD = lazy(r"[^\W_]+")
_ELLIPSIS = lazy(r"\.{3,}|…|\[\.*\]|\s\.\.\s")


def grounded(quote: str, content: str) -> float:
    """Share of the quote's words that stand in a message in a row, as the quote has them: 1 where all do.

    Case, spacing, punctuation and marks of emphasis do not count, nor what an ellipsis leaves out, whose parts must
    follow each other. A word put in or changed counts for what it parts: "I'm not allergic" is not "I'm allergic".
    """
    if quote.strip() and quote in content:
        return 1.0
    wanted = normalise(quote)
    if wanted and wanted in normalise(content):
        return 1.0
    there = _plain(content)
    pieces = [piece for part in _ELLIPSIS.split(quote) if (piece := _plain(part))]
    if not pieces:
        return 0.0
    at = 0
    for piece in pieces:
        at = _find(piece, there, at)
        if at < 0:
            break
    if at >= 0:
        return 1.0
    total = sum(map(len, pieces))
    return min(sum(_longest(piece, there) for piece in pieces), total - 1) / total


def _plain(text: str) -> list[str]:
    return [word.replace("'", "").replace("’", "") for word in words(text)]


def _find(piece: Sequence[str], text: Sequence[str], start: int) -> int:
    """Where a run of words ends in a text, from a word on; -1 where it does not stand there."""
    for at in range(start, len(text) - len(piece) + 1):
        if text[at : at + len(piece)] == piece:
            return at + len(piece)
    return -1


def _longest(piece: Sequence[str], text: Sequence[str]) -> int:
    """Words of the longest run that both have."""
    best, row = 0, [0] * (len(text) + 1)
    for word in piece:
        row = [0, *(row[n] + 1 if word == other else 0 for n, other in enumerate(text))]
        best = max(best, *row)
    return best


def grounding(given: GateInput) -> Finding:
    """The quoted words stand in a cited message that exists: in the user's own, where any of these is cited."""
    low = given.policy.grounding_overlap
    best, detail = 0.0, "no cited message exists"
    for evidence, message in given.own() or given.cited():
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
