"""What is remembered of some users, as links and entities are made from it; and which of these may be shown."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import date
from typing import TYPE_CHECKING

from memory_pipeline.domain.links import CERTAIN, Remembered
from memory_pipeline.domain.scope import Scope
from memory_pipeline.storage.parquet.arrow_rows import from_table
from memory_pipeline.storage.queries.ledger import CURRENT, STANDING, ledger_files, scopes_table

if TYPE_CHECKING:
    import pyarrow as pa

    from memory_pipeline.storage.parquet.lake import Lake

BY_TIME = "'lifecycle', 'fading'"  # causes of what time does to memories
WORDS = "left(sha256(content), 16)"  # what a link remembers of its ends' contents
# Nobody sees again what the user has had forgotten, whatever has happened to it since.
SHOWN_MEMORIES = f"""
SELECT * FROM ({CURRENT}) WHERE change <> 'forget' AND NOT list_contains(coalesce(taken_back, []), memory_id)
"""


def ledger_of(lake: Lake, scopes: Iterable[Scope], since: date = date.min) -> pa.Table:
    """The ledger of some users as far as their present state follows from it: read once, for what is made of all.

    Args:
        since: day from which on every row is needed.
    """
    wanted = set(scopes)
    return lake.sql(
        "SELECT v.* FROM memory_versions v SEMI JOIN wanted USING (tenant_id, user_id)",
        tables={"wanted": scopes_table(wanted)},
        files=ledger_files(lake, wanted, since),
    )


def of_ledger(lake: Lake, ledger: pa.Table, query: str) -> pa.Table:
    """Run a query in which ``memory_versions`` are some rows of the ledger that have been read already."""
    return lake.sql(
        f"WITH memory_versions AS (SELECT * FROM ledger) {query}",
        days={"memory_versions": ()},
        tables={"ledger": ledger},
    )


def remembered(lake: Lake, ledger: pa.Table) -> dict[Scope, list[Remembered]]:
    """Current memories that are not forgotten, by user, oldest first.

    Args:
        ledger: of some users; see :func:`ledger_of`.
    """
    table = of_ledger(
        lake,
        ledger,
        f", began AS (SELECT memory_id, min(day) AS born FROM ({STANDING}) GROUP BY memory_id) "
        f"SELECT * FROM ({SHOWN_MEMORIES}) JOIN began USING (memory_id) "
        "ORDER BY tenant_id, user_id, observed_at, memory_id",
    )
    found: dict[Scope, list[Remembered]] = defaultdict(list)
    for memory in from_table(table, Remembered):
        found[Scope(memory.tenant_id, memory.user_id)].append(memory)
    return found


def last_days(lake: Lake, ledger: pa.Table) -> Mapping[Scope, date]:
    """The newest ledger partition of each user, withdrawals included: it never becomes an older one. What time does to
    memories does not count: it changes nothing of what they say.

    Args:
        ledger: of some users.
    """
    table = of_ledger(
        lake,
        ledger,
        f"SELECT tenant_id, user_id, max(day) AS day FROM memory_versions WHERE cause NOT IN ({BY_TIME}) GROUP BY ALL",
    )
    columns = (table[c].to_pylist() for c in ("tenant_id", "user_id", "day"))
    return {Scope(t, u): day for t, u, day in zip(*columns, strict=True)}


def shown_links(most: int, links: str = "links", now: str = "now") -> str:
    """A query for the links that may be shown, strongest first (KN-10).

    Both ends are remembered in the words that the link was made from, and it is among the strongest ``most`` of either
    end, in both directions together.

    Args:
        links: relation with the columns of ``schemas.Link``.
        now: relation of shown memories with ``tenant_id``, ``user_id``, ``memory_id`` and ``content``.
    """
    certain = ", ".join(f"'{kind}'" for kind in CERTAIN)
    return f"""
    WITH ends AS (SELECT tenant_id, user_id, memory_id, {WORDS} AS words FROM {now}),
    living AS (
        SELECT l.* FROM {links} l
        SEMI JOIN ends s ON s.memory_id = l.source_id AND s.words = l.source_words
            AND s.tenant_id = l.tenant_id AND s.user_id = l.user_id
        SEMI JOIN ends t ON t.memory_id = l.target_id AND t.words = l.target_words
            AND t.tenant_id = l.tenant_id AND t.user_id = l.user_id
    ),
    ordered AS (SELECT *, relation IN ({certain}) AS certain FROM living),
    halves AS (
        SELECT link_id, source_id AS memory_id, certain, weight FROM ordered
        UNION ALL SELECT link_id, target_id, certain, weight FROM ordered
    ),
    ranked AS (
        SELECT link_id, row_number() OVER (PARTITION BY memory_id ORDER BY certain DESC, weight DESC, link_id) AS place
        FROM halves
    ),
    kept AS (SELECT link_id FROM ranked GROUP BY link_id HAVING max(place) <= {int(most)})
    SELECT * EXCLUDE (certain) FROM ordered SEMI JOIN kept USING (link_id) ORDER BY certain DESC, weight DESC, link_id
    """


def shown_entities(entities: str = "entities") -> str:
    """A query for the entities that may be shown: of each user those made last, unless a memory of theirs is gone.

    Args:
        entities: relation with the columns of ``domain.entities.Entity``.
    """
    return f"""
    WITH newest AS (
        SELECT * FROM {entities} QUALIFY day = max(day) OVER (PARTITION BY tenant_id, user_id)
    ),
    named AS (SELECT entity_id, unnest(memory_ids) AS memory_id FROM newest),
    spoilt AS (SELECT entity_id FROM named ANTI JOIN ({SHOWN_MEMORIES}) USING (memory_id))
    SELECT * FROM newest ANTI JOIN spoilt USING (entity_id) ORDER BY tenant_id, user_id, name, kind
    """
