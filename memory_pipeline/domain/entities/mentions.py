"""What a memory says of who and what there is: the names in it, what kind of thing each is, who it is to the user.

Read off slots and off the wording in which facts are stated ("Has a sister called Nora."). Nothing is guessed from
likeness, and no model is asked.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from memory_pipeline.domain.entities.names import DETERMINERS, key, proper, tokens, wordset
from memory_pipeline.domain.entities.relations import Relation, relation
from memory_pipeline.domain.entities.statements import USER, Kind, Mention, Naming, Statement
from memory_pipeline.domain.entities.wordings import AND, known_as, mentions_by_name, namings, phrase, said_of
from memory_pipeline.domain.text import normalise

_KINDS = {
    **dict.fromkeys(("residence", "hometown", "visited", "birthplace", "location"), Kind.PLACE),
    **dict.fromkeys(("employer", "company", "school", "university", "team", "client", "customer"), Kind.ORGANISATION),
    **dict.fromkeys(("tool", "product", "service", "software", "device", "framework", "platform"), Kind.PRODUCT),
    "project": Kind.PROJECT,
    **dict.fromkeys(("family", "partner", "friend", "colleague", "boss"), Kind.PERSON),
    "pet": Kind.PET,
}
_BEINGS = frozenset({Kind.PERSON, Kind.PET})
_ANY_CASE = frozenset({Kind.PRODUCT, Kind.PROJECT})  # "uv", "pandas"
_MOST_WORDS = {Kind.PRODUCT: 3, Kind.PROJECT: 4, Kind.PLACE: 5, Kind.ORGANISATION: 6, Kind.PERSON: 4, Kind.PET: 3}
_OF_PEOPLE = wordset("occupation employer education relationship_status nationality partner team language pronouns")
_LIKELY_OF_PEOPLE = wordset("plan goal hobby habit project skill learning visited hometown residence current_field")
_OWN_NAMES = wordset("name preferred_name full_name nickname alias")
_MEASURES = wordset("weight height blood_pressure heart_rate pace steps metric")
_MEASURE_ENDINGS = ("_rate", "_count", "_score", "_ratio", "_share", "_latency", "_pressure")
_DAYS = "monday tuesday wednesday thursday friday saturday sunday today tomorrow yesterday"
_MONTHS = "january february march april may june july august september october november december"
_DATES = wordset(f"{_DAYS} {_DAYS.replace(' ', 's ')} {_MONTHS}")


def mentions(statement: Statement) -> Iterator[Mention | Naming]:
    """Every name in a memory, with what the memory tells of it, and what it says of names that are one."""
    yield from _subject(statement)
    yield from _value(statement)
    yield from namings(statement)
    yield from mentions_by_name(statement)
    for name in statement.entities:
        yield from _listed(statement, name)


def slots_name(subject: str | None = None, attribute: str | None = None) -> bool:
    """Whether the slots of a memory may name something. Where they do not, only its list of entities does, or a content
    that matches ``wordings.TELLING``."""
    if subject is not None and subject != USER:
        return True
    return bool(attribute) and (
        _KINDS.get(name := _slot(str(attribute))) is not None or name in _OWN_NAMES or _measure(name)
    )


def _slot(attribute: str) -> str:
    return normalise(attribute).replace(" ", "_")


def _measure(attribute: str) -> bool:
    return attribute in _MEASURES or attribute.endswith(_MEASURE_ENDINGS)


def _subject(s: Statement) -> Iterator[Mention | Naming]:
    if s.subject is None or key(s.subject) in (USER, ""):
        return
    found = phrase(s, s.subject, leads=True)
    if found.kind is None and not s.negated:
        if s.attribute == "breed":
            found = Mention(s, found.name, Kind.PET)
        elif s.attribute in _OF_PEOPLE or s.attribute in _LIKELY_OF_PEOPLE:
            found = Mention(s, found.name, Kind.PERSON, faint=s.attribute not in _OF_PEOPLE)
    yield found
    if s.negated or not s.value:
        return
    if s.attribute == "relation_to_user":
        yield known_as(s, found.name, relation(s.value))
    if s.attribute in _OWN_NAMES:
        yield Naming(s, found.name, s.value) if found.named else Mention(s, s.value, found.kind, found.relation)


def _value(s: Statement) -> Iterator[Mention]:
    if not s.attribute or not s.value:
        return
    own = s.subject is None or key(s.subject) == USER
    attribute = _slot(s.attribute)
    if own and attribute in _OWN_NAMES and not s.negated:
        yield Mention(s, s.value, Kind.PERSON, user=True)
    if own and _measure(attribute):
        yield Mention(s, s.value if attribute == "metric" else attribute.replace("_", " "), Kind.METRIC)
    kind = _KINDS.get(attribute)
    if kind is None:
        return
    for part in AND.split(s.value) if kind in _BEINGS else s.value.split(" and "):
        found = phrase(s, part, leads=True)
        if not found.named:
            if own:
                yield found
        elif _nameable(found.name, kind):
            yield Mention(s, found.name, kind, _told(s, found, attribute) if own and kind in _BEINGS else None)


def _told(s: Statement, found: Mention, attribute: str) -> Relation | None:
    """Who a relative, a friend or a pet is: as the value says, else the sentence, else the attribute."""
    if found.relation is not None or s.negated:
        return found.relation
    return said_of(s, pet=attribute == "pet") or (relation(attribute) if attribute != "pet" else None)


def _nameable(text: str, kind: Kind) -> bool:
    words = tokens(text)
    if not 0 < len(words) <= _MOST_WORDS[kind] or (words[0] in DETERMINERS and not proper(text)):
        return False
    return proper(text) or kind in _ANY_CASE


def _listed(s: Statement, name: str) -> Iterator[Mention]:
    words = _words(name)
    if not words or words == [USER] or all(w in _DATES or w.isdigit() for w in words):
        return
    if len(words) == 1 and len(words[0]) == 1 and words[0].isascii():
        return
    who = relation(s.subject) if s.subject and s.subject != USER else None
    if who is not None and words == tokens(s.content)[len(tokens(s.subject or "")) :][: len(words)] and proper(name):
        yield known_as(s, name, who)  # "Brother Dan lives in Oslo."
    else:
        yield phrase(s, name, leads=False)


@lru_cache(maxsize=16384)
def _words(name: str) -> list[str]:
    return tokens(name)
