"""What comes nearest to a question that nothing answers by its wording: by meaning, and by the words they share."""

from __future__ import annotations

from collections.abc import Sequence

from memory_pipeline.inference.builtin.filling import of_kind
from memory_pipeline.inference.builtin.statements import Statement
from memory_pipeline.inference.builtin.terms import light, terms
from memory_pipeline.inference.builtin.who_is_who import Known, about
from memory_pipeline.language.questions import Question, Wants, Whose

_HINT = (0.4, 0.5)  # cosine, or share of the question's words, from which on a statement is worth mentioning
_SURE = (0.4, 0.5)  # both, for a statement that names the kind of thing asked for to be its answer
_SAYS = 2  # words of a statement that says something
_CLOSE = 0.6  # cosine that makes up for a smaller share


def nearest(question: Question, told: Sequence[Statement], known: Known) -> tuple[Statement, bool] | None:
    """The statement nearest to a question, and whether it may pass for an answer; None where nothing is near.

    It must hold, be about whom the question is about, and, to be an answer, name a thing of the kind asked for.
    """
    wanted = terms(question.text) - light("verbs") - light("nouns") - light("adjectives") - question.who - {"x"}
    best: tuple[float, Statement, float, float] | None = None
    for statement in told:
        if not statement.holds or len(statement.terms) < _SAYS or not _fits(question, statement, known):
            continue
        near = float(statement.item.get("near") or 0.0)
        share = len(wanted & statement.terms) / len(wanted) if wanted else 0.0
        if (near >= _HINT[0] or share >= _HINT[1]) and (best is None or near + share > best[0]):
            best = (near + share, statement, near, share)
    if best is None:
        return None
    _, statement, near, share = best
    likely = share > 0 and (near >= _CLOSE or (near >= _SURE[0] and share >= _SURE[1]))
    # A name, a number or a day near by is seldom the one asked for: only a thing of the kind named may pass.
    sure = likely and question.wants is Wants.THING and bool(question.kind) and not question.past
    return statement, sure and of_kind(question, statement, strict=True)


def _fits(question: Question, statement: Statement, known: Known) -> bool:
    if question.whose is Whose.OTHER:
        return about(question, statement, known) or bool(question.who & (statement.who | statement.names))
    return statement.of_user or not statement.memory
