"""Acts that came to nothing: "I called mom but she didn't pick up" tells of a call, and settles none."""

from __future__ import annotations

import re
from dataclasses import replace

from memory_pipeline.domain.proposal import MemoryType, Operation
from memory_pipeline.inference.builtin.verbs import FORMS, Kind, lemma
from memory_pipeline.inference.replies import ProposalDraft

_WHO = r"(?:she|he|they|it|there|nobody|no one|(?:my |the )?[\w']+)"
_NOT = (
    r"(?:did not|didn't|did n't|was not|wasn't|were not|weren't|is not|isn't|are not|aren't|never|would not|wouldn't|"
    r"could not|couldn't)"
)
_IN_VAIN = re.compile(
    rf"\s*(?:,|\bbut\b|\band\b|[.!;–—-])\s*(?:but |and |sadly,? |unfortunately,? |though )*(?:"
    rf"{_WHO} {_NOT} (?:pick(?:ed)? up|answer(?:ed)?|repl(?:y|ied)|respond(?:ed)?|there|home|in\b|available|reachable|"
    r"open|at home|work(?:ed)?|go through|call(?:ed)? back|have time|take)|"
    r"no (?:answer|reply|response|luck|one (?:answered|picked up|was))|nobody (?:answered|picked up|was)|"
    r"(?:it |i |they |she |he )?(?:went|got|only got|reached) (?:straight |only )?(?:to )?(?:her |his |their |the )?"
    r"voice ?mail|(?:i )?(?:only )?left (?:her |him |them )?(?:a |an )?(?:voice ?mail|message)|"
    r"(?:i )?(?:could not|couldn't) (?:reach|get (?:through|hold)|finish|make it)|(?:the |her |his |their )?line was "
    r"(?:busy|dead)|(?:she|he|they|it) (?:was|were) (?:busy|closed|out|away|asleep|sold out|not in)|"
    r"without success|in vain|to no avail)",
    re.I,
)
_REACH = 90  # characters behind an act within which its outcome is told


def in_vain(told: str, after: str) -> bool:
    """Whether an act is told to have come to nothing, in the clause itself or right after it."""
    return bool(_IN_VAIN.search(told.replace("’", "'")) or _IN_VAIN.match(after[:_REACH].replace("’", "'")))


def only_tried(draft: ProposalDraft) -> ProposalDraft | None:
    """The draft of an act that came to nothing: it closes no open loop, and happened as an attempt only."""
    if draft.operation is Operation.CLOSE_OPEN_LOOP:
        return draft if draft.negated else None
    first, _, rest = draft.content.partition(" ")
    known = FORMS.get(first.lower())
    if draft.type is not MemoryType.EPISODIC_EVENT or known is None or Kind.PAST not in known.kind:
        return draft
    return replace(draft, content=f"Tried to {lemma(first.lower())} {rest}")
