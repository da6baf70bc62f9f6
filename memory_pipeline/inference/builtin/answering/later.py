"""What the user said later about what an answer rests on: it may have changed since, and an answer says so."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from memory_pipeline.inference.builtin.answering.filling import filled
from memory_pipeline.inference.builtin.answering.statements import Statement
from memory_pipeline.inference.builtin.answering.terms import light, terms
from memory_pipeline.inference.builtin.answering.who_is_who import KnownPeople, about
from memory_pipeline.language.questions import Question, Wants, Whose
from memory_pipeline.language.questions.tables import any_of
from memory_pipeline.language.tables import read

_OPEN = frozenset({Wants.SUMMARY, Wants.TOPIC, Wants.SAID})


def later(
    question: Question, cited: Sequence[Statement], told: Sequence[Statement], known: KnownPeople
) -> Statement | None:
    """A statement later than all that an answer rests on, which tells of a change of the same thing, or None.

    Args:
        cited: the statements that the answer rests on.
        told: all at hand.
    """
    if not cited or question.past or question.was or question.wants in _OPEN:
        return None
    last = max(str(s.item["observed_at"]) for s in cited)
    said = {m for s in cited for m in (*(s.item.get("evidence") or ()), s.item["id"])}
    about_it = frozenset(t for s in cited for t in s.terms) | terms(question.text)
    about_it -= light("verbs") | light("nouns") | light("adjectives")
    found = [
        s
        for s in told
        if s.holds
        and str(s.item["observed_at"]) > last
        and said.isdisjoint([*(s.item.get("evidence") or ()), s.item["id"]])
        and filled(question, s)
        and (about(question, s, known) or (question.whose is Whose.USER and _near(s) >= _table()["others"]))
        and _turns(s, about_it)
    ]
    return max(found, key=_near, default=None)


def _turns(statement: Statement, about_it: frozenset[str]) -> bool:
    """Whether a statement tells of a change, near enough to be one of the thing in hand."""
    text, least = statement.quote or statement.text, _table()
    if any_of("signs", "turned").search(text):
        return _near(statement) >= float(least["turned"])
    shares = bool(about_it & statement.terms)
    near_enough = _near(statement) >= float(least["moved"])
    return shares and near_enough and bool(any_of("signs", "moved").search(text))


def _near(statement: Statement) -> float:
    return float(statement.item.get("near") or 0.0)


@cache
def _table() -> dict[str, Any]:
    found: dict[str, Any] = read("questions")["later"]
    return found
