"""A user's entities by every name they answer to, and which of them a text names; the longest name wins.

Besides the names that memories hold, an entity answers to forms that follow from them and could mean no other of the
user's: the first name, the initials, "mum" for "mother".
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from memory_pipeline.domain.entities.build import Entity
from memory_pipeline.domain.entities.names import (
    UNSPACED,
    fold,
    initialism,
    initials,
    key,
    marked_tokens,
    spoken,
    titled,
    wordset,
)
from memory_pipeline.domain.entities.relations import relation, spellings
from memory_pipeline.domain.entities.statements import USER, Kind
from memory_pipeline.domain.patterns import lazy
from memory_pipeline.domain.text import STOPWORDS

_LONGEST = 6  # words of a name
_WRITTEN = lazy(r"[^\s]+")
_UNSPACED = lazy(f"[{UNSPACED}]")
_HAN = lazy("[\u2e80-\u2fdf\u3005\u3007\u3400-\u9fff]")
_KATAKANA = lazy("[\u30a0-\u30ff]")
_ARABIC_PREFIXES = ("وال", "بال", "فال", "كال", "لل", "ال", "و", "ف", "ب", "ك", "ل")
_HEBREW_PREFIXES = ("ו", "ב", "ל", "מ", "ה", "ש", "כ")
_KOREAN_PARTICLES = lazy(
    "(?:이랑|에서|에게|한테|께서|으로|부터|까지|이라|은|는|이|가|을|를|의|에|께|와|과|랑|도|만|로|씨|님|이는|이가|이의)+$"
)
_SOMEBODY_ELSES = wordset("his her their your")  # "her brother" is not the user's


@dataclass(frozen=True, slots=True)
class _Word:
    """A word of a text.

    Attributes:
        token: folded.
        possessive: it ends in an apostrophe and a short ending.
        capital: it is written with a capital.
    """

    token: str
    possessive: bool
    capital: bool


class Roster:
    """Entities of one user, findable by name. Immutable once made."""

    def __init__(self, entities: Iterable[Entity]) -> None:
        self.entities = tuple(entities)
        self._memories = {e.entity_id: e.memory_ids for e in self.entities}
        self._names: dict[str, set[str]] = defaultdict(set)
        self._described: dict[str, set[str]] = defaultdict(set)
        self._capitals: dict[str, set[str]] = defaultdict(set)  # initialisms, for "New York City" where "NYC" is known
        for entity in self.entities:
            self._add(entity)
        self._add_former()
        self._add_forms()
        unspaced = (name for name in self._names if _UNSPACED.search(name))
        self._unspaced = sorted(unspaced, key=lambda name: (-len(name), name))
        self._last: tuple[tuple[str, bool], frozenset[str]] | None = None  # one query is looked up for several tables
        self._longest = min(_LONGEST, max((name.count(" ") + 1 for name in self._names), default=0))

    def _add(self, entity: Entity) -> None:
        for name in _written(entity):
            who = relation(name) if name in entity.relations or key(name) == key(entity.name) else None
            if who is None or (entity.kind not in (Kind.PERSON, Kind.PET)):
                self._names[key(name)].add(entity.entity_id)
                short = initialism(name)
                if short is not None and entity.kind not in (Kind.PERSON, Kind.PET):
                    self._capitals[short].add(entity.entity_id)
        for who in filter(None, map(relation, entity.relations)):
            for word in spellings(who.base):
                self._described[" ".join((*who.qualifiers, word))].add(entity.entity_id)
                self._described[word].add(entity.entity_id)

    def _add_former(self) -> None:
        """What somebody has been called by who they were to the user, where nobody is that now."""
        former: dict[str, set[str]] = defaultdict(set)
        for entity in self.entities:
            for who in filter(None, (relation(a.name) for a in entity.aliases if a.reason == "relation")):
                for word in spellings(who.base):
                    former[" ".join((*who.qualifiers, word))].add(entity.entity_id)
        for word in former.keys() - self._described.keys():
            self._described[word] = former[word]

    def _add_forms(self) -> None:
        """Forms that no memory holds and that only one entity can have."""
        forms: dict[str, set[str]] = defaultdict(set)
        for entity in self.entities:
            for name in _written(entity):
                for form in _forms(name, entity.kind):
                    forms[form].add(entity.entity_id)
        for form, found in forms.items():
            if len(found) == 1 and form not in self._names:
                self._names[form] = found

    # -- looking up

    def resolve(self, name: str) -> frozenset[str]:
        """Ids of the entities that a whole name may mean; several where it is ambiguous, none where it is unknown."""
        found = self._names.get(key(name)) or self._described.get(key(name)) or set()
        return frozenset(found)

    def of_memory(self, memory_id: str) -> frozenset[str]:
        """Ids of the entities that a memory names."""
        return self._of_memory.get(memory_id, frozenset())

    @cached_property
    def _of_memory(self) -> dict[str, frozenset[str]]:
        of_memory: dict[str, set[str]] = defaultdict(set)
        for entity in self.entities:
            for memory_id in entity.memory_ids:
                of_memory[memory_id].add(entity.entity_id)
        return {i: frozenset(found) for i, found in of_memory.items()}

    def memories(self, entity_ids: Iterable[str]) -> set[str]:
        """Ids of the memories that name one of some entities."""
        return {memory_id for i in entity_ids for memory_id in self._memories[i]}

    def find(self, text: str, *, descriptions: bool = True) -> frozenset[str]:
        """Ids of the entities that a text names.

        Args:
            descriptions: whether "my brother" means one of them; not where the text is another user's.
        """
        last = self._last
        if last is None or last[0] != (text, descriptions):
            last = self._last = ((text, descriptions), self._found(text, descriptions))
        return last[1]

    def _found(self, text: str, descriptions: bool) -> frozenset[str]:
        found: set[str] = set()
        folded = fold(text).replace("・", " ")
        if self._unspaced and _UNSPACED.search(folded):
            found |= self._find_unspaced(folded)
        words = _words(text)
        place = 0
        while place < len(words):
            size, ids = self._longest_at(words, place, descriptions)
            found |= ids
            place += max(size, 1)
        return frozenset(found)

    def _longest_at(self, words: Sequence[_Word], place: int, descriptions: bool) -> tuple[int, set[str]]:
        for size in range(min(self._longest or 1, len(words) - place), 0, -1):
            part = words[place : place + size]
            for form in _spoken(part):
                ids = self._names.get(form)
                if ids and _meant_as_name(form, part, place):
                    return size, ids
        described = self._described_at(words, place) if descriptions else (0, set[str]())
        return described if described[0] else self._spelt_out_at(words, place)

    def _described_at(self, words: Sequence[_Word], place: int) -> tuple[int, set[str]]:
        before = words[place - 1] if place else None
        if before is not None and (before.token in _SOMEBODY_ELSES or (before.possessive and before.token != USER)):
            return 0, set()
        for size in range(min(4, len(words) - place), 0, -1):
            ids = self._described.get(" ".join(w.token for w in words[place : place + size]))
            if ids:
                return size, ids
        return 0, set()

    def _spelt_out_at(self, words: Sequence[_Word], place: int) -> tuple[int, set[str]]:
        """ "New York City", where memories say "NYC"."""
        for size in range(min(_LONGEST, len(words) - place), 1, -1) if self._capitals else ():
            part = words[place : place + size]
            if part[0].capital and part[-1].capital:
                for short in initials(" ".join(w.token for w in part)):
                    if len(self._capitals.get(short, ())) == 1:
                        return size, self._capitals[short]
        return 0, set()

    def _find_unspaced(self, folded: str) -> set[str]:
        found: set[str] = set()
        for name in self._unspaced:
            start = folded.find(name)
            while start >= 0:
                if _whole(folded, start, name):
                    found |= self._names[name]
                    folded = folded[:start] + "\0" * len(name) + folded[start + len(name) :]
                start = folded.find(name, start + 1)
        return found


def _written(entity: Entity) -> Iterator[str]:
    if entity.name != USER:
        yield entity.name
    yield from (alias.name for alias in entity.aliases if alias.reason != "relation")


def _forms(name: str, kind: Kind) -> Iterator[str]:
    words = key(name).split()
    title = titled(name)
    if title is not None:
        yield title[1]
    if kind is Kind.PERSON:
        if len(words) > 1 and title is None:
            yield words[0]
        return
    if kind is Kind.PET:
        return
    for short in initials(key(name)):
        if len(short) > 2:
            yield short
        if kind is Kind.PLACE:
            yield f"{short}c"  # "NYC" for "New York"
    if kind is Kind.PLACE and len(words) > 1:
        head, comma, _ = name.partition(",")
        if comma:
            yield key(head)
        yield f"{key(name)} city" if words[-1] != "city" else " ".join(words[:-1] if len(words) > 2 else words)


def _words(text: str) -> list[_Word]:
    """Words of a text with how each is written; the pieces of one written word share its capital."""
    return [
        _Word(token, possessive, hit.group().lstrip("\"'“(¿¡")[:1].isupper())
        for hit in _WRITTEN.finditer(text)
        for token, possessive in marked_tokens(hit.group())
    ]


def _spoken(part: Sequence[_Word]) -> Iterator[str]:
    """What a run of words may be, without the particles that some languages attach."""
    plain = spoken([w.token for w in part])
    yield plain
    if plain.isascii():
        return
    for prefix in (*_ARABIC_PREFIXES, *_HEBREW_PREFIXES):
        if plain.startswith(prefix) and len(plain) - len(prefix) > 2:
            yield plain.removeprefix(prefix)
            if prefix == "لل":  # "to the" swallows the first letter of the article
                yield "ال" + plain.removeprefix(prefix)
    bare = _KOREAN_PARTICLES.sub("", plain)
    if len(bare) >= 2 and bare != plain:
        yield bare


def _meant_as_name(form: str, part: Sequence[_Word], place: int) -> bool:
    """Whether a name that is also a common word ("Will", "US") is meant: by its capital inside the text."""
    return form not in STOPWORDS or part[0].possessive or (part[0].capital and place > 0)


def _whole(text: str, start: int, name: str) -> bool:
    """Whether a name stands for itself in unspaced text: not in a longer katakana word, nor one Han among others."""
    before, after = text[start - 1 : start], text[start + len(name) : start + len(name) + 1]
    if len(name) == 1:
        return not (_HAN.match(before) or _HAN.match(after))
    inside = _KATAKANA.match(name[0]) and _KATAKANA.match(before)
    return not (inside or (_KATAKANA.match(name[-1]) and _KATAKANA.match(after)))
