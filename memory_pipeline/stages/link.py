"""Memories → typed links between them (DL-20, KN-10): read both ways, at most so many a memory."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from datetime import date
from typing import TYPE_CHECKING

from memory_pipeline.domain.ids import identifier
from memory_pipeline.domain.memory import MemoryVersion, Status
from memory_pipeline.domain.scope import Scope
from memory_pipeline.domain.slots import Relation, relate
from memory_pipeline.domain.supersession import compatible, more_specific, slot_of
from memory_pipeline.stages.context import StageContext

if TYPE_CHECKING:
    from memory_pipeline.storage.schemas import Link


def link(ctx: StageContext, days: Sequence[date]) -> Counter[date]:
    """Make the ``links`` of the memories that came into being on some days. Returns their number by day."""
    from memory_pipeline.storage.ledger import versions_of

    made: Counter[date] = Counter()
    born = _born(ctx, days)
    by_day: dict[date, list[Link]] = defaultdict(list)
    scopes = sorted({scope for scope, _ in born.values()})
    for n, scope in enumerate(scopes):
        ctx.progress("linking", n, len(scopes))
        current = _current(versions_of(ctx.lake, [scope]))
        for edge in _links(ctx, scope, current, {i: d for i, (s, d) in born.items() if s == scope}):
            by_day[edge.day].append(edge)
    ctx.progress("linking", len(scopes), len(scopes))
    for day in sorted(set(days)):
        ctx.lake.replace("links", day, by_day[day])
        made[day] = len(by_day[day])
    return made


def _born(ctx: StageContext, days: Iterable[date]) -> dict[str, tuple[Scope, date]]:
    table = ctx.lake.sql(
        "SELECT DISTINCT memory_id, tenant_id, user_id, day FROM memory_versions WHERE version = 1 AND asserted",
        days={"memory_versions": list(days)},
    )
    columns = (table[c].to_pylist() for c in ("memory_id", "tenant_id", "user_id", "day"))
    return {i: (Scope(t, u), d) for i, t, u, d in zip(*columns, strict=True)}


def _current(rows: Sequence[MemoryVersion]) -> dict[str, MemoryVersion]:
    from memory_pipeline.domain.memory import fold

    return fold(rows)


def _links(ctx: StageContext, scope: Scope, current: dict[str, MemoryVersion], born: dict[str, date]) -> list[Link]:
    import numpy as np

    from memory_pipeline.storage.index import vectors_of

    rows = ctx.index.rows("memories", scope, ["memory_id", "vector"])
    ids = [i for i in rows["memory_id"].to_pylist()]
    edges: list[Link] = []
    if not ids:
        return edges
    vectors = vectors_of(rows)
    place = {i: n for n, i in enumerate(ids)}
    limit, floor = ctx.policy.consolidation.max_links, ctx.policy.similarity.link
    for memory_id in sorted(i for i in born if i in current and i in place):
        memory = current[memory_id]
        similarity = vectors @ vectors[place[memory_id]]
        near = [int(n) for n in np.argsort(-similarity, kind="stable") if ids[n] != memory_id]
        chosen = 0
        for n in near:
            other = current.get(ids[n])
            if similarity[n] < floor or chosen >= limit:
                break
            if other is None or other.observed_at > memory.observed_at:
                continue
            edges.append(_edge(memory, other, float(similarity[n]), born[memory_id]))
            chosen += 1
    edges += [
        _edge(current[o.superseded_by], o, 1.0, born[o.superseded_by])
        for o in current.values()
        if o.superseded_by in born and o.superseded_by in current
    ]
    return list({e.link_id: e for e in edges}.values())


def _edge(memory: MemoryVersion, other: MemoryVersion, weight: float, day: date) -> Link:
    from memory_pipeline.storage.schemas import Link

    return Link(
        link_id=identifier("lnk", memory.memory_id, other.memory_id),
        tenant_id=memory.tenant_id,
        user_id=memory.user_id,
        day=day,
        source_id=memory.memory_id,
        target_id=other.memory_id,
        relation=relation(memory, other),
        weight=round(weight, 4),
    )


def relation(memory: MemoryVersion, other: MemoryVersion) -> str:
    """How a memory stands to an older one: supersedes, contradicts, caused_by, elaborates or related."""
    if other.superseded_by == memory.memory_id:
        return "supersedes" if other.status is Status.SUPERSEDED else "contradicts"
    if other.memory_id in memory.derived_from:
        return "caused_by"
    if relate(slot_of(memory), slot_of(other)) is Relation.DENIED:
        return "contradicts"
    if compatible(memory.content, other.content) and more_specific(memory.content, other.content):
        return "elaborates"
    return "related"
