"""Which senses of which names are one entity: stated outright, or left no choice by the way names are formed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from memory_pipeline.domain.entities.names import initialism, initials, key, titled
from memory_pipeline.domain.entities.relations import Relation
from memory_pipeline.domain.entities.senses import Sense
from memory_pipeline.domain.entities.statements import Naming

_Pair = tuple[int, int, str]
_NO_BEING = frozenset({"place", "thing", "metric", ""})


class _Groups:
    """Senses that have been found to be one, as disjoint sets."""

    def __init__(self, senses: Sequence[Sense]) -> None:
        self.senses = senses
        self._parent = list(range(len(senses)))
        self.by_key: dict[str, list[int]] = defaultdict(list)
        for n, sense in enumerate(senses):
            self.by_key[sense.key].append(n)

    def root(self, n: int) -> int:
        while self._parent[n] != n:
            self._parent[n] = n = self._parent[self._parent[n]]
        return n

    def join(self, pairs: Iterable[_Pair], reasons: dict[int, str]) -> None:
        """Join pairs that are settled; each gives the reason why the first sense's name is an alias."""
        for one, other, reason in list(pairs):
            reasons.setdefault(one, reason)
            low, high = sorted((self.root(one), self.root(other)))
            self._parent[high] = low

    def only(self, found: Iterable[int]) -> int | None:
        """One of the senses, if all of them are one entity."""
        ordered = sorted(found)
        return ordered[0] if len({self.root(n) for n in ordered}) == 1 else None

    def lone(self, name: str) -> int | None:
        """The sense of a key that has only one."""
        found = self.by_key.get(name, [])
        return found[0] if len(found) == 1 else None

    def members(self) -> list[list[int]]:
        found: dict[int, list[int]] = defaultdict(list)
        for n in range(len(self.senses)):
            found[self.root(n)].append(n)
        return list(found.values())


def same(senses: Sequence[Sense], namings: Iterable[Naming]) -> list[tuple[list[int], Mapping[str, str]]]:
    """Groups of senses that are one entity, and for each of their keys why it is another name of it.

    Each rule is settled for all names at once before the next begins, so no order of memories matters.
    """
    groups = _Groups(senses)
    reasons: dict[int, str] = {}
    groups.join(_users(groups), reasons)
    groups.join(_stated(groups, namings), reasons)
    rules: tuple[Callable[[_Groups], Iterator[_Pair]], ...] = (
        _titles,
        _title_and_surname,
        _places,
        _initials,
        _first_names,
        _descriptions,
    )
    for rule in rules:
        groups.join(rule(groups), reasons)
    return [(members, {senses[n].key: reasons[n] for n in members if n in reasons}) for members in groups.members()]


def _users(groups: _Groups) -> Iterator[_Pair]:
    own = [n for n, sense in enumerate(groups.senses) if sense.user]
    for n in own[1:]:
        yield n, own[0], "stated"


def _stated(groups: _Groups, namings: Iterable[Naming]) -> Iterator[_Pair]:
    for naming in namings:
        if not naming.statement.living:
            continue
        ends = [_meant(groups, name, naming) for name in (naming.other, naming.one)]
        if ends[0] is not None and ends[1] is not None and not _apart(groups.senses[ends[0]], groups.senses[ends[1]]):
            yield ends[0], ends[1], "stated"


def _meant(groups: _Groups, name: str, naming: Naming) -> int | None:
    """The sense of a name that the memory itself speaks of."""
    found = groups.by_key.get(key(name), [])
    here = [n for n in found if any(m.statement is naming.statement for m in groups.senses[n].mentions)]
    return here[0] if len(here) == 1 else None


def _apart(one: Sense, other: Sense) -> bool:
    """Whether two senses cannot be one being, whatever their names."""
    if one.group and other.group and one.group != other.group:
        return {one.group, other.group} != {"user", "person"}
    left, right = one.relations(living=False), other.relations(living=False)
    return any(a.excludes(b) for a in left for b in right)


def _titles(groups: _Groups) -> Iterator[_Pair]:
    """ "Dr. Patel" and "Patel", unless there is a "Mrs. Patel", too."""
    bare: dict[str, list[int]] = defaultdict(list)
    for n, sense in enumerate(groups.senses):
        title = titled(sense.spelling) if sense.named else None
        if title is not None:
            bare[title[1]].append(n)
    for rest, with_title in bare.items():
        plain, only = groups.lone(rest), groups.only(with_title)
        if plain is not None and only is not None and not _apart(groups.senses[plain], groups.senses[only]):
            yield only, plain, "title"


