"""From a clause to what it states: the rule tables asked in turn, with negation, mode and third parties applied."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from memory_pipeline.domain.proposal import MemoryType
from memory_pipeline.inference.builtin.clauses import Clause, with_rest
from memory_pipeline.inference.builtin.facts import facts_of
from memory_pipeline.inference.builtin.lexicon import BREEDS, FEMALE, FRIENDS, MALE, PARTNERS, PETS, RELATIONS
from memory_pipeline.inference.builtin.masking import GAP
from memory_pipeline.inference.builtin.modality import Mode
from memory_pipeline.inference.builtin.patterns import CORE, FIRM, Fact
from memory_pipeline.inference.builtin.rules import NOUNS, VERBS
from memory_pipeline.inference.builtin.rules.appointments import dated_things, rescheduled
from memory_pipeline.inference.builtin.rules.closings import closed_thing, closings
from memory_pipeline.inference.builtin.rules.directives import directives
from memory_pipeline.inference.builtin.rules.habits import habits, turned
from memory_pipeline.inference.builtin.rules.happenings import events, moods
from memory_pipeline.inference.builtin.rules.plans import plans
from memory_pipeline.inference.builtin.rules.world import world
from memory_pipeline.inference.builtin.wording import third, told_of

_OWNER = re.compile(r"^(?P<owner>.+?)(?:'s|s') (?P<noun>.+)$")
_NAMED_RELATIVE = re.compile(
    r"\b(?:my|our) (?P<noun>(?:(?:older|younger|little|big|twin|best|old|close|good|new|late|dear|oldest|"
    r"youngest|elder|baby) )*(?P<head>"
    + "|".join(sorted((*RELATIONS, *PETS), key=len, reverse=True))
    + r")),? (?P<name>(?-i:[A-Z][\w'’-]+(?: (?:and|&) [A-Z][\w'’-]+)?))(?!'s [A-Z])",
    re.I,
)
_REPLACED = re.compile(r"^(?P<not>.+?),? but (?:rather |now |instead )?(?P<is>.+)$", re.I)
_OWNED_LIST = re.compile(r",? and (?=(?:an?|one|two|three|four|\d) )", re.I)
_WITH_ME = re.compile(r"^(?P<name>[A-Z][\w'’-]+) and I\b")
_PARTED = frozenset({"break", "split", "divorce", "lose"})


@dataclass(frozen=True, slots=True)
class Person:
    """The third party that the clause before spoke of, for "he" and "she"."""

    subject: str
    name: str


def subject_of(clause: Clause, before: Person | None) -> Person | None:
    """The third party that a clause speaks of; None when it is the writer or nobody we know."""
    if clause.subject in {"I", "we", ""}:
        return None
    if clause.subject in {"he", "she", "they"}:
        wrong = {"he": FEMALE, "she": MALE, "they": frozenset()}[clause.subject]
        return before if before and before.subject.split()[-1] not in wrong else None
    if not clause.possessed:
        return Person(clause.subject, clause.subject)
    words = clause.subject.split()
    for n, word in enumerate(words):
        low = word.lower().strip(",")
        if (low in RELATIONS or low in PETS or re.fullmatch(BREEDS, low)) and n <= 3:
            if n + 1 < len(words) and not words[n + 1][:1].isupper():
                return None
            head = " ".join([*(w.lower() for w in words[:n]), RELATIONS.get(low, low)])
            return Person(head, " ".join(words).replace(",", ""))
    return None


def read(clause: Clause, before: Person | None) -> list[Fact]:
    """Everything that a clause states, in the order of importance; dates are still phrases."""
    if GAP in clause.text:
        return []
    facts: list[Fact] = []
    first_person = clause.subject in {"I", "we"}
    if not (first_person and clause.verb in {"be", "have", "live"}):
        facts = directives(clause.text)
        if facts:
            return facts
    if clause.verb not in _PARTED:
        facts.extend(_relatives(clause))
    if first_person:
        facts.extend(_own(clause))
    elif clause.possessed and clause.verb:
        facts.extend(_possessed(clause, before))
    elif clause.verb:
        facts.extend(_other(clause, before))
    if not facts and not first_person:
        facts = turned(clause.text) or closed_thing(clause.text) or rescheduled(clause) or dated_things(clause)
        facts = facts or ([] if clause.possessed else world(clause.dated))
    return facts


def _own(clause: Clause) -> list[Fact]:
    clause = _together(clause)
    moved = rescheduled(clause)
    if moved:
        return moved
    stated = list(_stated(clause, "user", ""))
    ended = closings(clause)
    if clause.mode in {Mode.FUTURE, Mode.DUTY, Mode.WISH, Mode.ATTEMPT, Mode.POSSIBLE}:
        return [*stated, *(ended or plans(clause))]
    if ended and ended[0].negated:
        return ended
    arranged = plans(clause)
    if arranged and clause.mode is Mode.ONGOING:
        return arranged
    feelings = moods(clause) if not stated else []
    stated = stated or habits(clause)
    happened = events(clause) if not any(f.when == "" for f in stated) and (not stated or clause.phrases) else []
    return [*stated, *(arranged if not stated else []), *feelings, *happened, *ended]


def _together(clause: Clause) -> Clause:
    """ "Paula and I broke up" → "I broke up with Paula": what two did together names the other."""
    other = _WITH_ME.match(clause.text)
    if other is None or clause.verb not in _PARTED or re.search(r"\bwith\b", clause.rest):
        return clause
    return with_rest(clause, f"{clause.rest} with {other.group('name')}")


def _possessed(clause: Clause, before: Person | None) -> list[Fact]:
    named = list(
        facts_of(NOUNS.hits(replace(clause, rest=f"{clause.subject}: {clause.rest}"), own=True), clause, "user", "")
    )
    if named:
        return named
    person = subject_of(clause, before)
    if person:
        return _other(clause, before)
    owner = _OWNER.match(clause.subject)
    if owner:
        whose = subject_of(replace(clause, subject=owner.group("owner")), before)
        if whose:
            inner = replace(clause, subject=owner.group("noun"), rest=f"{owner.group('noun')}: {clause.rest}")
            return list(facts_of(NOUNS.hits(inner, own=False), clause, whose.subject, whose.name))
        return []
    return closings(clause) or plans(clause)


def _other(clause: Clause, before: Person | None) -> list[Fact]:
    person = subject_of(clause, before)
    if person is None:
        return []
    general = world(clause.dated) if not clause.possessed and clause.subject not in {"he", "she", "they"} else []
    if general:
        return general
    stated = list(_stated(clause, person.subject, person.name))
    if not stated and clause.phrases and clause.possessed | (clause.subject in {"he", "she"}):
        stated = [
            replace(f, subject=person.subject, content=told_of(third(person.name), f.content)) for f in events(clause)
        ]
    return stated


def _stated(clause: Clause, subject: str, name: str) -> Iterator[Fact]:
    replaced = _REPLACED.match(clause.rest) if clause.negated else None
    if replaced:
        yield from _stated(replace(clause, rest=replaced.group("not"), corrects=True), subject, name)
        yield from _stated(
            replace(clause, rest=replaced.group("is"), negated=False, ceased=False, corrects=True), subject, name
        )
        return
    # "have a sister called Anna and a dog": each member of the list is a statement of its own.
    owned = _OWNED_LIST.split(clause.rest) if clause.verb == "have" else [clause.rest]
    for rest in owned:
        yield from facts_of(VERBS.hits(with_rest(clause, rest), own=subject == "user"), clause, subject, name)


def _relatives(clause: Clause) -> Iterator[Fact]:
    """Names in passing: "my wife Nora and I …"."""
    for hit in _NAMED_RELATIVE.finditer(clause.text):
        head, name = hit.group("head").lower(), re.sub(r"['’]s$", "", hit.group("name"))
        if name.split()[0].lower() in RELATIONS or name.lower() in {"i", "is", "and"}:
            continue
        relation = RELATIONS.get(head, head)
        attribute = (
            "pet"
            if head in PETS
            else "partner"
            if relation in PARTNERS
            else "friend"
            if relation in FRIENDS
            else "family"
        )
        noun = hit.group("noun").lower()
        plural = head.endswith("s") and head not in {"boss"}
        content = f"Has {noun} called {name}." if plural else f"Has a {noun} called {name}."
        yield Fact(
            MemoryType.PROFILE_FACT,
            content,
            attribute=attribute,
            value=name,
            weight=CORE if attribute in {"family", "partner"} else FIRM,
            when="",
            names=(name,),
        )
