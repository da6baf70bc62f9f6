"""Whether a statement holds something of the kind that a question asks for: a name, a place, a time, a number."""

from __future__ import annotations

import re
from collections.abc import Callable

from memory_pipeline.domain.patterns import lazy
from memory_pipeline.domain.text import STOPWORDS
from memory_pipeline.inference.builtin.answering.statements import Statement
from memory_pipeline.inference.builtin.answering.terms import light, terms
from memory_pipeline.inference.builtin.likeness import undated
from memory_pipeline.language.questions import Question, Wants
from memory_pipeline.language.questions.subjects import belonging, canonical
from memory_pipeline.language.questions.tables import any_of, kind_of, members, open_kinds
from memory_pipeline.language.times.phrases import find
from memory_pipeline.language.times.words import MONTHS, WEEKDAYS
from memory_pipeline.language.vocabulary import words as listed

_WORD = lazy(r"[^\W_]+(?:['’.-][^\W_]+)*")
_FIGURE = lazy(r"\d")
_HOLDS_PLACE = frozenset(
    {"residence", "hometown", "employer", "location", "birthplace", "headquarters", "current_address"}
    | {"former_residence", "former_employer"}
)


def filled(question: Question, statement: Statement) -> bool:
    """Whether something of the kind asked for stands in the statement, and not in the question."""
    test = _TESTS.get(question.wants)
    return test is None or test(question, statement)


def of_kind(question: Question, statement: Statement, *, strict: bool = False) -> bool:
    """Whether the statement names a thing of the kind that the question names: a car, an editor.

    Of a kind whose members are not known by name, whatever is no known member of another kind may be one, unless it
    has to be known.
    """
    if not question.kind:
        return True
    kind = question.kind if members(question.kind) else question.kind.rstrip("s")
    if terms(kind) <= statement.terms or any(kind in a.split("_") for a in statement.attributes):
        return True
    said = {w.lower() for w in _WORD.findall(statement.text)}
    if said & members(kind) or {w.rstrip("s") for w in said} & members(kind):
        return True
    if kind not in open_kinds() and (members(kind) or strict):
        return False
    return not any(kind_of(w) or kind_of(w.rstrip("s")) for w in said - terms(question.text))


def _age(question: Question, statement: Statement) -> bool:
    if "age" in statement.attributes or age_beside(question, statement):
        return True
    said = any_of("signs", "bare_age").sub(" ", undated(statement.text))
    rest = [w for w in _WORD.findall(said) if canonical(w) not in belonging() and not w[:1].isupper()]
    return bool(rest) and all(_number(w) for w in rest)


def age_beside(question: Question, statement: Statement) -> bool:
    """Whether a statement tells somebody's age by a number behind who they are: "my mother (72)", "Rory 5"."""
    said = any_of("signs", "beside_age").finditer(undated(statement.text))
    return any({canonical(hit["whom"])} & question.who for hit in said)


def _number(word: str) -> bool:
    return bool(_FIGURE.search(word)) or word.lower() in listed("number")


def _numbered(question: Question, statement: Statement) -> bool:
    if question.relation or re.match(r"how often", question.text, re.I):
        return True if question.relation else bool(any_of("signs", "frequency").search(statement.text))
    asked = set(_WORD.findall(question.text.lower()))
    return any(_number(w) and w.lower() not in asked for w in _WORD.findall(undated(statement.text)))


def _named(question: Question, statement: Statement) -> bool:
    return bool(statement.names - question.who - set(map(str.lower, _WORD.findall(question.text))))


def _person(question: Question, statement: Statement) -> bool:
    if _named(question, statement):
        return True
    asked = {canonical(w) for w in _WORD.findall(question.text)}
    said = {canonical(w) for w in _WORD.findall(statement.text)}
    return bool(statement.who - asked) or any(w in belonging() for w in said - asked - STOPWORDS)


def _placed(question: Question, statement: Statement) -> bool:
    if statement.attributes & _HOLDS_PLACE:
        return True
    asked = terms(question.text)
    told = (hit.group("where").lower() for hit in any_of("signs", "place").finditer(undated(statement.text)))
    return any(w not in MONTHS and w not in WEEKDAYS and not terms(w) <= asked for w in told)


def _timed(question: Question, statement: Statement) -> bool:
    told = find(statement.text) or statement.item.get("due_at") or statement.item.get("valid_from")
    said = any(any_of("signs", sign).search(statement.text) for sign in ("when", "season"))
    return bool(told or said) or "birthday" in statement.attributes


def _lasting(question: Question, statement: Statement) -> bool:
    return bool(any_of("signs", "measure").search(statement.text) or statement.item.get("valid_from"))


def _reasoned(question: Question, statement: Statement) -> bool:
    return bool(any_of("signs", "reason").search(statement.text))


def _more(question: Question, statement: Statement) -> bool:
    said = statement.terms - terms(question.text) - light("verbs")
    return bool(said) or bool(find(statement.text))


_TESTS: dict[Wants, Callable[[Question, Statement], bool]] = {
    Wants.AGE: _age,
    Wants.NUMBER: _numbered,
    Wants.NAME: _named,
    Wants.PERSON: _person,
    Wants.PLACE: _placed,
    Wants.TIME: _timed,
    Wants.DURATION: _lasting,
    Wants.REASON: _reasoned,
    Wants.MANNER: _more,
    Wants.THING: _more,
}
