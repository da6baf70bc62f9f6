"""Who is who among a user's people, and whether a statement is about whom a question is about."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from memory_pipeline.domain.patterns import lazy
from memory_pipeline.inference.builtin.about import lowered
from memory_pipeline.inference.builtin.answering.statements import Statement
from memory_pipeline.language.questions import Question, Whose
from memory_pipeline.language.questions.subjects import belonging, canonical, people
from memory_pipeline.language.questions.tables import any_of, group
from memory_pipeline.language.tables import read as table

_ROLE = lazy(r"\b(?:is|was) (?:their|my|our) (?:[\w-]+ )?(?P<role>[\w-]+)\b", re.I)
_WITH = lazy(r"\bwith (?:them|me|us|you)\b", re.I)
_HAVE = lazy(r"\b(?:do|did|have) X\b|\bX have\b", re.I)
_PEOPLE = frozenset({"family", "partner", "friend", "pet", "colleague"})


@dataclass(frozen=True, slots=True)
class KnownPeople:
    """Who is who: names by the words for people and animals that they belong to, and the other way round."""

    aliases: dict[str, frozenset[str]]

    def widened(self, who: frozenset[str]) -> frozenset[str]:
        """The words for somebody with the names that they are known by, and the narrower words for such people."""
        found = set(who)
        for word in who:
            found |= narrower(word) | narrower(canonical(word))
        for word in list(found):
            found |= self.aliases.get(word, frozenset())
        return frozenset(found)


def known_people(told: Iterable[Statement]) -> KnownPeople:
    """Who is who, by what memories say: "Has a son called Leo", or the subject "son leo"."""
    found: dict[str, set[str]] = {}
    for statement in told:
        said = _ROLE.search(statement.text) if not statement.of_user else None
        if said and canonical(said["role"]) in belonging() and statement.who:
            named = statement.who | {canonical(said["role"])}
        elif introduced := _introduced(statement):
            named = introduced
        elif not statement.memory:
            continue
        elif statement.of_user:
            close = bool(statement.attributes & _PEOPLE) or bool(any_of("signs", "named").search(statement.text))
            named = people(f"X {lowered(statement.text)}") if close else frozenset()
        else:
            named = statement.who
        roles = {w for w in named if w in belonging()}
        if statement.of_user and "partner" in statement.attributes:
            roles |= {"partner", *(("wife", "husband", "spouse") if "married" in statement.text else ())}
        for name in named - roles:
            for role in roles if len(roles) == 1 or statement.of_user else ():
                found.setdefault(role, set()).add(name)
                found.setdefault(name, set()).add(role)
    return KnownPeople({word: frozenset(others) for word, others in found.items()})


def _people(statement: Statement) -> frozenset[str]:
    """All whom a statement is about or names."""
    return people(f"X {lowered(statement.text)}") | statement.who


def _introduced(statement: Statement) -> frozenset[str]:
    """Somebody whom a turn names with what they are to its speaker: "Priya my wife had the flu"."""
    for hit in any_of("signs", "called").finditer(statement.quote):
        role, name = group(hit, "role"), group(hit, "name")
        if canonical(role) in belonging() and canonical(name) not in belonging():
            return frozenset({canonical(role), name.lower()})
    return frozenset()


def about(question: Question, statement: Statement, known: KnownPeople) -> bool:
    """Whether a statement is about whom the question is about."""
    if "with X" in question.text and not statement.of_user and not _WITH.search(statement.text):
        return False
    if question.whose is Whose.ANY:
        return True
    named = {canonical(w) for w in re.findall(r"[\w'’-]+", question.said)}
    if question.whose is Whose.OTHER:
        who = known.widened(question.who)
        roles = question.who & belonging()
        if len(roles) > 1 and not all(known.widened(_people(statement)) & {role} for role in roles):
            return False  # "my daughter's doctor" is not the daughter
        if statement.of_user:
            return bool(people(f"X {lowered(statement.text)}") & who)
        return bool(known.widened(statement.who) & question.who or statement.who & who)
    if question.whose is Whose.ASKED or statement.of_user:
        return True
    if not statement.who:  # of a thing; whom somebody unknown has is none of the user's people
        return not (_HAVE.search(question.text) and people(f"X {question.said}") & belonging())
    return bool(statement.who & known.widened(frozenset(named))) or _possessed(question, statement)


def _possessed(question: Question, statement: Statement) -> bool:
    """Whether somebody else's deed is about a thing of the user's: "the landlady raised the rent"."""
    things = re.findall(r"X's ([\w-]+)", question.text)
    return any(re.search(rf"\b(?:the|their|my|our) {re.escape(t)}\b", statement.text, re.I) for t in things)


@cache
def narrower(word: str) -> frozenset[str]:
    listed = table("questions")["wider"].get(word, "")
    if word in ("pet", "pets", "animal", "animals"):
        listed = table("words")["pet"]
    return frozenset(canonical(w) for w in listed.split())
