"""What comes nearest to a question that nothing answers by its wording: by meaning, by words and by the kind of thing.

The weights and thresholds are in the table of questions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from memory_pipeline.inference.builtin.answering.filling import filled, of_kind
from memory_pipeline.inference.builtin.answering.statements import Statement
from memory_pipeline.inference.builtin.answering.stating import matching
from memory_pipeline.inference.builtin.answering.terms import light, terms
from memory_pipeline.inference.builtin.answering.who_is_who import KnownPeople, about
from memory_pipeline.language.questions import Question, Wants, Whose
from memory_pipeline.language.tables import read

_SAYS = 2  # words of a statement that says something
_OVER = frozenset({"superseded", "contradicted"})
_OPEN = frozenset({Wants.YES_NO, Wants.ALLOWED})  # what any statement could be the answer to


@dataclass(frozen=True, slots=True)
class _Near:
    """A statement and how near it is: by meaning, by words, and in all."""

    statement: Statement
    near: float
    share: float
    score: float


def nearest(question: Question, told: Sequence[Statement], known: KnownPeople) -> tuple[list[Statement], bool]:
    """The statements nearest to a question, best first, and whether the first may pass for an answer.

    To be an answer, one must be about whom the question is about, hold where it does not ask for the past, and name a
    thing of the kind asked for.
    """
    wanted = terms(question.text) - light("verbs") - light("nouns") - light("adjectives") - question.who - {"x"}
    then = question.past or question.was
    told = [s for s in told if len(s.terms) >= _SAYS and (then or str(s.item["status"]) not in _OVER)]
    places, ages = _places(told), _ages(told)
    found = []
    for s in told:
        late = ages[str(s.item["observed_at"])]
        order = {"first": 1 / places[str(s.item["id"])], "late": (1 - then) * late, "early": then * (1 - late)}
        found.append(_measured(question, s, wanted, known, order))
    ordered = sorted((n for n in found if n.score >= _table()["mentioned"]), key=lambda n: -n.score)
    if not ordered:
        return [], False
    best = next((n for n in ordered if _may(question, n.statement, known)), ordered[0])
    sure = _sure(question, best) and _may(question, best.statement, known)
    first = [best, *(n for n in ordered if n is not best)] if sure else ordered
    return _distinct([n.statement for n in first]), sure


def _places(told: Sequence[Statement]) -> Mapping[str, int]:
    """The place of each item among those of its layer, from 1: they come in the order in which they were found."""
    items = {str(s.item["id"]): str(s.item["layer"]) for s in told}
    counts = dict.fromkeys(items.values(), 0)
    places = {}
    for name, layer in items.items():
        counts[layer] += 1
        places[name] = counts[layer]
    return places


def _ages(told: Sequence[Statement]) -> Mapping[str, float]:
    """How late each moment is among those at which something was said, 0 to 1."""
    moments = sorted({str(s.item["observed_at"]) for s in told})
    return {at: n / max(len(moments) - 1, 1) for n, at in enumerate(moments)}


def _sure(question: Question, best: _Near) -> bool:
    """Whether a statement may pass for an answer: a name, a number or a day near by is seldom the one asked for, only a
    thing of the kind that the question names may."""
    known = _table()
    close = best.near >= known["alike"] or (best.near >= known["sure_near"] and best.share >= known["sure_share"])
    likely = best.share > 0 and close
    sure = likely and question.wants is Wants.THING and bool(question.kind) and not question.past
    return sure and best.statement.holds and not best.statement.asked and of_kind(question, best.statement, strict=True)


def _may(question: Question, statement: Statement, known: KnownPeople) -> bool:
    """Whether a statement can answer at all: whom it is about, and when."""
    if not (statement.holds or question.past or question.was):
        return False
    if question.whose is Whose.OTHER:
        return about(question, statement, known) or bool(question.who & (statement.who | statement.names))
    return statement.of_user or not statement.memory or question.whose in {Whose.ASKED, Whose.ANY}


def _measured(
    question: Question, statement: Statement, wanted: frozenset[str], known: KnownPeople, order: Mapping[str, float]
) -> _Near:
    """How near a statement is, in all that speaks for it.

    Args:
        wanted: words of the question that say something.
        order: what its place among the statements says, each 0 to 1: ``first`` as it was found, ``late`` in time where
            the present is asked for, ``early`` where the past is.
    """
    weights = _table()["weights"]
    near = float(statement.item.get("near") or 0.0)
    share = len(wanted & statement.terms) / len(wanted) if wanted else 0.0
    fills = bool(question.attributes) and matching(question.attributes, statement.attributes)
    kind = bool(question.kind) and of_kind(question, statement, strict=True)
    if near < _table()["far"] and not (share or fills or kind):
        return _Near(statement, near, share, 0.0)
    holds = question.wants not in _OPEN and filled(question, statement)
    signs = {"words": share, "fills": fills, "kind": kind, "filled": holds, "whom": _may(question, statement, known)}
    signs |= {"asked": statement.asked, **order}
    return _Near(statement, near, share, near + sum(weights[name] * value for name, value in signs.items()))


def _distinct(found: Sequence[Statement]) -> list[Statement]:
    """The first few that do not come from one message and say the same."""
    kept: list[Statement] = []
    for statement in found:
        said = set(statement.item.get("evidence") or ()) | {statement.item["id"]}
        again = (
            said & (set(k.item.get("evidence") or ()) | {k.item["id"]}) and statement.terms & k.terms for k in kept
        )
        if not any(again):
            kept.append(statement)
    return kept[: _table()["several"]]


@cache
def _table() -> dict[str, Any]:
    found: dict[str, Any] = read("questions")["nearest"]
    return found
