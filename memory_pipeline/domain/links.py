"""How two memories of one user stand to each other: the typed relations of DL-20 and KN-10. Pure.

The ledger states some (what replaced what, what a pattern rests on), slots and wording show others; cosine and shared
entities only say that two are related.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from typing import NamedTuple

from memory_pipeline.domain.consolidation.slots import Relation, Slot, attribute, relate
from memory_pipeline.domain.entities import Entity
from memory_pipeline.domain.ledger.memory import Status
from memory_pipeline.domain.patterns import lazy
from memory_pipeline.domain.policy import LinkPolicy
from memory_pipeline.domain.proposal import MemoryType
from memory_pipeline.domain.text import content_words, negated, normalise, numbers, overlap, spellings


class LinkKind(StrEnum):
    """What the source of a link is to its target; the first three are certain and come before the others."""

    SUPERSEDES = "supersedes"
    CONTRADICTS = "contradicts"
    CAUSED_BY = "caused_by"
    ELABORATES = "elaborates"
    RELATED = "related"


CERTAIN = (LinkKind.SUPERSEDES, LinkKind.CONTRADICTS, LinkKind.CAUSED_BY)


@dataclass(frozen=True, slots=True)
class Remembered:
    """The current state of a memory, as far as links and entities need it.

    Attributes:
        born: ledger day of its first version.
    """

    memory_id: str
    tenant_id: str
    user_id: str
    born: date
    type: MemoryType
    status: Status
    content: str
    subject: str | None
    attribute: str | None
    value: str | None
    negated: bool
    entities: tuple[str, ...]
    reinforcements: int
    observed_at: datetime
    referenced_at: datetime
    derived_from: tuple[str, ...]
    superseded_by: str | None

    @property
    def slot(self) -> Slot:
        return Slot(self.subject, self.attribute, self.value, self.negated)


class Tie(NamedTuple):
    """A link between two memories, by their places in a list.

    Attributes:
        weight: 1 where the ledger or slots say it, else the cosine, or the share of a reason's words.
        reason: what it rests on.
    """

    source: int
    target: int
    kind: LinkKind
    weight: float
    reason: str


_BECAUSE = lazy(r"\b(?:because(?: of)?|due to|owing to|as a result of|thanks to|on account of)\b(?P<reason>.+)", re.I)
_SO = lazy(r"(?P<reason>.+?)(?:, so|; therefore|, therefore|, which is why|, hence)\b", re.I)
_COMPARABLE = 0.5
_LEAST_WORDS = 2  # one word in common names a topic, not a fact


def ledger_links(memories: Sequence[Remembered]) -> Iterator[Tie]:
    """What the ledger says: what took another's place (RX-20), and what a pattern or a reflection rests on (KN-24)."""
    place = {m.memory_id: n for n, m in enumerate(memories)}
    for n, memory in enumerate(memories):
        successor = place.get(memory.superseded_by or "")
        if successor is not None and successor != n:
            kind = LinkKind.CONTRADICTS if memory.status is Status.CONTRADICTED else LinkKind.SUPERSEDES
            yield Tie(successor, n, kind, 1.0, "superseded_by")
        for member in memory.derived_from:
            if place.get(member, n) != n:
                yield Tie(n, place[member], LinkKind.CAUSED_BY, 1.0, "derived_from")


def denied(memories: Sequence[Remembered], newer: Collection[int]) -> Iterator[Tie]:
    """Pairs whose slots deny each other ("likes coffee", "dislikes coffee"); the later one contradicts.

    Args:
        memories: oldest first.
        newer: places of those that are compared with older ones.
    """
    asked = {place for n in newer for place in _against(memories[n])}
    valued: dict[tuple[str, str, bool], dict[str, set[int]]] = defaultdict(lambda: defaultdict(set))
    held: dict[int, frozenset[str]] = {}
    for n, memory in enumerate(memories):
        key = memory.slot.key
        if key is None or not memory.value or (n not in newer and (*key, memory.negated) not in asked):
            continue
        words = content_words(memory.value) or frozenset({normalise(memory.value)})
        held[n] = words
        for place in _against(memory) if n in newer else ():
            there = valued[place]
            near = set[int]().union(*(there[word] for word in words if word in there))
            for m in sorted(m for m in near if _comparable(words, held[m])):
                if relate(memory.slot, memories[m].slot) is Relation.DENIED:
                    yield Tie(n, m, LinkKind.CONTRADICTS, 1.0, "slot")
        for word in words:
            valued[key[0], key[1], memory.negated][word].add(n)


def _against(memory: Remembered) -> list[tuple[str, str, bool]]:
    """Subject, attribute and negation of what denies a memory."""
    key = memory.slot.key
    if key is None or not memory.value:
        return []
    opposite = attribute(key[1]).opposite
    return [(key[0], key[1], not memory.negated)] + ([(key[0], opposite, memory.negated)] if opposite else [])


def _comparable(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether two values can be the same at all (``slots.same_value`` decides): cheap, for there are many pairs."""
    return one <= other or other <= one or overlap(one, other) >= _COMPARABLE


def reasons(memories: Sequence[Remembered], newer: Collection[int], policy: LinkPolicy) -> Iterator[Tie]:
    """Memories that give another one as their reason: "… because the browser froze" ← "The browser freezes …".

    The reason must share two content words, and the policy's share of the fewer words, with an earlier memory.

    Args:
        memories: oldest first.
        newer: places of those whose reasons are looked for.
    """
    given_by = {n: words for n in newer if (words := content_words(reason(memories[n].content)))}
    asked = frozenset().union(*given_by.values())
    spelt = tuple({part for word in asked for part in spellings(word)})
    holding: dict[str, list[int]] = defaultdict(list)
    for n, memory in enumerate(memories[: max(given_by, default=-1) + 1]):
        given = given_by.get(n, frozenset())
        text = normalise(memory.content)
        if not given and not any(part in text for part in spelt):
            continue
        words = content_words(memory.content) & asked
        shared = Counter(m for word in given for m in holding[word]) if given else Counter[int]()
        for m, count in sorted(shared.items()):
            share = count / min(len(given), len(content_words(memories[m].content)))
            if count >= _LEAST_WORDS and share >= policy.reason_overlap and memories[m].derived_from == ():
                yield Tie(n, m, LinkKind.CAUSED_BY, round(min(share, 1.0), 4), "because")
        for word in words:
            holding[word].append(n)


def reason(content: str) -> str:
    """The clause in which a sentence gives its reason; empty where it gives none."""
    hit = _BECAUSE.search(content) or _SO.match(content)
    return hit["reason"].strip() if hit else ""


def elaborates(one: Remembered, other: Remembered) -> bool:
    """Whether one says all that the other says of the same subject, and more."""
    more, less = content_words(one.content), content_words(other.content)
    return (
        more > less
        and len(less) >= _LEAST_WORDS
        and normalise(one.subject or "user") == normalise(other.subject or "user")
        and numbers(other.content) <= numbers(one.content)
        and negated(one.content) == negated(other.content)
    )


def specific(entity: Entity, policy: LinkPolicy) -> bool:
    """Whether few enough memories name an entity for two of them to have to do with each other."""
    return len(entity.memory_ids) <= policy.entity_memories
