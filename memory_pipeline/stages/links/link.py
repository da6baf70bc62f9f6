"""Memories → typed links between them (DL-20, KN-10), and the entities that they are about.

What a user's links are follows from the ledger as it stands. A partition holds the links whose later memory came into
being on its day; readers see the strongest of each memory, both ways (``current_memories.shown_links``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from memory_pipeline.domain.links import Tie
from memory_pipeline.domain.scope import Scope
from memory_pipeline.stages.consolidation.neighbours import Vectors
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.links.entities import EntityRows
from memory_pipeline.stages.links.link_rows import LinkRows
from memory_pipeline.stages.links.link_rules import Ties
from memory_pipeline.stages.links.relink_scope import Relinked, touched_users, unsettled


@dataclass(frozen=True)
class LinkReport:
    """What linking made.

    Attributes:
        links: rows of the partitions that were asked for.
        entities: of the touched users, by kind.
        others: further partitions that were written, because what happened reaches back into them.
    """

    links: Mapping[date, int]
    entities: Mapping[str, int]
    others: Sequence[date]


def link(ctx: StageContext, days: Sequence[date]) -> LinkReport:
    """Make the ``links`` and ``entities`` of the users whose ledger some days changed.

    Links come first: should the run end between the two, the next one still sees which entities changed.
    """
    entity_rows, link_rows = EntityRows(ctx), LinkRows(ctx)
    batches = list(touched_users(ctx, days))
    total, done = sum(map(len, batches)), 0
    for batch in batches:
        ctx.progress("linking", done, total)
        _users(ctx, batch, days, entity_rows, link_rows)
        done += len(batch)
    ctx.progress("linking", total, total)
    written = {*link_rows.write(), *entity_rows.write()}
    counts = ctx.lake.sql("SELECT day, count(*) AS n FROM links GROUP BY day", days={"links": list(days)})
    by_day = dict(zip(counts["day"].to_pylist(), counts["n"].to_pylist(), strict=True))
    return LinkReport(by_day, entity_rows.kinds, sorted(written - set(days)))


def _users(
    ctx: StageContext, users: Sequence[Scope], days: Sequence[date], entity_rows: EntityRows, link_rows: LinkRows
) -> None:
    from memory_pipeline.storage.queries.current_memories import last_days, ledger_of, remembered

    ledger = ledger_of(ctx.lake, users, min(days))
    known = remembered(ctx.lake, ledger)
    memories = {scope: known[scope] for scope in users}
    entities, before = entity_rows.make(memories, last_days(ctx.lake, ledger))
    changed = unsettled(ctx, days, ledger)
    link_rows.load(users)
    stored = link_rows.at(changed)
    stated = link_rows.stated()
    vectors = Vectors(ctx)
    vectors.load(users)
    made: dict[Scope, list[Tie]] = {}
    remade: dict[Scope, set[str]] = {}
    for scope in users:
        links = Ties(memories[scope], entities[scope], vectors, ctx.policy)
        old, now, then = stored[scope], entities[scope], before[scope]
        again = Relinked(links, changed[scope], old, stated[scope], now, then, ctx.policy.links).newer_ends()
        made[scope] = links.of(again)
        remade[scope] = {memories[scope][n].memory_id for n in again} | changed[scope]
    link_rows.put(memories, remade, made)
