"""What one puts right: "I'm 41, not 42", "it's the 11th not the 12th", "Naples instead of Rome"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from memory_pipeline.domain.patterns import lazy
from memory_pipeline.domain.proposal import Operation
from memory_pipeline.inference.builtin.extraction.drafts import Source
from memory_pipeline.inference.replies import EvidenceDraft, ProposalDraft

_NOT = lazy(
    r"(?:\s*[,;–—-]\s*|\s+)(?:and |but )?(?<!rather )not (?P<old>"
    r"(?!yet\b|at all\b|really\b|sure\b|only\b|just\b|that\b|too\b|so\b|much\b|"
    r"always\b|any\b|a fan\b|to\b|for me\b|because\b|when\b|if\b|until\b|on\b|in a\b|very\b|even\b|like\b|good\b|bad\b)"
    r"(?:the |an? )?[\w'’.+-]+(?: [\w'’.+-]+){0,2})\s*(?:[,;.!)].*|$)",
    re.I,
)
_VERB = lazy(
    r"(?:'m|'s|'re|'ve|'ll|'d|"
    r"\b(?:am|is|are|was|were|do|does|did|have|has|had|will|would|can|could|should))\s*$",
    re.I,
)
_NEW = lazy(r"(?P<new>(?:\d[\w.,:%/]*|[\w'’.+-]+))\s*$")
_EVERY_MONTH = 28  # the last day that every month has


@dataclass(frozen=True, slots=True)
class Correction:
    """The value that stands, and the one that does not."""

    new: str
    old: str


def corrected(text: str) -> tuple[str, Correction | None]:
    """A sentence without the value that it takes back, and the correction; the text itself and None without one."""
    hit = _NOT.search(text)
    if hit is None or hit.start() < 3 or _VERB.search(text[: hit.start()]):
        return text, None
    before = text[: hit.start()].rstrip(" ,;–—-")
    new = _NEW.search(before)
    old = re.sub(r"^(?:the|an?)\s+", "", hit.group("old").strip(" .,!"), flags=re.I)
    if new is None:
        return text, None
    return f"{before}.", Correction(new.group("new"), old)


def substituted(correction: Correction, before: Sequence[ProposalDraft], source: Source) -> list[ProposalDraft]:
    """The last statement that names the old value, with the new one in its place; empty where none does.

    Args:
        before: what the same speaker has stated so far.
        source: where the correction stands.
    """
    old = lazy(rf"(?<!\w){re.escape(_bare(correction.old))}(?:st|nd|rd|th)?(?!\w)", re.I)
    for one in reversed(before):
        if one.operation not in {Operation.ADD, Operation.UPDATE} or not old.search(one.content):
            continue
        new = _bare(correction.new)
        changed = replace(
            one,
            operation=Operation.UPDATE,
            content=old.sub(new, one.content, count=1),
            value=old.sub(new, one.value, count=1) if one.value else None,
            due_at=_day(one.due_at, correction),
            valid_from=_day(one.valid_from, correction),
            evidence=[*one.evidence, EvidenceDraft(message=source.message, quote=source.quote)],
        )
        return [changed]
    return []


def _bare(value: str) -> str:
    return re.sub(r"(?<=\d)(?:st|nd|rd|th)$", "", value)


def _day(moment: str | None, correction: Correction) -> str | None:
    """A moment whose day is the old value, on the new day."""
    new, old = _bare(correction.new), _bare(correction.old)
    if moment is None or not (new.isdigit() and old.isdigit()):
        return moment
    if moment[8:10].lstrip("0") != old or not 1 <= int(new) <= _EVERY_MONTH:
        return moment
    return f"{moment[:8]}{int(new):02d}{moment[10:]}"
