"""Derived text, held against what it rests on: sentences that do not follow are left out, and it is noted why."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from memory_pipeline.domain.derived.summary import Refusal, sentences
from memory_pipeline.domain.gate.derived import Grounds, objection
from memory_pipeline.domain.gate.rules.instructions import directive
from memory_pipeline.domain.gate.texts.claims import Reading
from memory_pipeline.domain.policy import Handling, Policy
from memory_pipeline.domain.sensitive import handled, masked

Read = Callable[[str], Reading | None]

_TAINTING = frozenset({"instruction", "canary"})
"""Whoever writes that, writes the rest to be believed."""


@dataclass(frozen=True, slots=True)
class Vetted:
    """A text after its sentences were held against what it rests on.

    Attributes:
        text: the sentences that stand.
        refused: those that do not, in order.
        sound: what stands may be told; False where too little does, or where the text was written to be obeyed.
    """

    text: str
    refused: tuple[Refusal, ...]
    sound: bool


def vet(text: str, grounds: Grounds, policy: Policy, read: Read = lambda _: None) -> Vetted:
    """Hold every sentence of a text against what it rests on.

    Args:
        read: what a sentence claims, None where nobody can tell.
    """
    spread = directive(text, policy.gate.max_blob)
    stand: list[str] = []
    refused: list[Refusal] = []
    for sentence in sentences(text):
        bare = sentence.strip()
        failed = objection(bare, grounds, policy, read(bare))
        if failed is None:
            stand.append(sentence)
        else:
            refused.append(Refusal(failed.code, failed.detail, _shown(bare, policy)))
    codes = {r.code for r in refused}
    if spread and "instruction" not in codes:  # each sentence alone is harmless
        refused.append(Refusal("instruction", spread, _shown(text.strip(), policy)))
        stand, codes = [], codes | {"instruction"}
    enough = len(stand) >= policy.derived.min_sound * (len(stand) + len(refused))
    return Vetted("".join(stand).strip(), tuple(refused), enough and codes.isdisjoint(_TAINTING))


def _shown(text: str, policy: Policy) -> str:
    """As a record may hold it."""
    return masked(text, handled(policy.gate, Handling.REJECT, Handling.MASK))
