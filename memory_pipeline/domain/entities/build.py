"""Entities: who and what a user's memories are about, each once, with every name it goes by (LS-10, LS-18).

A pure function of one user's memories, in any order. Names are one entity only where a memory says so or where a
spelling leaves no choice: the same key, a title, a unique first name, unique initials, a qualified place, the only
brother. Likeness never makes two one, and where two could be meant, they stay apart.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime

from memory_pipeline.domain.entities.aliases import same
from memory_pipeline.domain.entities.mentions import mentions
from memory_pipeline.domain.entities.names import key, proper, titled, tokens
from memory_pipeline.domain.entities.relations import Relation
from memory_pipeline.domain.entities.senses import Sense, senses
from memory_pipeline.domain.entities.statements import USER, Kind, Mention, Naming, Statement
from memory_pipeline.domain.ids import identifier
from memory_pipeline.domain.scope import Scope


@dataclass(frozen=True, slots=True)
class Alias:
    """Another name of an entity, and the memory that it was first read in.

    Attributes:
        reason: ``relation``, ``title``, ``first name``, ``initials``, ``place``, ``stated`` or ``spelling``.
    """

    name: str
    reason: str
    memory_id: str


@dataclass(frozen=True, slots=True)
class Entity:
    """Somebody or something in a user's memories.

    Attributes:
        entity_id: from the owner, the kind, the name and, where two share a name, who it is to the user.
        day: the ledger partition in which its user's memories last changed; where it is stored.
        relations: who it is to the user ("brother", "dog").
        memory_ids: the memories that name it, in order.
        mentions: how often those were said.
        first_seen, last_seen: of those memories, UTC.
    """

    entity_id: str
    tenant_id: str
    user_id: str
    day: date
    name: str
    kind: Kind
    relations: tuple[str, ...]
    aliases: tuple[Alias, ...]
    memory_ids: tuple[str, ...]
    mentions: int
    first_seen: datetime
    last_seen: datetime


def entities(scope: Scope, stated: Iterable[Statement], day: date) -> list[Entity]:
    """The entities of one user, by name; the user is one of them once a memory says what they are called.

    Args:
        day: stored with each.
    """
    found, namings = _read(stated)
    held = {m.relation for m in found if m.relation is not None and m.named and m.statement.living}
    parts = senses(found)
    groups = same(parts, namings)
    made = []
    for group, reasons in groups:
        members = [parts[n] for n in group]
        made.append((_entity(scope, members, day, reasons, held), _who(members)))
    return sorted(_united(_told_apart(scope, made)), key=lambda e: (key(e.name), e.kind, e.entity_id))


def _read(stated: Iterable[Statement]) -> tuple[list[Mention], list[Naming]]:
    found: list[Mention] = []
    namings: list[Naming] = []
    for statement in sorted(stated, key=lambda s: (s.observed_at, s.memory_id)):
        for item in mentions(statement):
            if isinstance(item, Naming):
                namings.append(item)
                found += [Mention(statement, item.one), Mention(statement, item.other)]
            else:
                found.append(item)
    return [m for m in found if m.key], namings


def _entity(
    scope: Scope, group: Sequence[Sense], day: date, reasons: Mapping[str, str], held: Collection[Relation]
) -> Entity:
    all_of_it = [m for sense in group for m in sense.mentions]
    about = {m.statement.memory_id: m.statement for m in all_of_it}
    ordered = sorted(about.values(), key=lambda s: (s.observed_at, s.memory_id))
    name = USER if any(sense.user for sense in group) else _name(group)
    kind = _kind(all_of_it)
    return Entity(
        entity_id=identifier("ent", scope.tenant_id, scope.user_id, key(name), kind),
        tenant_id=scope.tenant_id,
        user_id=scope.user_id,
        day=day,
        name=name,
        kind=kind,
        relations=_relations(all_of_it, held),
        aliases=_aliases(name, all_of_it, reasons),
        memory_ids=tuple(s.memory_id for s in ordered),
        mentions=sum(s.times for s in ordered),
        first_seen=min(s.observed_at for s in ordered),
        last_seen=max(s.referenced_at for s in ordered),
    )


def _name(group: Sequence[Sense]) -> str:
    """The fullest name: a name before a description, more words before fewer, and no title where there is a choice."""

    def rank(sense: Sense) -> tuple[bool, bool, bool, int, int, str]:
        spelling = sense.spelling
        bare = titled(spelling) is None
        return (
            not sense.named,
            not proper(spelling),
            not bare and len(tokens(spelling)) <= 2,
            -len(tokens(spelling)),
            -len(sense.mentions),
            sense.key,
        )

    return min(group, key=rank).spelling


def _kind(found: Sequence[Mention]) -> Kind:
    for faint in (False, True):
        kinds = {m.kind for m in found if m.kind is not None and m.faint == faint}
        if kinds:
            return min(kinds, key=list(Kind).index)
    return Kind.OTHER


def _relations(found: Sequence[Mention], held: Collection[Relation]) -> tuple[str, ...]:
    """What still holds; what has been, where nothing does and nobody else is that now."""
    now = {m.relation.phrase for m in found if m.relation is not None and m.statement.living}
    past = {m.relation for m in found if m.relation is not None}
    if now or not any(m.named for m in found):
        return tuple(sorted(now or {p.phrase for p in past}))
    return tuple(sorted(p.phrase for p in past if not any(p.covers(h) or h.covers(p) for h in held)))


def _aliases(name: str, found: Sequence[Mention], reasons: Mapping[str, str]) -> tuple[Alias, ...]:
    spellings: dict[str, Counter[str]] = defaultdict(Counter)
    first: dict[str, Mention] = {}
    for m in sorted(found, key=lambda m: (m.statement.observed_at, m.statement.memory_id, m.name)):
        spellings[m.key][m.name] += 1
        first.setdefault(m.key, m)
    made = []
    for alias, m in first.items():
        if alias == key(name):
            continue
        written = m.key if not m.named else min(spellings[alias], key=lambda n: (-spellings[alias][n], n))
        made.append(Alias(written, reasons.get(alias, "stated"), m.statement.memory_id))
    for m in found:
        told = m.relation is not None and m.named and m.statement.living
        if m.relation is not None and told and all(key(a.name) != m.relation.phrase for a in made):
            made.append(Alias(m.relation.phrase, "relation", m.statement.memory_id))
    return tuple(sorted(made, key=lambda a: (a.name, a.memory_id)))


def _who(group: Sequence[Sense]) -> str:
    """Everything that it is or has been to the user."""
    return ", ".join(sorted({r.phrase for sense in group for r in sense.relations(living=False)}))


def _told_apart(scope: Scope, made: Sequence[tuple[Entity, str]]) -> list[Entity]:
    """Two of one name and kind carry in their name who they are ("Max (brother)", "Max (friend)")."""
    twice = {i for i, n in Counter(e.entity_id for e, _ in made).items() if n > 1}
    kept = []
    for entity, who in made:
        if entity.entity_id in twice and who:
            name = f"{entity.name} ({who})"
            aliases = (Alias(entity.name, "spelling", entity.memory_ids[0]), *entity.aliases)
            entity_id = identifier("ent", scope.tenant_id, scope.user_id, key(name), entity.kind)
            entity = replace(entity, entity_id=entity_id, name=name, aliases=aliases)
        kept.append(entity)
    return kept


def _united(found: Iterable[Entity]) -> list[Entity]:
    """Entities that even their description does not tell apart are one: nobody could say which of them is meant."""
    held: dict[str, Entity] = {}
    for entity in found:
        other = held.get(entity.entity_id)
        if other is not None:
            entity = replace(
                other,
                relations=tuple(sorted({*other.relations, *entity.relations})),
                aliases=tuple(sorted({*other.aliases, *entity.aliases}, key=lambda a: (a.name, a.memory_id))),
                memory_ids=tuple(dict.fromkeys((*other.memory_ids, *entity.memory_ids))),
                mentions=other.mentions + entity.mentions,
                first_seen=min(other.first_seen, entity.first_seen),
                last_seen=max(other.last_seen, entity.last_seen),
            )
        held[entity.entity_id] = entity
    return list(held.values())
