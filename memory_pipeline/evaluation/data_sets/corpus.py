"""Conversations with questions about them whose evidence is known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any


@dataclass(frozen=True, slots=True)
class Question:
    """A question about one user's conversations.

    Attributes:
        evidence: ids of the messages that answer it; empty where the set names sessions only.
        sessions: ids of the sessions that answer it.
        asked_at: the moment of the question, as the data set has it, without a zone; None where it has none.
        midway: whether messages after ``asked_at`` are in the log too, so that the read must ask for the past.
    """

    question_id: str
    user_id: str
    text: str
    category: str
    evidence: tuple[str, ...] = ()
    sessions: tuple[str, ...] = ()
    asked_at: datetime | None = None
    midway: bool = False


@dataclass(frozen=True, slots=True)
class Corpus:
    """A data set.

    Attributes:
        messages: in the landing format.
        questions: those with evidence.
    """

    name: str
    messages: Sequence[Mapping[str, Any]]
    questions: Sequence[Question]

    def limited(self, most: int | None) -> Corpus:
        """The first ``most`` questions and the conversations of their users; all where it is None."""
        if most is None:
            return self
        questions = self.questions[:most]
        users = {question.user_id for question in questions}
        messages = [message for message in self.messages if message["user_id"] in users]
        return replace(self, messages=messages, questions=questions)


def message(
    user_id: str, session_id: str, message_id: str, role: str, content: str, at: datetime, speaker: str | None = None
) -> dict[str, Any]:
    """A message in the landing format."""
    return {
        "user_id": user_id,
        "session_id": session_id,
        "message_id": message_id,
        "role": role,
        "speaker": speaker,
        "content": content,
        "created_at": at.isoformat(),
    }
