"""Questions in other languages than English: what shares most of their words answers, in the user's own words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from memory_pipeline.domain.patterns import lazy
from memory_pipeline.inference.builtin.answering.statements import Statement, statements
from memory_pipeline.language.questions.tables import any_of, elsewhere
from memory_pipeline.language.tables import read as table

_WORD = lazy(r"[^\W\d_]+|\d+")
_WIDE = lazy(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0e7f]")
_STEM = 5  # letters of a word that its inflection leaves alone, mostly
_ENOUGH = 0.5  # share of the question's words


def foreign_answer(question: str, items: Sequence[Mapping[str, Any]]) -> list[Statement]:
    """The newest of the statements that are worded as an answer to it is, or share most of its words; the one before it
    where the question asks for what was so before.

    None where they share less than half.
    """
    asked = words(question) - _asking()
    told = [s for s in statements(items) if s.holds]
    worded = [said for ask, said in elsewhere() if ask.search(question)]
    if worded:
        before = any_of("foreign", "before").search(question) is not None
        return _newest([s for s in told if any(said.search(s.quote or s.text) for said in worded)], int(before))
    shares = [(len(asked & words(s.quote or s.text)) / len(asked), s) for s in told] if asked else []
    best = max((share for share, _ in shares), default=0.0)
    if best < _ENOUGH:
        return []
    fitting = [s for share, s in shares if share == best]
    return _newest(fitting)


def _newest(told: Sequence[Statement], after: int = 0) -> list[Statement]:
    return sorted(told, key=lambda s: str(s.item["observed_at"]), reverse=True)[after : after + 1]


def words(text: str) -> frozenset[str]:
    """Words by how they begin; characters in pairs, where words are not spaced."""
    found: set[str] = set()
    for word in _WORD.findall(text.lower()):
        if _WIDE.search(word):
            found |= {word[n : n + 2] for n in range(len(word) - 1)} or {word}
        else:
            found.add(word[:_STEM])
    return frozenset(found)


def _asking() -> frozenset[str]:
    return words(table("questions")["foreign"]["asking"])
