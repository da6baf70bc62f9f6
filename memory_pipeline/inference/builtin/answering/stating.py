"""Which statements answer a question: of the same subject, filling what is asked for, or saying all that it says."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from enum import IntEnum
from fnmatch import fnmatchcase
from functools import cache

from memory_pipeline.domain.consolidation.slots import Relation, Slot, relate
from memory_pipeline.domain.patterns import lazy
from memory_pipeline.domain.text import singular, words
from memory_pipeline.inference.builtin.answering.filling import age_beside, filled, of_kind
from memory_pipeline.inference.builtin.answering.statements import Statement, slots_of, told_dates
from memory_pipeline.inference.builtin.answering.terms import ended, light, terms
from memory_pipeline.inference.builtin.answering.who_is_who import KnownPeople, about, narrower
from memory_pipeline.inference.builtin.spoken import finite
from memory_pipeline.language.questions import Question, Wants, Whose
from memory_pipeline.language.questions.subjects import belonging, canonical, people
from memory_pipeline.language.questions.tables import any_of
from memory_pipeline.language.times.words import MONTHS, WEEKDAYS

_DAYS = (frozenset(MONTHS) | frozenset(WEEKDAYS)) - {"may", "sun", "sat", "wed", "mar"}
_ASKED_NAME = lazy(r"\bnames?\b|\b(?:called|named)$", re.I)
_ASKED_THING = lazy(
    r"(?:what|which|how (?:much|many))(?: (?:is|are|was|were))? (?:(?:X's|the|my) )?(?P<thing>[\w-]+)", re.I
)
_WORDS = lazy(r"[^\W_]+(?:['’-][^\W_]+)*|[,.;:!?()]")
_ENOUGH = 4  # words of a question from which one that is not stated may be passed over
_CONTAINED = frozenset({"residence", "hometown", "employer", "occupation", "current_field"})


class Fit(IntEnum):
    """How a statement answers, the better the higher."""

    NONE = 0
    SAYS = 1  # it says all that the question says, and more
    FILLS = 2  # it fills the attribute that is asked for


class Says(IntEnum):
    """What a statement says to a yes-or-no question."""

    NOTHING = 0
    YES = 1
    NO = 2
    OTHER = 3  # another value, which may or may not exclude the one asked for: Barcelona is in Spain


def replaced(statement: Statement, told: Sequence[Statement]) -> Statement | None:
    """A later statement that says that what this one names was changed for something else, or None.

    "Moved from Fly.io to Hetzner" replaces "Deploys on Fly.io", "421 ewes, not 412" replaces "Has 412 ewes".
    """
    for other in told:
        if not other.holds or str(other.item["observed_at"]) <= str(statement.item["observed_at"]):
            continue
        for hit in any_of("signs", "changed").finditer(other.text):
            old = terms(hit.group("old"))
            if old and old <= statement.terms and not old <= terms(hit.group("new") or ""):
                return other
        for hit in any_of("signs", "corrected").finditer(other.text):
            said = terms(hit.group("old")) & statement.terms
            if said and (other.terms - said) & (statement.terms - said):
                return other
    return None


def _names_day(question: Question) -> bool:
    return bool(_DAYS & {singular(w) for w in words(question.said)} or re.search(r"\b(?:19|20)\d\d\b", question.said))


def required(question: Question) -> frozenset[str]:
    """The words of a question that a statement must have as well."""
    said = terms(question.said) - light("verbs") - light("adjectives")
    said -= question.who | {canonical(w) for w in question.who} | {"x"}
    return frozenset(said - light("nouns") or said)


def dated(question: Question, statement: Statement) -> bool:
    """Whether a statement speaks of the days, months and years that the question names."""
    days = {
        singular(w)
        for w in words(question.said)
        if singular(w) in _DAYS or w in _DAYS or re.fullmatch(r"(?:19|20)\d\d", w)
    }
    told = {singular(w) for w in words(" ".join([statement.text, *told_dates(statement.item)]))} if days else days
    return days <= told


def fit(question: Question, statement: Statement, known: KnownPeople) -> Fit:
    """How a statement answers a question that asks for something else than yes or no."""
    if question.wants is Wants.AGE and question.who and age_beside(question, statement):
        return Fit.FILLS
    if not about(question, statement, known) or not filled(question, statement):
        return Fit.NONE
    if question.happened and statement.intended and not question.types:
        return Fit.NONE
    if question.fills and _fills(question, statement, known):
        return Fit.FILLS
    if question.wants is Wants.NAME and question.fills:
        return Fit.NONE
    if _ASKED_NAME.search(question.text) and not _calls(question, statement):
        return Fit.NONE
    return Fit.SAYS if _says_all(question, statement) else Fit.NONE


def _calls(question: Question, statement: Statement) -> bool:
    """Whether a statement names something beyond the question; of a thing of the user's it has to say that it is its
    name: "a shop in Leeds" is not called Leeds."""
    named = statement.names - question.who - _said(question)
    return bool(named) and (question.whose is not Whose.USER or bool(any_of("signs", "named").search(statement.text)))


def _said(question: Question) -> frozenset[str]:
    return frozenset(re.findall(r"[\w-]+", question.text.lower()))


def _fills(question: Question, statement: Statement, known: KnownPeople) -> bool:
    """Whether it fills an attribute that is asked for, of whom it is asked, and says what else the question says."""
    asked = matching(question.attributes, statement.attributes) or statement.item["type"] in question.types
    asked = asked or question.wants is Wants.AGE
    if question.named:
        asked = _names(question, statement, known)
    elif statement.of_user and question.whose is Whose.OTHER:
        return False
    if not asked or not of_kind(question, statement, strict=True):
        return False
    if question.relation and not _mentions(question.relation, statement, known):
        return False
    if not dated(question, statement):
        return False
    left = terms(question.left) - light("verbs") - light("adjectives") - light("nouns")
    return _covers(left - terms(question.also) - question.who - {"x"}, statement, question)


def matching(wanted: Sequence[str], there: Iterable[str]) -> bool:
    """Whether one of some attributes is asked for; ``favorite_*`` is any that begins so."""
    return any(fnmatchcase(a, w) for a in there for w in wanted)


def _names(question: Question, statement: Statement, known: KnownPeople) -> bool:
    """Whether a statement says what somebody is called who belongs to the user, or to whom the question is about."""
    if not statement.names - question.who:
        return False
    if statement.of_user or question.relation:
        return bool(any_of("signs", "named").search(statement.text))
    if any_of("signs", "named").search(statement.text) and statement.who & belonging():
        return True
    return bool(statement.who - belonging()) and bool(known.widened(statement.who) & belonging() & question.who)


def _mentions(relation: str, statement: Statement, known: KnownPeople) -> bool:
    """Whether a statement speaks of such a person or animal of the user's."""
    wanted = {canonical(relation)} | narrower(relation) | narrower(canonical(relation))
    there = {canonical(w) for w in re.findall(r"[\w'’-]+", statement.text)}
    return bool(wanted & (there | statement.who))


