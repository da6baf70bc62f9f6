"""What comes nearest to a question that nothing answers by its wording: by meaning, and by the words they share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memory_pipeline.inference.builtin.filling import filled, of_kind
from memory_pipeline.inference.builtin.statements import Statement
from memory_pipeline.inference.builtin.stating import matching
from memory_pipeline.inference.builtin.terms import light, terms
from memory_pipeline.inference.builtin.who_is_who import Known, about
from memory_pipeline.language.questions import Question, Wants, Whose

_HINT = (0.4, 0.5)  # cosine, or share of the question's words, from which on a statement is worth mentioning
_SURE = (0.4, 0.5)  # both, for a statement that names the kind of thing asked for to be its answer
_KINDRED = 0.15  # cosine from which on one is, that fills what is asked for or holds something of the kind
_SAYS = 2  # words of a statement that says something
_CLOSE = 0.6  # cosine that makes up for a smaller share
_SEVERAL = 3  # hints
_WEAKER = 0.6  # share of the best one's score that another hint must have
_OPEN = frozenset({Wants.THING, Wants.YES_NO, Wants.MANNER, Wants.REASON, Wants.ALLOWED})


@dataclass(frozen=True, slots=True)
class _Near:
    """A statement and how near it is: by meaning, by words, and in all."""

    statement: Statement
    near: float
    share: float
    score: float


def nearest(question: Question, told: Sequence[Statement], known: Known) -> tuple[list[Statement], bool]:
    """The statements nearest to a question, best first, and whether the first may pass for an answer.

    They must be about whom the question is about and, where it does not ask for the past, hold. To be an answer, one
    must name a thing of the kind asked for.
    """
    wanted = terms(question.text) - light("verbs") - light("nouns") - light("adjectives") - question.who - {"x"}
    found = [_measured(question, s, wanted) for s in told if _may(question, s, known)]
    ordered = sorted((n for n in found if n.score > 0.0), key=lambda n: -n.score)
    if not ordered:
        return [], False
    best = ordered[0]
    likely = best.share > 0 and (best.near >= _CLOSE or (best.near >= _SURE[0] and best.share >= _SURE[1]))
    # A name, a number or a day near by is seldom the one asked for: only a thing of the kind named may pass.
    sure = likely and question.wants is Wants.THING and bool(question.kind) and not question.past
    sure = sure and best.statement.holds and of_kind(question, best.statement, strict=True)
    return _distinct([n.statement for n in ordered if n.score >= _WEAKER * best.score]), sure


def _may(question: Question, statement: Statement, known: Known) -> bool:
    if len(statement.terms) < _SAYS or not (statement.holds or question.past or question.was):
        return False
    if question.whose is Whose.OTHER:
        return about(question, statement, known) or bool(question.who & (statement.who | statement.names))
    return statement.of_user or not statement.memory or question.whose in {Whose.ASKED, Whose.ANY}


def _measured(question: Question, statement: Statement, wanted: frozenset[str]) -> _Near:
    """How near a statement is; one that is too far to be mentioned scores nothing."""
    near = float(statement.item.get("near") or 0.0)
    share = len(wanted & statement.terms) / len(wanted) if wanted else 0.0
    fills = bool(question.attributes) and matching(question.attributes, statement.attributes)
    kindred = question.wants not in _OPEN and filled(question, statement)
    kindred = kindred or bool(question.kind) and of_kind(question, statement, strict=True)
    if near < _HINT[0] and share < _HINT[1] and not (near >= _KINDRED and (fills or kindred)):
        return _Near(statement, near, share, 0.0)
    extra = 0.4 * fills + 0.25 * kindred + 0.1 * statement.memory
    return _Near(statement, near, share, near + share + extra)


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
    return kept[:_SEVERAL]
