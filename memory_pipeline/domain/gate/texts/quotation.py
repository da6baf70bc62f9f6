"""The sentences and clauses of the user's messages in which the quotes of a proposal stand."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from memory_pipeline.domain.gate.gate_input import GateInput
from memory_pipeline.domain.patterns import lazy
from memory_pipeline.domain.tables import wordset
from memory_pipeline.domain.text import normalise, words

_SENTENCE_END = lazy(r"(?<=[.!?…。！？])\s*|\n+")
_CLAUSE_END = ".!?…;:,。！？、，；：\n"


def quoted_sentences(given: GateInput) -> list[str]:
    """For each own message that is cited the sentence that holds the quote, the quote where none holds all of it."""
    found: list[str] = []
    for evidence, message in given.own():
        quote = normalise(evidence.quote)
        parts = [part for part in _SENTENCE_END.split(message.content) if part and quote in normalise(part)]
        found += parts[:1] or [evidence.quote]
    return found


def quoted_clauses(given: GateInput) -> list[str]:
    """The clauses, as far as punctuation and "and" tell them, that hold a quote or a part of it, whole.

    A quote may leave out the "not" that stands before it, or behind.
    """
    found: list[str] = []
    for (evidence, _), sentence in zip(given.own(), quoted_sentences(given), strict=True):
        quote = f" {' '.join(words(evidence.quote))} "
        held = [c for c in _clauses(sentence) if (said := f" {' '.join(words(c))} ") in quote or quote in said]
        found += held or [sentence]
    return found


def _clauses(sentence: str) -> Iterator[str]:
    return (part for part in _ends().split(sentence) if part and words(part))


@cache
def _ends() -> re.Pattern[str]:
    joining = "|".join(sorted(wordset("languages", "joining")))
    return lazy(rf"[{_CLAUSE_END}]+|\b(?:{joining})\b", re.I)