def _says_all(question: Question, statement: Statement) -> bool:
    wanted = required(question)
    if not dated(question, statement):
        return False
    if question.kind and of_kind(question, statement, strict=wanted <= terms(question.kind)):
        wanted -= terms(question.kind)
    verbs = terms(question.said) & light("verbs")
    if question.kind and not of_kind(question, statement, strict=not wanted - light("nouns")):
        return False
    if not wanted:
        named = question.kind or question.whose is Whose.OTHER or _names_day(question)
        open_end = question.wants is Wants.THING and not named
        return bool(verbs) and verbs <= statement.terms and not open_end
    if wanted <= light("nouns") and not verbs <= statement.terms:
        return False
    return _covers(wanted, statement, question)


def _covers(wanted: frozenset[str], statement: Statement, question: Question) -> bool:
    missing = {w for w in wanted if w not in statement.terms and w not in statement.who}
    named = {w for name in people(f"X {question.said}") for w in terms(name)}
    if not missing:
        return True
    return len(wanted) >= _ENOUGH and len(missing) == 1 and not missing & (named | _head(question))


def _head(question: Question) -> frozenset[str]:
    """The thing itself that a question asks for: the salary in "what is X's salary at Kelo"."""
    asked = _ASKED_THING.match(question.text)
    return terms(asked.group("thing")) if asked else frozenset()


def says(question: Question, statement: Statement, known: KnownPeople) -> Says:
    """What a statement says to a question that asks for yes or no."""
    if not about(question, statement, known) or (question.happened and statement.intended):
        return Says.NOTHING
    named = question.all or question.relation or question.left
    if question.fills and named and _fills(question, statement, known):
        return Says.NO if _denied(statement) else Says.YES
    by_slot = _by_slot(question, statement)
    if by_slot is not Says.NOTHING:
        return by_slot
    wanted = terms(question.declared) - light("verbs") - light("adjectives") - question.who
    verbs = terms(question.declared) & light("verbs")
    if not wanted or (wanted <= light("nouns") and not verbs <= statement.terms):
        return Says.NOTHING
    if not wanted <= statement.terms | statement.who:
        return Says.NOTHING
    if _only_modifies(question.declared, statement.text):
        return Says.NOTHING
    asked = bool(re.search(r"\b(?:not|never|no)\b|n't\b", question.declared))
    ending = bool(statement.terms & ended() - terms(question.declared)) or _gone(question, statement)
    return Says.NO if (statement.denies or ending) != asked else Says.YES


def _gone(question: Question, statement: Statement) -> bool:
    """Whether a statement says that something is gone, where the question does not ask for just that."""
    said = any_of("signs", "gone").search(statement.text)
    return said is not None and said.group().split()[-1].lower() not in question.declared.lower()


def _only_modifies(declared: str, text: str) -> bool:
    """Whether the thing that a question names stands in a text only before another noun: a pool man is no pool."""
    named = [w for w in _WORDS.findall(declared) if terms(w)][-1:]
    if not named or not declared.lower().startswith(("has ", "have ")):
        return False
    said = _WORDS.findall(text)
    there = [n for n, w in enumerate(said) if terms(w) == terms(named[0])]
    # "The Massey's gone": behind an apostrophe stands no noun that it belongs to.
    after = [said[n + 1] if n + 1 < len(said) and "'" not in said[n] and "’" not in said[n] else "" for n in there]
    return bool(after) and all(_noun_behind(word) for word in after)


def _noun_behind(word: str) -> bool:
    return word.isalpha() and word.islower() and bool(terms(word)) and not finite(word) and not word.endswith("ing")


def _denied(statement: Statement) -> bool:
    return statement.negated or bool(statement.terms & ended())


def _by_slot(question: Question, statement: Statement) -> Says:
    """By the attribute that the question names a value of: whoever lives in Mumbai does not live in Delhi."""
    for asked in _asked_slots(question.declared):
        for told in statement.slots:
            same = Slot(asked.subject, told.attribute, told.value, told.negated)
            relation = relate(asked, same)
            if relation is Relation.SAME:
                return Says.YES
            if relation is Relation.DENIED:
                return Says.NO
            if relation is Relation.CHANGED and statement.holds:
                return Says.OTHER if told.attribute in _CONTAINED else Says.NO
    return Says.NOTHING


@cache
def _asked_slots(declared: str) -> tuple[Slot, ...]:
    if not declared:
        return ()
    first, _, rest = declared.partition(" ")
    return slots_of(f"{first.capitalize()} {rest}".strip())
