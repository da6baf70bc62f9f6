"""Reads with bounds, asked with the very words of what lies outside of them: none of it may come back (KN-26).

For each layer and each bound - class, domain, agent, session - a user's own rows outside of it lend the words. Such a
row is the query's nearest neighbour, so a guard that fails on that layer shows at once.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any

from memory_pipeline.domain.ids import digest
from memory_pipeline.domain.scope import Classification, Scope
from memory_pipeline.evaluation.isolation.markings import (
    AGENT,
    CLASS,
    DOMAIN,
    REFLECTION,
    ROW_LAYERS,
    SESSION,
    SUMMARY,
    TURN,
    Bounds,
    Marking,
    Markings,
    crossed_by_all,
)
from memory_pipeline.retrieval.answers.answer import STATUSES
from memory_pipeline.retrieval.answers.answer_evidence import MOST
from memory_pipeline.retrieval.query import LAYERS

if TYPE_CHECKING:
    from memory_pipeline.retrieval.reader import MemoryReader

_ELSEWHERE = "no place of this name"
_K = 50
_NARRATIVE = frozenset({REFLECTION, SUMMARY})


def asking_back(text: str) -> str:
    """A message about a text that asks how things went: a prompt block tells summaries to no other."""
    return f"What happened lately? {text}"


@dataclass(frozen=True, slots=True)
class BoundedRead:
    """One read and what it broke.

    Attributes:
        read: ``search``, ``context``, or ``ask`` (what an answer would be made from; no model is asked).
        bound: the one that it was made for.
        outside: ids of what came back although a bound keeps it out, each with its layer.
    """

    read: str
    bound: str
    outside: tuple[tuple[str, str], ...]


def bounded_reads(reader: MemoryReader, scope: Scope, held: Markings, day: date, texts: int) -> Iterator[BoundedRead]:
    """Make the reads of one user.

    Args:
        day: chooses the rows whose words are asked with, others each day.
        texts: of each layer and bound.
    """
    rows = sorted(
        ((item_id, m) for item_id, alike in held.items() for m in alike),
        key=lambda row: digest("bounded", day.isoformat(), row[0]),
    )
    for layer in ROW_LAYERS:
        for bound in (CLASS, DOMAIN, AGENT, SESSION):
            outside = [(m, b) for _, m in rows if m.layer == layer and (b := _bounds(bound, m, rows)) is not None]
            for marking, bounds in outside[:texts]:
                yield from _reads(reader, scope, held, bound, marking, bounds)


def _bounds(bound: str, marking: Marking, rows: Sequence[tuple[str, Marking]]) -> Bounds | None:
    """Bounds that keep a row out; None where this bound keeps it out of no read."""
    public = marking.classification is Classification.PUBLIC
    if bound == CLASS and not public:
        return Bounds(list(Classification)[marking.classification.level - 1])
    if bound == DOMAIN and marking.domains and not public:
        return Bounds(domain=_other((d for _, m in rows for d in m.domains), marking.domains))
    if bound == AGENT and marking.agent_ids:
        return Bounds(agent_id=_other((a for _, m in rows for a in m.agent_ids), marking.agent_ids))
    if bound == SESSION:
        return Bounds(session_id=_other((m.session_id for _, m in rows), {marking.session_id}))
    return None


def _other(names: Iterable[str | None], own: Collection[str | None]) -> str:
    """A name of the user's that is not a row's own; one that nothing has, where there is none."""
    return min((name for name in names if name and name not in own), default=_ELSEWHERE)


def _reads(
    reader: MemoryReader, scope: Scope, held: Markings, bound: str, marking: Marking, bounds: Bounds
) -> Iterator[BoundedRead]:
    who: dict[str, Any] = {"user_id": scope.user_id, "tenant_id": scope.tenant_id}
    reach: dict[str, Any] = {
        "max_classification": str(bounds.ceiling),
        "domain": bounds.domain,
        "agent_id": bounds.agent_id,
    }
    searched: dict[str, Any] = {**who, **reach, "layers": LAYERS, "session_id": bounds.session_id}
    found = reader.search(marking.text, **searched, k=_K, detail="high")
    yield _held_against("search", bound, (i.id for i in found), held, bounds)
    found = reader.search(marking.text, **searched, k=MOST, statuses=STATUSES)
    yield _held_against("ask", bound, (i.id for i in found), held, bounds)
    if bound == SESSION:
        if marking.layer != TURN:
            return
        bounds = Bounds(apart_from=marking.session_id)
    message = asking_back(marking.text) if marking.layer in _NARRATIVE else marking.text
    block = reader.context(message, **who, **reach, session_id=bounds.apart_from)
    yield _held_against("context", bound, (*block.item_ids, *block.dropped), held, bounds)


def _held_against(read: str, bound: str, ids: Iterable[str], held: Markings, bounds: Bounds) -> BoundedRead:
    outside = [(i, held[i][0].layer) for i in dict.fromkeys(ids) if crossed_by_all(held.get(i, ()), bounds)]
    return BoundedRead(read, bound, tuple(outside))
