"""What a read may see of each row, by the lake alone: the witness that reads are held against.

It goes by the log and the ledger, never by the index or the guards of reads, so that a fault of theirs shows.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from memory_pipeline.domain.classification import STRICTEST, Classifier, strictest
from memory_pipeline.domain.derived.summary import Summary
from memory_pipeline.domain.ledger.memory import MemoryVersion, fold
from memory_pipeline.domain.message import Message
from memory_pipeline.domain.proposal import MemoryType
from memory_pipeline.domain.scope import Classification, Scope
from memory_pipeline.storage.parquet.arrow_rows import from_table
from memory_pipeline.storage.parquet.lake import Lake, scopes_table
from memory_pipeline.storage.queries.ledger import versions_of

MEMORY, REFLECTION, TURN, SUMMARY = "memory", "reflection", "turn", "summary"
ROW_LAYERS = (MEMORY, REFLECTION, TURN, SUMMARY)
CLASS, DOMAIN, AGENT, SESSION = "class", "domain", "agent", "session"


@dataclass(frozen=True, slots=True)
class Bounds:
    """What a read is restricted to; None = nothing.

    Attributes:
        session_id: the one session that it is about.
        apart_from: the session whose turns its prompt holds already.
    """

    ceiling: Classification = STRICTEST
    domain: str | None = None
    agent_id: str | None = None
    session_id: str | None = None
    apart_from: str | None = None


@dataclass(frozen=True, slots=True)
class Marking:
    """Where a row belongs, and how sensitive it is.

    Attributes:
        layer: of ``ROW_LAYERS``.
        domains, agent_ids: all that it tells of; none of what is shared with every agent.
        session_id: None = it is of no one session.
        parts: of a summary the turns that it cites; for each the turns of that id.
    """

    layer: str
    text: str
    classification: Classification
    domains: frozenset[str]
    agent_ids: frozenset[str]
    session_id: str | None
    parts: tuple[tuple[Marking, ...], ...] = ()

    def crossed(self, bounds: Bounds) -> frozenset[str]:
        """Which of a read's bounds keep it out."""
        found = set()
        if not bounds.ceiling.permits(self.classification):
            found.add(CLASS)
        public = self.classification is Classification.PUBLIC
        if bounds.domain is not None and not public and not self.domains <= {bounds.domain}:
            found.add(DOMAIN)
        if bounds.agent_id is not None and not self.agent_ids <= {bounds.agent_id}:
            found.add(AGENT)
        if bounds.session_id is not None and self.session_id != bounds.session_id:
            found.add(SESSION)
        if self.layer == TURN and bounds.apart_from is not None and self.session_id == bounds.apart_from:
            found.add(SESSION)
        told = (crossed_by_all(alike, bounds) & {CLASS, DOMAIN, AGENT} for alike in self.parts)
        return frozenset(found).union(*told)


Markings = Mapping[str, Sequence[Marking]]
"""By item id; message ids are unique within a session only, so that several may have one."""


def crossed_by_all(alike: Sequence[Marking], bounds: Bounds) -> frozenset[str]:
    """Which bounds keep out whichever row of an id is meant; none where no row of that id is known."""
    found = [marking.crossed(bounds) for marking in alike]
    return frozenset.intersection(*found) if found else frozenset()


def markings(lake: Lake, scopes: Iterable[Scope], classes: Classifier) -> dict[Scope, Markings]:
    """The markings of everything that some users have, but for the summaries of sessions, which are not searched."""
    wanted = sorted(set(scopes))
    found: dict[Scope, dict[str, list[Marking]]] = {scope: defaultdict(list) for scope in wanted}
    asked = {"wanted": scopes_table(wanted)}
    own = "SEMI JOIN wanted USING (tenant_id, user_id)"
    ledger = fold(versions_of(lake, wanted))
    for memory in ledger.values():
        sources = [ledger[i] for i in memory.derived_from if i in ledger]
        found[memory.scope][memory.memory_id].append(_of_memory(memory, sources))
    for message in from_table(lake.sql(f"SELECT * FROM messages {own}", tables=asked), Message):
        agents, domains = _set(message.agent_id), _set(message.domain)
        marking = Marking(TURN, message.content, classes.of(message), domains, agents, message.session_id)
        found[Scope(message.tenant_id, message.user_id)][message.message_id].append(marking)
    calendar = f"SELECT * FROM summaries {own} WHERE grain <> 'session'"
    for summary in from_table(lake.sql(calendar, tables=asked), Summary):
        held = found[Scope(summary.tenant_id, summary.user_id)]
        held[summary.summary_id].append(_of_summary(summary, held))
    return {scope: dict(rows) for scope, rows in found.items()}


def _of_memory(memory: MemoryVersion, sources: Sequence[MemoryVersion]) -> Marking:
    """A memory's marking; one that was made from others tells of all of them."""
    every = (memory, *sources)
    return Marking(
        REFLECTION if memory.type is MemoryType.REFLECTION else MEMORY,
        memory.content,
        strictest(m.classification for m in every),
        frozenset(m.domain for m in every if m.domain),
        frozenset(m.agent_id for m in every if m.agent_id and not m.shared),
        memory.session_id,
    )


def _of_summary(summary: Summary, held: Markings) -> Marking:
    cited = (tuple(m for m in held.get(i, ()) if m.layer == TURN) for i in summary.message_ids)
    return Marking(
        SUMMARY,
        summary.text,
        summary.classification or STRICTEST,
        frozenset(summary.domains or ()),
        frozenset(summary.agent_ids or ()),
        None,
        tuple(alike for alike in cited if alike),
    )


def _set(name: str | None) -> frozenset[str]:
    return frozenset({name} if name else ())
