"""Rules for how much a content says: no more than its quote, neither of more cases nor with more to it.

What is affirmed may be told with less detail. What is denied may not: who takes no cow's milk may well take another,
and who does not work on Fridays works.
"""

from __future__ import annotations

from collections.abc import Sequence

from memory_pipeline.domain.gate.gate_input import ENDING, GateInput
from memory_pipeline.domain.gate.rules.fidelity import nearest
from memory_pipeline.domain.gate.texts.addition import added_words, unsaid_cause
from memory_pipeline.domain.gate.texts.claims import Claim
from memory_pipeline.domain.gate.texts.conversation import source_text
from memory_pipeline.domain.gate.texts.denial import denies
from memory_pipeline.domain.gate.texts.language import plain
from memory_pipeline.domain.gate.texts.quotation import quoted_clauses, quoted_sentences
from memory_pipeline.domain.patterns import lazy
from memory_pipeline.domain.proposal import DERIVED_TYPES, Finding, MemoryType, Operation
from memory_pipeline.domain.tables import wordset
from memory_pipeline.domain.text import singular

_WORD = lazy(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_PIECE = 3  # words from "this" to what it is said of


def widened(given: GateInput) -> Finding | None:
    """It says of no more cases than the quote: not of all what was said of some, nor always what was said of once."""
    if not _states(given):
        return None
    why = _without_exception(given) or _of_one_piece(given) or _less_narrow(given) or _any_occasion(given)
    return Finding("widened", not why, None, None, why or "of no more cases than its quote")


def embellished(given: GateInput) -> Finding | None:
    """It adds nothing to what it restates: no detail and no cause that nobody gave (KN-1)."""
    if not _states(given):
        return None
    if cause := unsaid_cause(given):
        return Finding("embellished", False, None, None, f"nobody gave “{cause}” as the cause")
    added = ", ".join(added_words(given)[:5])
    detail = f"adds “{added}” to what was said" if added else "adds nothing to what was said"
    return Finding("embellished", not added, None, None, detail)


def _states(given: GateInput) -> bool:
    operation = given.proposal.operation
    ends = operation in ENDING and operation is not Operation.REINFORCE
    return given.hosted and not ends and given.proposal.type not in DERIVED_TYPES and bool(given.own())


def _words(text: str) -> set[str]:
    return {plain(word) for word in _WORD.findall(text)}


def _without_exception(given: GateInput) -> str:
    """Whether it says of all what was said of some of them."""
    universal = wordset("restating", "universal")
    said = {word for text in quoted_sentences(given) for word in _words(text)}
    stated = _words(given.proposal.content) & universal
    if not stated or said & universal:
        return ""
    partial = said & wordset("restating", "partial") - _words(given.proposal.content)
    return f"says “{min(stated)}” of what was said with “{min(partial)}”" if partial else ""


def _of_one_piece(given: GateInput) -> str:
    """Whether a wish about one text is told as one about all."""
    if given.proposal.type not in {MemoryType.PROTOCOL, MemoryType.PREFERENCE}:
        return ""
    content = source_text(given.proposal.content)
    for text in quoted_sentences(given):
        words = [plain(word) for word in _WORD.findall(text)]
        if not wordset("restating", "lasting").isdisjoint(words):
            continue
        for n, word in enumerate(words):
            behind = words[n + 1 : n + 1 + _PIECE] if word in {"this", "that"} else []
            piece = next((w for w in behind if w in wordset("restating", "pieces")), "")
            if piece and not content.has(piece):
                return f"was asked of this {piece} only"
    return ""


def _less_narrow(given: GateInput) -> str:
    """Whether it denies more than the quote, as the parser reads both."""
    if given.content is None or not given.quotes:
        return ""
    for claim, near in nearest(given, given.content):
        lost = [_lost(given, claim, said) for said in near]
        if lost and all(lost):
            return f"leaves out “{lost[0][0]}”, without which the denial says more"
    return ""


def _lost(given: GateInput, claim: Claim, said: Claim) -> Sequence[str]:
    if claim.sign >= 0 or said.sign >= 0:
        return ()
    content = source_text(given.proposal.content)
    return [w for w in said.narrowing if not content.has(plain(w)) and not content.has(plain(singular(w)))]


def _any_occasion(given: GateInput) -> str:
    """The same of what no parser has read: whether it denies always what was denied of a day."""
    if given.quotes or not denies(given.proposal.content):
        return ""
    clauses = quoted_clauses(given)
    occasions = {w for text in clauses for w in _words(text)} & wordset("restating", "occasions")
    content = source_text(given.proposal.content)
    lost = sorted(word for word in occasions if not content.has(word))
    if not lost or not all(denies(text) for text in clauses):
        return ""
    return f"leaves out “{lost[0]}”, without which the denial says more"
