"""Doses told without their medicine: "Is grapefruit ok with sertraline? I'm on 50 mg" is a dose of sertraline."""

from __future__ import annotations

from memory_pipeline.domain.patterns import lazy
from memory_pipeline.domain.text import words as split
from memory_pipeline.language.vocabulary import medicine, words

_DOSE = lazy(
    r"\b(?:I am on|I'm on|I take|I am taking|I'm taking|I use|I inject|I do|I have)(?: (?:just|only|about|still|now))*"
    r" (?P<dose>\d[\d.,]* ?(?:mg|mcg|µg|g|ml|units?|iu|puffs?))\b(?! of\b)"
)


def with_medicine(text: str, message: str) -> str:
    """A statement of a dose with the medicine that its message names, where that is one and the statement names none.

    Args:
        text: written out, see :mod:`memory_pipeline.language.normalisation.repair`.
        message: all that its writer said with it.
    """
    if not _DOSE.search(text) or _medicines(text):
        return text
    named = _medicines(message)
    return _DOSE.sub(rf"I take {next(iter(named))} \g<dose>", text, count=1) if len(named) == 1 else text


def _medicines(text: str) -> frozenset[str]:
    return frozenset(word for word in split(text) if medicine(word) and word not in words("medicine_kind"))
