"""The sentences of a turn that may be cited as its speaker's own words, and what the speaker asks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memory_pipeline.language.identify import english
from memory_pipeline.language.questions.tables import any_of
from memory_pipeline.language.standing import Standing
from memory_pipeline.retrieval.prompt.turns import ASKED, SPOKEN, STATED, Sentence, quotable, sentences


def own_sentences(row: Mapping[str, Any], *, assistant: bool = False) -> tuple[str, ...]:
    """The sentences of a turn that its speaker states: no questions, suppositions, foreign text or instructions.

    Args:
        row: of the table of messages.
        assistant: the assistant's own words are asked for; else it has none.
    """
    if row["role"] == "user":
        return tuple(s.text for s in quotable(row) if s.standing in STATED or _tagged(s))
    return tuple(s.text for s in sentences(row) if s.standing in SPOKEN) if assistant else ()


def asked_sentences(row: Mapping[str, Any]) -> tuple[str, ...]:
    """The questions and requests of a user's turn: nobody's statements, but "on my Pixel 7" tells of a phone.

    Args:
        row: of the table of messages.
    """
    if row["role"] != "user":
        return ()
    return tuple(s.text for s in quotable(row) if s.standing in ASKED and not _tagged(s))


def _tagged(sentence: Sentence) -> bool:
    """Whether a statement in another language only ends as a question: "…, oder?"."""
    said = sentence.text.rstrip("? ")
    asked = sentence.standing == Standing.QUESTION
    return asked and bool(any_of("tags", "said").search(said)) and not english(said)
