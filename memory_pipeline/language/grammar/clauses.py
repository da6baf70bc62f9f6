"""Clauses out of the tree: who does what, when, whether it is denied, asked for, wished or only supposed.

No word here knows what a sentence is about; that is for the frames. "I've really been living in Lisbon" and "I live in
Lisbon" come out alike: verb "live", subject "I".
"""

from __future__ import annotations

from dataclasses import replace

from memory_pipeline.language.grammar.clause import Clause, Cue, Mood, Tense
from memory_pipeline.language.grammar.clause_tree import visit
from memory_pipeline.language.syntax import Sentence

_SUBORDINATE = frozenset({"advcl", "ccomp", "relcl", "parataxis"})


def clauses(sentence: Sentence) -> list[Clause]:
    """The clauses of a sentence that speak for themselves, main clause first."""
    found = list(visit(sentence, sentence.root))
    if _in_case(sentence):
        return [replace(c, mood=Mood.SUPPOSITION) for c in found]
    if not any(t.text == "?" for t in sentence.tokens[-3:]):
        return found
    return [replace(c, mood=Mood.QUESTION) if c.mood is Mood.STATEMENT else c for c in found]


def _in_case(sentence: Sentence) -> bool:
    """ "In case I pass out", of which the parser makes a main clause."""
    low = [t.low for t in sentence if t.low not in {"also", "and", "so", "just"}]
    return low[:2] == ["in", "case"] and "," not in low


def all_clauses(sentence: Sentence) -> list[Clause]:
    """The clauses that :func:`clauses` finds, and those it leaves out: conditions, indirect questions, relatives."""
    found = clauses(sentence)
    known = {index for c in found for index in (c.outer.index, c.head.index)}
    for token in sentence:
        if token.dep not in _SUBORDINATE or token.index in known:
            continue
        subject = sentence.child(token, "nsubj", "nsubjpass")
        if subject is not None:
            found.append(next(visit(sentence, token, subject)))
            known.add(token.index)
    return found


__all__ = ["Clause", "Cue", "Mood", "Tense", "all_clauses", "clauses"]
