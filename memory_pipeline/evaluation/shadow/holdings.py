"""What a home holds of some users, out of the lake: the witness that replayed reads are held against.

It goes by the ledger and not by the index or the reader, so that a fault of theirs shows.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from memory_pipeline.domain.classification import Classifier
from memory_pipeline.domain.ledger.memory import MemoryVersion, Status, fold
from memory_pipeline.domain.proposal import Surface
from memory_pipeline.domain.scope import Scope
from memory_pipeline.domain.text import normalise
from memory_pipeline.evaluation.isolation.markings import (
    AGENT,
    CLASS,
    DOMAIN,
    SESSION,
    Bounds,
    Markings,
    crossed_by_all,
    markings,
)
from memory_pipeline.storage.parquet.lake import Lake, scopes_in, scopes_table
from memory_pipeline.storage.queries.ledger import versions_of


@dataclass
class Holding:
    """What one user has, by id.

    Attributes:
        memories: in their current version.
        messages: number of sessions that have a message of that id.
        texts: of messages and summaries.
        by_words: memories by what they say.
        taken_back: ids of messages that are not shown any more.
        markings: where everything belongs and how sensitive it is, by the home in force.
    """

    memories: dict[str, MemoryVersion] = field(default_factory=dict)
    messages: dict[str, int] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    by_words: dict[str, list[MemoryVersion]] = field(default_factory=lambda: defaultdict(list))
    taken_back: set[str] = field(default_factory=set)
    markings: Markings = field(default_factory=dict)

    def add(self, memory: MemoryVersion) -> None:
        """Take in a current memory."""
        self.memories[memory.memory_id] = memory
        self.by_words[normalise(memory.content)].append(memory)
        self.taken_back.update(memory.taken_back)

    def evidence(self, item_id: str) -> tuple[str, ...]:
        """The messages that an item rests on, in order; the item itself where it rests on none."""
        memory = self.memories.get(item_id)
        if memory is None:
            return (item_id,)
        return tuple(dict.fromkeys(e.message_id for e in memory.evidence)) or (item_id,)

    def holds(self, item_id: str) -> bool:
        """Whether it is an item of this user."""
        return item_id in self.memories or item_id in self.texts

    def content(self, item_id: str) -> str:
        """What an item says; empty where it is not known."""
        memory = self.memories.get(item_id)
        return self.texts.get(item_id, "") if memory is None else memory.content

    def like(self, memory: MemoryVersion) -> Collection[MemoryVersion]:
        """The memories that are, or say, the same."""
        same = self.memories.get(memory.memory_id)
        return [*self.by_words.get(normalise(memory.content), ()), *([same] if same else ())]

    def forgotten(self, item_id: str) -> bool:
        """Whether the user has taken it back. A message id that several sessions share does not tell which is meant."""
        memory = self.memories.get(item_id)
        if memory is not None:
            return memory.forgotten
        return self.messages.get(item_id) == 1 and item_id in self.taken_back


def _stands(memory: MemoryVersion) -> bool:
    return memory.status in (Status.ACTIVE, Status.STALE) and not memory.forgotten


@dataclass
class Holdings:
    """What a home holds of some users."""

    of: dict[Scope, Holding]
    shared: dict[tuple[str, str], MemoryVersion]

    @classmethod
    def read(cls, lake: Lake, scopes: Iterable[Scope], classes: Classifier) -> Holdings:
        """Everything of some users, and what others of their tenants share.

        Args:
            classes: of messages, by the home in force: a candidate does not bring those that it is judged by.
        """
        wanted = sorted(set(scopes))
        of = {scope: Holding() for scope in wanted}
        for memory in fold(versions_of(lake, wanted)).values():
            of[memory.scope].add(memory)
        asked = {"wanted": scopes_table(wanted)}
        for row in lake.sql(
            "SELECT tenant_id, user_id, message_id AS id, count(DISTINCT session_id) AS n, any_value(content) AS text "
            "FROM messages SEMI JOIN wanted USING (tenant_id, user_id) GROUP BY ALL",
            tables=asked,
        ).to_pylist():
            holding = of[Scope(row["tenant_id"], row["user_id"])]
            holding.messages[row["id"]], holding.texts[row["id"]] = row["n"], row["text"]
        for row in lake.sql(
            "SELECT tenant_id, user_id, summary_id AS id, text FROM summaries "
            "SEMI JOIN wanted USING (tenant_id, user_id)",
            tables=asked,
        ).to_pylist():
            of[Scope(row["tenant_id"], row["user_id"])].texts[row["id"]] = row["text"]
        for scope, found in markings(lake, wanted, classes).items():
            of[scope].markings = found
        others = fold(versions_of(lake, sharing(lake, {scope.tenant_id for scope in wanted})))
        return cls(of, {(m.tenant_id, m.memory_id): m for m in others.values() if m.shared})

    def faults(self, scope: Scope, item_id: str, bounds: Bounds, include_shared: bool, before: Holdings) -> list[str]:
        """What is wrong with returning an item to a read; see ``ab_report.FAULTS``.

        Args:
            bounds: of the read.
            before: what the home in force holds: what it withholds may not come out by being made anew.
        """
        own = self.of[scope]
        memory = own.memories.get(item_id)
        if memory is None and include_shared:
            memory = self.shared.get((scope.tenant_id, item_id))
        if memory is None and not own.holds(item_id):
            return ["foreign"]
        known = before.of[scope]
        found = {_OF_BOUND[b] for b in crossed_by_all(own.markings.get(item_id, ()), bounds)}
        if memory is not None:
            alike = [memory, *(known.like(memory) if memory.scope == scope else ())]
            if not all(bounds.ceiling.permits(m.classification) for m in alike):
                found.add("above_ceiling")
        if own.forgotten(item_id) or (memory is not None and _taken_back(memory, known)):
            found.add("forgotten")
        return sorted(found)

    def avoided(self, scope: Scope, item_id: str, before: Holdings) -> bool:
        """Whether an item is a memory that must not be brought up, here or in what is in force (DL-23)."""
        memory = self.of[scope].memories.get(item_id)
        if memory is None:
            return False
        return any(
            m.surface is Surface.AVOID and m.status is Status.ACTIVE for m in (memory, *before.of[scope].like(memory))
        )


_OF_BOUND = {
    CLASS: "above_ceiling",
    DOMAIN: "other_domain",
    AGENT: "other_agent",
    SESSION: "other_session",
}


def _taken_back(memory: MemoryVersion, known: Holding) -> bool:
    """Whether what is in force has this memory, or its words, as forgotten, and nothing that still says so."""
    alike = known.like(memory)
    return any(m.forgotten for m in alike) and not any(_stands(m) for m in alike)


def sharing(lake: Lake, tenants: Iterable[str]) -> list[Scope]:
    """The users of some tenants who share any memory."""
    table = lake.sql(
        "SELECT DISTINCT tenant_id, user_id FROM memory_versions "
        "WHERE shared AND tenant_id IN (SELECT unnest($tenants)) ORDER BY ALL",
        {"tenants": sorted(tenants)},
    )
    return scopes_in(table)
