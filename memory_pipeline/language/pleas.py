"""Whether a sentence asks for something to be forgotten or left alone: it states nothing that may be told."""

from __future__ import annotations

from memory_pipeline.language.questions.tables import any_of


def plea(sentence: str) -> bool:
    """Whether a sentence is a plea to forget something or not to bring it up, in English or another known language."""
    text = sentence.replace("’", "'")
    return bool(any_of("pleas", "said").match(text) or any_of("pleas", "elsewhere").search(text))
