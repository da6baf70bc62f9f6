"""Whether a sentence asks for something to be forgotten or left alone: it states nothing that may be told."""

from __future__ import annotations

from memory_pipeline.language.questions.tables import any_of


def plea(sentence: str) -> bool:
    """Whether a sentence is a plea to forget something or not to bring it up, in English or another known language."""
    return bool(any_of("pleas", "said").match(_plain(sentence))) or foreign_plea(sentence)


def foreign_plea(sentence: str) -> bool:
    """Whether a sentence is such a plea in another known language than English, in which no topic is read out of it."""
    return bool(any_of("pleas", "elsewhere").search(_plain(sentence)))


def _plain(sentence: str) -> str:
    return sentence.replace("’", "'")
