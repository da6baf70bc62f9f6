"""Running the extractor on one message, and naming a draft in a line."""

from __future__ import annotations

from typing import Any

from memory_pipeline.domain.calendar import zone
from memory_pipeline.domain.proposal import MemoryType, Operation
from memory_pipeline.inference.builtin.extraction.extract import read_window
from memory_pipeline.inference.replies import ProposalDraft
from memory_pipeline_tests.factories import POLICY

BERLIN = zone("Europe/Berlin")
NOW = "2026-03-10T09:15:00+01:00"  # a Tuesday


def message(content: str, alias: str = "m1", **changes: Any) -> dict[str, Any]:
    given = {"id": alias, "role": "user", "speaker": None, "content": content, "created_at": NOW}
    return {**given, **changes}


def window(*messages: dict[str, Any], context: tuple[dict[str, Any], ...] = ()) -> list[ProposalDraft]:
    return read_window({"window": "w1", "summary": "", "context": list(context), "messages": list(messages)}, BERLIN)


def drafts(content: str) -> list[ProposalDraft]:
    return window(message(content))


def answered(question: str, reply: str) -> list[ProposalDraft]:
    """The drafts of a user's reply to the assistant's question."""
    return window(message(reply, "m2"), context=(message(question, "c1", role="assistant"),))


def brief(draft: ProposalDraft) -> str:
    """``type subject.attribute=value``; the operation first unless it is add, the subject left out for the user."""
    operation = "" if draft.operation is Operation.ADD else f"{draft.operation} "
    subject = "" if draft.subject in {"user", None} else f"{draft.subject}."
    slot = f"{subject}{draft.attribute}={'not ' * draft.negated}{draft.value}" if draft.attribute else draft.content
    return f"{operation}{draft.type} {slot}"


def briefs(content: str) -> list[str]:
    return [brief(d) for d in drafts(content)]


def kept(found: list[ProposalDraft]) -> list[ProposalDraft]:
    """What passes the gate's floors and says something: a denial that only contradicts, or closes, says nothing new."""
    floors = POLICY.gate
    return [
        d
        for d in found
        if d.operation not in {Operation.CONTRADICT, Operation.CLOSE_OPEN_LOOP}
        and d.confidence >= floors.min_confidence
        and (
            d.salience > floors.min_salience_ephemeral
            if d.type is MemoryType.EPHEMERAL
            else d.salience >= floors.min_salience
        )
    ]


def slot(draft: ProposalDraft) -> str:
    """``attribute=value``, the subject before it where it is not the user; "not" where it is denied."""
    subject = "" if draft.subject in {"user", None} else f"{draft.subject}."
    return f"{subject}{draft.attribute}={'not ' * draft.negated}{draft.value}"
