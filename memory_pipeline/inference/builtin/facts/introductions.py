"""Who is who: names told of those who belong to the user, and the user's favourites."""

from __future__ import annotations

from dataclasses import replace

from memory_pipeline.domain.proposal import MemoryType
from memory_pipeline.inference.builtin.facts.context import Reading, article
from memory_pipeline.inference.builtin.facts.fact import CORE, FIRM, LIGHT, PLAIN, Fact
from memory_pipeline.language.grammar.clauses import Tense
from memory_pipeline.language.grammar.people import Kind, Subject
from memory_pipeline.language.syntax import Token
from memory_pipeline.language.vocabulary import relations, words

_OWN = frozenset({"my", "our"})
_FAVOURITE = frozenset({"favourite", "favorite"})


def introduced(reading: Reading) -> Fact | None:
    """The person, or the favourite, that a clause gives a name to."""
    return _cherished(reading) or _of_mine(reading) or _named(reading)


def naming(person: Subject) -> Fact:
    """ "my wife Nora" in passing: that there is such a person, and the name."""
    attribute = _attribute(person)
    before = "" if person.plural else article(person.relation)
    return Fact(
        MemoryType.PROFILE_FACT,
        f"Has {before}{person.relation} called {person.name}.",
        "user",
        attribute,
        person.name,
        weight=CORE if attribute in {"family", "partner"} else FIRM,
        when="",
        dated="none",
        names=(person.name,),
    )


def _attribute(person: Subject) -> str:
    relation = person.relation
    if relation in words("one_at_a_time"):
        return f"current_{relation}"
    if person.kind is Kind.PET:
        return "pet"
    if relation in words("owned_thing"):
        return "possession"
    return next((slot for slot in ("partner", "friend") if relation in words(slot)), "family")


def _of_mine(reading: Reading) -> Fact | None:
    """ "Yasmin is my fiancée", "Ran is my favourite film": what somebody or something by name is to the user."""
    clause, name = reading.clause, reading.subject.key
    complement = clause.object()
    if clause.verb != "be" or reading.subject.kind is not Kind.NAMED or complement is None or clause.negated:
        return None
    owner = clause.sentence.child(complement, "poss")
    if owner is None or owner.low not in _OWN:
        return None
    if any(t.low in _FAVOURITE for t in clause.sentence.children(complement, "amod")):
        what = complement.lemma.lower()
        return Fact(MemoryType.PREFERENCE, f"Their favorite {what} is {name}.", "user", f"favorite_{what}", name)
    relation = relations().get(complement.low)
    if relation is None:
        return None
    key, label = f"{relation} {name}".lower(), f"{relation.capitalize()} {name}"
    person = Subject(Kind.PERSON, key, label, relation, name)
    reading.people.note(person)
    return naming(person)


def _cherished(reading: Reading) -> Fact | None:
    """ "Groundnut soup is my weakness", "mushrooms are my nemesis": what something is to the user's taste."""
    clause = reading.clause
    complement, subject = clause.object(), clause.subject
    if clause.verb != "be" or complement is None or subject is None or clause.negated or clause.tense is Tense.PAST:
        return None
    taste = complement.lemma.lower()
    best = any(t.low in _FAVOURITE for t in clause.sentence.children(complement, "amod"))
    if best and reading.subject.kind is not Kind.NAMED:
        return _favourite(reading, subject, complement)
    mine = any(t.low in _OWN for t in clause.sentence.children(complement, "poss"))
    thing = reading.subject.kind in {Kind.OTHER, Kind.NAMED} and subject.pos in {"NOUN", "PROPN", "VERB"}
    value = reading.named(subject)
    if not (mine and thing and value):
        return None
    if taste not in words("cherished") | words("dreaded"):
        return _of_a_day(reading, subject, complement)
    verb, slot = ("Likes", "likes") if taste in words("cherished") else ("Dislikes", "dislikes")
    return Fact(MemoryType.PREFERENCE, f"{verb} {value}.", "user", slot, value, weight=PLAIN)


def _of_a_day(reading: Reading, subject: Token, complement: Token) -> Fact | None:
    """ "Thursday is my only free evening", "mornings are my best time"."""
    if subject.kind not in {"DATE", "TIME"} and subject.lemma.lower() not in words("time_of_day"):
        return None
    what, be = reading.named(complement), "are" if complement.tag == "NNS" else "is"
    return Fact(MemoryType.PROFILE_FACT, f"Their {what} {be} {subject.text}.", "user", weight=LIGHT, dated="none")


def _favourite(reading: Reading, subject: Token, complement: Token) -> Fact | None:
    """ "Jazz is my favourite music"."""
    s, value = reading.clause.sentence, reading.named(subject)
    mine = any(t.low in _OWN for t in s.children(complement, "poss"))
    if not (mine and value) or reading.of_somebody or subject.pos not in {"NOUN", "PROPN", "VERB"}:
        return None
    what = complement.lemma.lower()
    return Fact(MemoryType.PREFERENCE, f"Their favorite {what} is {value}.", "user", f"favorite_{what}", value)


def _named(reading: Reading) -> Fact | None:
    """ "He's called Kevin", "my dog's name is Rex": the name of somebody who is known."""
    who, name = _who_and_name(reading)
    if name is None or who is None or who.kind not in {Kind.PERSON, Kind.PET} or reading.clause.negated:
        return None
    said = reading.named(name)
    label = f"{who.relation.capitalize()} {said}"
    person = replace(who, name=said, key=f"{who.relation} {said}".lower(), label=label)
    reading.people.note(person)
    return naming(person)


def _who_and_name(reading: Reading) -> tuple[Subject | None, Token | None]:
    clause, subject = reading.clause, reading.subject
    if clause.head.lemma in {"call", "name"} and clause.passive and reading.of_somebody:
        return subject, clause.sentence.child(clause.head, "oprd", "attr", "dobj")
    if clause.verb != "be":
        return subject, None
    complement = clause.object()
    if reading.of_somebody and not subject.name:
        return subject, complement if complement is not None and _is_name(complement) else None
    if clause.subject is None or clause.subject.lemma != "name":
        return subject, None
    owner = clause.sentence.child(clause.subject, "poss")
    if owner is None or owner.low in _OWN:
        return None, complement
    return reading.people.subject(clause.sentence, owner), complement


def _is_name(token: Token) -> bool:
    if (
        not token.text[:1].isupper()
        or token.kind in {"DATE", "LANGUAGE"}
        or token.kind == "NORP"
        and token.pos == "ADJ"
    ):
        return False
    if token.low in words("nationality") | words("religion"):
        return False
    return token.pos in {"PROPN", "NOUN", "ADJ", "X"}
