"""The sentences of a turn that may be cited as its speaker's own words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memory_pipeline.language.identify import english
from memory_pipeline.language.questions.tables import any_of
from memory_pipeline.language.standing import Standing
from memory_pipeline.retrieval.prompt.turns import SPOKEN, STATED, Sentence, sentences


def own_sentences(row: Mapping[str, Any], *, assistant: bool = False) -> tuple[str, ...]:
    """The sentences of a turn that its speaker states: no questions, suppositions, foreign text or instructions.

    Args:
        row: of the table of messages.
        assistant: the assistant's own words are asked for; else it has none.
    """
    if row["role"] == "user":
        own = (s.text for s in sentences(row) if s.standing in STATED or _tagged(s))
        return tuple(text for text in own if not any_of("pleas", "said").match(text.replace("’", "'")))
    return tuple(s.text for s in sentences(row) if s.standing in SPOKEN) if assistant else ()


def _tagged(sentence: Sentence) -> bool:
    """Whether a statement in another language only ends as a question: "…, oder?"."""
    said = sentence.text.rstrip("? ")
    asked = sentence.standing == Standing.QUESTION
    return asked and bool(any_of("tags", "said").search(said)) and not english(said)