def _title_and_surname(groups: _Groups) -> Iterator[_Pair]:
    """ "Dr. Patel" and the only "Dr. Anita Patel"."""
    full: dict[tuple[str, str], list[int]] = defaultdict(list)
    short: list[tuple[tuple[str, str], int]] = []
    for n, sense in enumerate(groups.senses):
        title = titled(sense.spelling) if sense.named else None
        if title is not None and title[0]:
            words = title[1].split()
            if len(words) > 1:
                full[title[0], words[-1]].append(n)
            else:
                short.append(((title[0], words[0]), n))
    for surname, n in short:
        only = groups.only(full.get(surname, ()))
        if only is not None and not _apart(groups.senses[n], groups.senses[only]):
            yield n, only, "title"


def _places(groups: _Groups) -> Iterator[_Pair]:
    """ "Berlin" and the only "Berlin, Connecticut"; "New York" and "New York City", but not Mexico and its capital."""
    qualified: dict[str, list[int]] = defaultdict(list)
    for n, sense in enumerate(groups.senses):
        if sense.group not in ("place", "") or not sense.named:
            continue
        head, comma, _ = sense.spelling.partition(",")
        if comma and key(head):
            qualified[key(head)].append(n)
        elif sense.key.endswith(" city") and len(sense.key.split()) > 2:
            qualified[sense.key.removesuffix(" city")].append(n)
    for head, found in qualified.items():
        plain, only = groups.lone(head), groups.only(found)
        if plain is None or only is None:
            continue
        kinds = {groups.senses[plain].group, groups.senses[only].group}
        if "place" in kinds and kinds <= {"place", ""}:
            yield plain, only, "place"


def _initials(groups: _Groups) -> Iterator[_Pair]:
    """ "NYC" and the only name of several words that it can stand for; never of a being."""
    full: dict[str, list[int]] = defaultdict(list)
    for n, sense in enumerate(groups.senses):
        if sense.named and sense.group in _NO_BEING:
            for short in initials(sense.key):
                full[short].append(n)
    for n, sense in enumerate(groups.senses):
        short_ = initialism(sense.spelling) if sense.named and sense.group in _NO_BEING else None
        if short_ is None:
            continue
        found = full.get(short_, [])
        if not found and short_.endswith("c"):  # "NYC" and "New York"
            found = [m for m in full.get(short_[:-1], ()) if groups.senses[m].group == "place" and len(short_) > 2]
        fitting = [m for m in found if not _apart(sense, groups.senses[m])]
        only = groups.only(fitting) if fitting else None
        if only is not None:
            yield n, only, "initials"


def _first_names(groups: _Groups) -> Iterator[_Pair]:
    """ "Max" and the only "Max …" among people; a dog Max is nobody's first name."""
    full: dict[str, list[int]] = defaultdict(list)
    for n, sense in enumerate(groups.senses):
        words = sense.key.split()
        if sense.named and len(words) > 1 and sense.group in ("person", "") and titled(sense.spelling) is None:
            full[words[0]].append(n)
    for first, found in full.items():
        for n in groups.by_key.get(first, ()):
            sense = groups.senses[n]
            only = groups.only(found)
            if only is None or not sense.named or (sense.group != "person" and not (sense.alone and not sense.group)):
                continue
            if (sense.human or groups.senses[only].human) and not _apart(sense, groups.senses[only]):
                yield n, only, "first name"


def _descriptions(groups: _Groups) -> Iterator[_Pair]:
    """ "Brother" and the only brother whose name is known, unless there are said to be several."""
    named = [(n, s) for n, s in enumerate(groups.senses) if s.named and s.group in ("person", "pet")]
    several = {r.base for s in groups.senses for m in s.mentions if m.relation is not None and (r := m.relation).plural}
    for n, sense in enumerate(groups.senses):
        if sense.named:
            continue
        (who,) = {_plain(r) for r in sense.relations(living=False)}
        if who.base in several:
            continue
        for living in (True, False):
            found = [m for m, s in named if any(who.covers(r) for r in s.relations(living=living))]
            if found:
                only = groups.only(found)
                if only is not None:
                    yield n, only, "relation"
                break


def _plain(who: Relation) -> Relation:
    return Relation(who.base, who.qualifiers)
