"""Rules against what must not get in: secrets, instructions to the memory, the prompt's own examples."""

from __future__ import annotations

import re

from memory_pipeline.domain.gate.gate_input import GateInput
from memory_pipeline.domain.gate.rules.directives import TAINTING
from memory_pipeline.domain.gate.rules.instructions import directive, unmasked
from memory_pipeline.domain.patterns import lazy
from memory_pipeline.domain.policy import Handling, SensitiveClass
from memory_pipeline.domain.proposal import Finding
from memory_pipeline.domain.sensitive import everything, find, handled, marked, statement
from memory_pipeline.domain.text import normalise

_QUOTATION = lazy(r"^[ \t]*>[^\n]*|```.*?(?:```|\Z)|\"[^\"]*\"|“[^”]*”|„[^“”]*[“”]|«[^»]*»", re.M | re.S)
_NO_SECRET = Finding("secret", True, None, None, "no key, password, card or number of a person")
_NO_INSTRUCTION = Finding("instruction", True, None, None, "no instruction")
_NO_CANARY = Finding("canary", True, None, None, "not from the prompt")


def secret(given: GateInput) -> Finding:
    """It states nothing of a class that the policy rejects, in the clear or masked; masked ones may be quoted."""
    texts = everything(given.proposal)
    found = find(texts)
    if not found and not marked(texts):
        return _NO_SECRET
    stated, quoted = "\n".join(statement(given.proposal)), "\n".join(e.quote for e in given.proposal.evidence)
    kinds = {span.kind for span in found} | marked(stated)
    rejected = kinds & handled(given.policy, Handling.REJECT)
    if rejected:
        return Finding("secret", False, None, None, f"states {_listed(rejected)}")
    masked = (kinds | marked(quoted)) & handled(given.policy, Handling.REJECT, Handling.MASK)
    restricted = kinds & handled(given.policy, Handling.RESTRICT)
    notes = []
    if masked:
        notes.append(f"{_listed(masked)} masked")
    if restricted:
        notes.append(f"restricted, for it holds {_listed(restricted)}")
    return Finding("secret", True, None, None, "; ".join(notes) or "nothing that the policy withholds")


def _listed(kinds: set[SensitiveClass] | frozenset[SensitiveClass]) -> str:
    return " and ".join(sorted(kind.replace("_", " ") for kind in kinds))


def instruction(given: GateInput) -> Finding:
    """It is not aimed at the memory or the assistant (KN-33), nor quoted from a paragraph that is."""
    most = given.policy.max_blob
    found = directive("\n".join(statement(given.proposal)), most)
    if found:
        return Finding("instruction", False, None, None, found)
    for evidence, message in given.cited():
        found = directive(message.content, most) and _quoted(evidence.quote, message.content, most)
        if found:
            return Finding("instruction", False, None, None, f"quoted from what {found}")
    return _NO_INSTRUCTION


def _quoted(quote: str, content: str, max_blob: int) -> str:
    """What a quote, or the paragraph that it stands in, does, "" when both are harmless.

    Code that runs taints no paragraph, nor does what is quoted in one: people paste it, and say something of
    themselves beside it.
    """
    found = directive(quote, max_blob)
    if found:
        return found
    wanted = normalise(quote)
    parts = [part for part in content.split("\n\n") if wanted in normalise(part)]
    own = (beside if wanted in normalise(beside := _QUOTATION.sub(" ", part)) else part for part in parts)
    return next((found for part in own if (found := directive(part, max_blob)) in TAINTING), "")


def canary(given: GateInput) -> Finding:
    """No word of the prompt's examples stands in it."""
    folded = unmasked("\n".join(statement(given.proposal)))
    found = next((c for c in given.canaries if c.casefold() in folded), None)
    return Finding("canary", False, None, None, f"copied from the prompt: {found}") if found else _NO_CANARY
