"""One name, several things: the mentions of a name are parted by what is said of them (a dog Max, a brother Max)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from memory_pipeline.domain.entities.relations import Relation
from memory_pipeline.domain.entities.statements import Kind, Mention

_CLASSES = {
    Kind.PERSON: "person",
    Kind.PET: "pet",
    Kind.PLACE: "place",
    Kind.METRIC: "metric",
    # A company and what it makes go by one name.
    Kind.ORGANISATION: "thing",
    Kind.PROJECT: "thing",
    Kind.PRODUCT: "thing",
}


@dataclass(frozen=True, slots=True)
class Sense:
    """One thing that goes by a name.

    Attributes:
        group: ``user``, ``person``, ``pet``, ``place``, ``metric``, ``thing``, or empty where nothing tells.
        alone: no other sense has this key.
    """

    key: str
    group: str
    alone: bool
    mentions: tuple[Mention, ...]

    @property
    def user(self) -> bool:
        return self.group == "user"

    @property
    def named(self) -> bool:
        """Whether it goes by a name, not only by a description ("brother")."""
        return any(m.named for m in self.mentions)

    @property
    def human(self) -> bool:
        """Whether it is, or is likely to be, a person."""
        return self.group == "person" or (not self.group and any(m.kind is Kind.PERSON for m in self.mentions))

    @property
    def spelling(self) -> str:
        """The most frequent way of writing it, capitals first."""
        if not self.named:
            return self.key
        written = Counter(m.name for m in self.mentions if m.named)
        return min(written, key=lambda n: (-written[n], n))

    def relations(self, *, living: bool) -> frozenset[Relation]:
        """Who it is to the user; ``living``: by what has not been superseded."""
        return frozenset(
            m.relation for m in self.mentions if m.relation is not None and (m.statement.living or not living)
        )


def senses(found: Sequence[Mention]) -> list[Sense]:
    """The senses of every name, in an order that does not depend on that of the mentions."""
    by_key: dict[tuple[str, bool], list[Mention]] = defaultdict(list)
    for mention in found:
        by_key[mention.key, mention.named].append(mention)
    made: list[Sense] = []
    for (name, named), all_of_it in sorted(by_key.items()):
        parts = _parted(all_of_it) if named else [("", all_of_it)]
        made += [Sense(name, group, len(parts) == 1, tuple(some)) for group, some in parts]
    return made


def _parted(found: Sequence[Mention]) -> list[tuple[str, list[Mention]]]:
    """Mentions of one key by what they mean; those that do not tell go to the only meaning there is, or stay apart."""
    parts: dict[str, list[Mention]] = defaultdict(list)
    rest: list[Mention] = []
    users = any(m.user for m in found)
    for mention in found:
        if mention.user:
            parts["user"].append(mention)
        elif mention.kind is None or mention.faint or (users and mention.kind is Kind.PERSON and not mention.relation):
            rest.append(mention)
        else:
            parts[_CLASSES[mention.kind]].append(mention)
    split: list[tuple[str, list[Mention]]] = []
    for group, some in sorted(parts.items()):
        told, open_ = _by_relation(some) if group in ("person", "pet") else ([some], [])
        split += [(group, part) for part in told]
        rest += open_
    if len(split) == 1:
        return [(split[0][0], split[0][1] + rest)]
    apart: list[Mention] = []
    for mention in rest:
        there = [part for _, part in split if any(m.statement is mention.statement for m in part)]
        (there[0] if len(there) == 1 else apart).append(mention)
    return split + ([("", apart)] if apart else [])


def _by_relation(found: Sequence[Mention]) -> tuple[list[list[Mention]], list[Mention]]:
    """Beings of one name who exclude each other, and the mentions that do not say which of them is meant."""
    said = sorted({m.relation for m in found if m.relation is not None}, key=lambda r: (r.general, r))
    groups: list[set[Relation]] = []
    for relation in said:
        fitting = [g for g in groups if not any(relation.excludes(other) for other in g)]
        if len(fitting) == 1:
            fitting[0].add(relation)
        else:
            groups.append({relation})
    if len(groups) <= 1:
        return [list(found)], []
    parts = [[m for m in found if m.relation in group] for group in groups]
    return parts, [m for m in found if m.relation is None]
