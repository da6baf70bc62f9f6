"""The wordings in which memories are stated: who is called what, which names are one, what a phrase holds."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from memory_pipeline.domain.entities.names import DETERMINERS, key, proper, tokens, wordset
from memory_pipeline.domain.entities.relations import Relation, leading, relation, relation_of, title_like
from memory_pipeline.domain.entities.statements import USER, Kind, Mention, Naming, Statement
from memory_pipeline.domain.patterns import lazy

_PLACES = wordset("city town village island river lake park street café cafe restaurant bar pub shop store")
_ORGANISATIONS = wordset("company startup agency firm employer studio club band university school")
_PRODUCTS = wordset("app tool library service product framework website")
_NOUNS = {
    **dict.fromkeys(_PLACES, Kind.PLACE),
    **dict.fromkeys(_ORGANISATIONS, Kind.ORGANISATION),
    **dict.fromkeys(_PRODUCTS, Kind.PRODUCT),
    "project": Kind.PROJECT,
}
AND = lazy(r", and |, | and | & ")
_NAME = r"[^\W\d_a-z][\w'’.-]*(?: [^\W\d_a-z][\w'’.-]*){0,3}"
_CALLED = lazy(
    rf"(?P<before>(?:[\w'’-]+ ){{1,5}})(?:is |was |are |were )?(?:called|named) "
    rf"(?P<names>{_NAME}(?:(?:{AND.pattern}){_NAME})*)"
)
_HAS_NAME = lazy(rf"^(?P<phrase>[\w-]+(?: [\w-]+){{0,2}})['’]s? name is (?P<name>{_NAME})")
_IS_THEIR = lazy(rf"^(?P<name>{_NAME}) is (?:the user['’]s|their|his|her|my) (?P<phrase>[\w -]+?)(?:[.,]|$)")
_CALLS = lazy(r"^Calls (?P<thing>.+?)[.]?$")
_ALSO = lazy(
    rf"(?P<one>{_NAME}),?(?: is)? (?:also known as|known as|nicknamed|aka|a\.k\.a\.|short for) [\"“]?(?P<other>{_NAME})"
)
# Found in few sentences, and sooner than the patterns above.
_ALIKE = lazy(r"known as|nicknamed|aka|a\.k\.a\.|short for")
_NAMING = lazy(r"called|named|name is| is (?:the user['’]s|their|his|her|my) ")
TELLING = rf"{_ALIKE.pattern}|{_NAMING.pattern}|^Calls "
"""Found in every content that itself says what something is called; RE2 reads it, too."""
_IN_BRACKETS = lazy(r"^(?P<name>.+?)(?: \(| ?, )(?:(?:my|the user's|their) )?(?P<phrase>[\w -]+?)\)?$")
_THE = lazy(r"^(?P<name>.+?) the (?P<phrase>[\w -]+)$", re.I)
_OF_OTHERS = lazy(r"['’]s? \w")  # "Max's wife"
_LONGEST_THING = 4  # words of what a nickname is for


def namings(s: Statement) -> Iterator[Naming]:
    """ "Maximilian, also known as Max"; "Calls the oven Sakura-san"."""
    if s.negated:
        return
    for hit in _ALSO.finditer(s.content) if _ALIKE.search(s.content) else ():
        yield Naming(s, hit["one"], hit["other"].rstrip("."))
    calls = _CALLS.match(s.content)
    if calls and s.value and calls["thing"].endswith(s.value):
        thing = calls["thing"].removesuffix(s.value).strip(" \"'“")
        if 0 < len(tokens(thing)) <= _LONGEST_THING:
            yield Naming(s, thing, s.value)


def mentions_by_name(s: Statement) -> Iterator[Mention]:
    """ "Has a sister called Nora", "Max is their dog", "a café named Rosenfeld"; of people only the user's own."""
    if s.negated or not _NAMING.search(s.content):
        return
    for hit in _CALLED.finditer(s.content):
        words = tokens(hit["before"])
        kind = _NOUNS.get(words[-1]) if words else None
        if kind is not None:
            yield from (Mention(s, name.rstrip("."), kind) for name in AND.split(hit["names"]))
    own = s.subject is None or key(s.subject) == USER or relation(s.subject) is not None
    yield from _people(s, own)


def _people(s: Statement, own: bool) -> Iterator[Mention]:
    for hit in _CALLED.finditer(s.content) if own else ():
        words = tokens(hit["before"])
        found = next((r for n in range(len(words)) if (r := relation_of(tuple(words[n:])))), None)
        if found is not None and not _of_others(hit["before"]):
            yield from (known_as(s, name, found) for name in AND.split(hit["names"]))
    for pattern in (_HAS_NAME, _IS_THEIR) if own else (_IS_THEIR,):
        named = pattern.match(s.content)
        if named and (who := relation(named["phrase"])) is not None:
            yield known_as(s, named["name"], who)


def said_of(s: Statement, *, pet: bool) -> Relation | None:
    """The only relation (or animal) that the sentence names; None where it names none, or several."""
    words = tokens(s.content)
    found = {at[0] for n in range(len(words)) if (at := leading(tuple(words[n:]))) is not None and at[0].pet == pet}
    if len({r.base for r in found}) != 1:
        return None
    longest = max(found, key=lambda r: (len(r.qualifiers), r))
    return Relation(longest.base, longest.qualifiers)


def known_as(s: Statement, name: str, who: Relation | None) -> Mention:
    """Somebody whose name and relation are both stated."""
    plain = None if who is None else Relation(who.base, who.qualifiers)
    return Mention(s, name.rstrip("."), _kind(who), plain)


def phrase(s: Statement, text: str, *, leads: bool) -> Mention:
    """A name or a description, apart where a text holds both: "brother Max", "Max the dog", "Max (my brother)".

    Args:
        leads: the text stands alone or at the start of a sentence, where a capital says nothing.
    """
    name, who, named = _parsed(text, leads)
    return known_as(s, name, who) if named else Mention(s, name, _kind(who), who, named=False)


@lru_cache(maxsize=16384)
def _parsed(text: str, leads: bool) -> tuple[str, Relation | None, bool]:
    """Name, relation, and whether the text holds a name at all."""
    if _of_others(text):
        return text, None, True
    who = relation(text)
    if who is not None:
        return text, who, False
    for pattern in (_IN_BRACKETS, _THE):
        hit = pattern.match(text)
        if hit and (who := relation(hit["phrase"])) is not None and key(hit["name"]):
            return hit["name"], who, True
    words = [w for w in text.split() if key(w) not in DETERMINERS]
    before = leading(tuple(t for w in words for t in tokens(w)))
    if before is not None:
        rest = _after(words, before[1])
        if proper(rest) and (words[0].islower() or title_like(key(words[0])) or (leads and before[0].kin)):
            return rest, before[0], True
    return text, None, True


def _kind(who: Relation | None) -> Kind | None:
    return None if who is None else Kind.PET if who.pet else Kind.PERSON


def _of_others(text: str) -> bool:
    return _OF_OTHERS.search(text.replace("user's ", "").replace("user’s ", "")) is not None


def _after(words: list[str], count: int) -> str:
    """What follows the words that hold the first ``count`` tokens."""
    taken = 0
    while words and taken < count:
        taken += len(tokens(words[0]))
        words = words[1:]
    return " ".join(words)
