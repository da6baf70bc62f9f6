"""A model's drafts: what they cite."""

from __future__ import annotations

from datetime import timedelta

import pytest

from memory_pipeline.domain.message import Role
from memory_pipeline.domain.proposal import MemoryType
from memory_pipeline.domain.window import windows
from memory_pipeline.inference.replies import EvidenceDraft, ProposalDraft
from memory_pipeline.stages.extraction.drafts import resolve
from memory_pipeline_tests.factories import NOON, POLICY, message

SAID = [
    message("I have two cats, and I live in Lisbon.", message_id="mine"),
    message("You live in Porto, I guess.", NOON + timedelta(minutes=1), message_id="theirs", role=Role.ASSISTANT),
]


@pytest.mark.parametrize(
    ("content", "evidence", "cited"),
    [
        ("I live in Lisbon.", [], [("mine", "I live in Lisbon.")]),
        ("I live in Lisbon.", [("m1", "")], [("mine", "I live in Lisbon.")]),
        ("Lives in Lisbon.", [("m1", "I live in Lisbon")], [("mine", "I live in Lisbon")]),
        ("Lives in Lisbon.", [("m1", "")], [("mine", "")]),
        ("You live in Porto", [], []),
        ("You live in Porto", [("m2", "")], [("theirs", "")]),
        ("I live in Lisbon.", [("m1", "I live in Rome")], [("mine", "I live in Rome")]),
    ],
)
def test_only_the_users_own_words_are_their_own_quote(
    content: str, evidence: list[tuple[str, str]], cited: list[tuple[str, str]]
) -> None:
    draft = ProposalDraft(
        evidence=[EvidenceDraft(m, q) for m, q in evidence], content=content, type=MemoryType.PROFILE_FACT
    )
    ((window, _),) = windows(SAID, POLICY.window)
    (found,) = resolve([draft], window, SAID, prompt_hash="p", model="small")
    assert [(e.message_id, e.quote) for e in found.evidence] == cited
