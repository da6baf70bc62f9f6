"""Which memories' links are made anew: those that changed, and those that a change reaches.

A user of thousands of memories says a few new things a day; nothing else of theirs is looked at again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING

from memory_pipeline.domain.entities import Entity
from memory_pipeline.domain.links import specific
from memory_pipeline.domain.policy import LinkPolicy
from memory_pipeline.domain.scope import Scope
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.links.link_rules import Ties

if TYPE_CHECKING:
    import pyarrow as pa

    from memory_pipeline.storage.parquet.schemas import Link

_USERS_AT_ONCE = 100
# Born on these days, or not always the same in what links are made of: words, slot, time, being there at all.
_UNSETTLED = """
SELECT tenant_id, user_id, memory_id FROM memory_versions
GROUP BY ALL HAVING bool_or(touched) AND (
    bool_or(touched AND version = 1) OR bool_or(NOT asserted) OR bool_or(change IN ('forget', 'undo'))
    OR count(DISTINCT (content, observed_at, subject, attribute, value, negated)) > 1
)
"""


def touched_users(ctx: StageContext, days: Iterable[date]) -> Iterator[list[Scope]]:
    """Users of whom some partitions say more than what time does to memories, which changes no link; in batches."""
    from memory_pipeline.storage.parquet.lake import scopes_in
    from memory_pipeline.storage.queries.current_memories import BY_TIME

    table = ctx.lake.sql(
        f"SELECT DISTINCT tenant_id, user_id FROM memory_versions WHERE cause NOT IN ({BY_TIME}) ORDER BY ALL",
        days={"memory_versions": list(days)},
    )
    users = scopes_in(table)
    for start in range(0, len(users), _USERS_AT_ONCE):
        yield users[start : start + _USERS_AT_ONCE]


def unsettled(ctx: StageContext, days: Sequence[date], ledger: pa.Table) -> Mapping[Scope, set[str]]:
    """Ids of memories that some days brought, changed or took away, by user; not those that were only confirmed.

    Args:
        ledger: of some users, with every row since the first of the days.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    from memory_pipeline.storage.queries.current_memories import of_ledger

    marked = ledger.append_column("touched", pc.is_in(ledger["day"], pa.array(sorted(set(days)), pa.date32())))
    found: dict[Scope, set[str]] = defaultdict(set)
    for row in of_ledger(ctx.lake, marked, _UNSETTLED).to_pylist():
        found[Scope(row["tenant_id"], row["user_id"])].add(row["memory_id"])
    return found


class Relinked:
    """One user's memories whose links to older ones are made anew.

    Args:
        changed: ids of memories that are new, say something else, or are gone.
        stored: links at one of those, as they are stored.
        stated: source, target and relation of links that the ledger states, as they are stored.
        entities, before: as they are now, and as they are stored.
    """

    def __init__(
        self,
        ties: Ties,
        changed: set[str],
        stored: Sequence[Link],
        stated: Iterable[tuple[str, str, str]],
        entities: Sequence[Entity],
        before: Sequence[Entity],
        policy: LinkPolicy,
    ) -> None:
        self._ties = ties
        self._changed = changed
        self._stored = stored
        self._stated = stated
        self._entities = entities
        self._before = before
        self._policy = policy

    def newer_ends(self) -> set[int]:
        """Places of the memories."""
        there = {self._ties.place[i] for i in self._changed if i in self._ties.place}
        return there | self._ties.newer_near(there) | self._linked() | self._of_entities() | self._of_statements()

    def _linked(self) -> set[int]:
        """What was linked to something that changed: the link may go, turn round, or leave its place to another."""
        ids = {
            i
            for link in self._stored
            if {link.source_id, link.target_id} & self._changed
            for i in (link.source_id, link.target_id)
        }
        return {self._ties.place[i] for i in ids if i in self._ties.place}

    def _of_entities(self) -> set[int]:
        """What names a specific entity that is not what it was: another memory names it, or two have become one.

        Where memories only came to name it or ceased to, pairs without one of these stay as they are.
        """
        place = self._ties.place
        now, then = ({e.entity_id: e for e in some} for some in (self._entities, self._before))
        ids: set[str] = set()
        for i in now.keys() | then.keys():
            ends = [e for e in (now.get(i), then.get(i)) if e is not None]
            moved = set(ends[0].memory_ids) ^ set(ends[-1].memory_ids) if len(ends) == 2 else {*ends[0].memory_ids}
            if not moved or not any(specific(e, self._policy) for e in ends):
                continue
            both = len(ends) == 2 and all(specific(e, self._policy) for e in ends)
            if both and moved <= place.keys():
                oldest = min(place[m] for m in moved)
                ids |= {m for e in ends for m in e.memory_ids if place.get(m, -1) >= oldest}
            else:
                ids.update(*(e.memory_ids for e in ends))
        return {place[i] for i in ids if i in place}

    def _of_statements(self) -> set[int]:
        """Newer ends of what the ledger states and is not stored so, and of what is stored so and no longer stated."""
        place = self._ties.place
        stated = {(t.source, t.target, str(t.kind)) for t in self._ties.stated}
        stored = {
            (place[source], place[target], relation)
            for source, target, relation in self._stated
            if source in place and target in place
        }
        return {max(source, target) for source, target, _ in stated ^ stored}
