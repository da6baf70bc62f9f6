"""What would hold if some staged rows were published: the ledger of their users with them, and without.

Read once for a batch of users; the audits are queries over these tables.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Any

from memory_pipeline.domain.scope import Scope
from memory_pipeline.stages.context import StageContext
from memory_pipeline.storage.staging import Staged

if TYPE_CHECKING:
    import pyarrow as pa

# What the audits ask of a memory as it stands.
_STANDS = (
    "memory_id, tenant_id, user_id, version_id, status, change, cause, type, content, subject, attribute, value, "
    "negated, len(apart) > 0 AS apart, derived_from, coalesce(valid_from, observed_at) AS happened_at"
)
# Every version of a proposal with what it cites that the version before it did not, and whose messages those are; the
# first version of a memory is there even where it cites nothing.
_CITATIONS = """
WITH stated AS (SELECT * FROM changed WHERE asserted AND cause = 'proposal'),
cited AS (
    SELECT version_id, memory_id, tenant_id, user_id, content, previous_version_id,
           unnest(list_transform(evidence, lambda e: e.message_id)) AS message_id FROM stated
),
earlier AS (
    SELECT version_id AS previous_version_id, unnest(list_transform(evidence, lambda e: e.message_id)) AS message_id
    FROM (SELECT version_id, evidence FROM known UNION ALL SELECT version_id, evidence FROM changed)
),
new AS (
    SELECT * EXCLUDE (previous_version_id) FROM cited ANTI JOIN earlier USING (previous_version_id, message_id)
    UNION ALL
    SELECT version_id, memory_id, tenant_id, user_id, content, NULL FROM stated WHERE version = 1 AND len(evidence) = 0
),
said AS (SELECT DISTINCT tenant_id, user_id, message_id FROM messages SEMI JOIN new USING (message_id)),
whose AS (
    SELECT version_id, message_id, bool_or(s.tenant_id = n.tenant_id AND s.user_id = n.user_id) AS own
    FROM new n JOIN said s USING (message_id) GROUP BY ALL
)
SELECT DISTINCT new.*, coalesce(own, false) AS own, NOT coalesce(own, true) AS foreign
FROM new LEFT JOIN whose USING (version_id, message_id) ORDER BY ALL
"""
# What a version states that the ledger does not have of the memory in these words, and what it quotes anew. What the
# user has written by hand was looked at when it was written.
_TEXTS = """
WITH fresh AS (SELECT * FROM changed WHERE asserted AND NOT coalesce(own_words, false)),
quoted AS (
    SELECT version_id, memory_id, tenant_id, user_id, unnest(list_transform(evidence, lambda e: e.quote)) AS said
    FROM fresh
)
SELECT version_id, memory_id, tenant_id, user_id, false AS quoted,
       concat_ws(chr(10), content, subject, attribute, value, array_to_string(entities, chr(10))) AS said
FROM fresh ANTI JOIN known USING (memory_id, content)
UNION ALL
SELECT version_id, memory_id, tenant_id, user_id, true, said FROM quoted
ANTI JOIN (
    SELECT memory_id, unnest(list_transform(evidence, lambda e: e.quote)) AS said FROM known
) USING (memory_id, said)
"""


@dataclass
class Prospect:
    """A batch of users with what was staged for them.

    Attributes:
        users: whose rows may be there.
        covered: days whose verdicts are replaced, with the users that it is done for.
        proposed: ids of the proposals that were worked on.
        since: first day that was worked on.
    """

    ctx: StageContext
    staged: Staged
    part: str
    users: Collection[Scope]
    covered: Mapping[date, AbstractSet[Scope]]
    proposed: Collection[str]
    since: date

    @cached_property
    def changed(self) -> pa.Table:
        """The staged versions, withdrawals included."""
        return self.staged.rows("memory_versions", self.part)

    @cached_property
    def judged(self) -> pa.Table:
        """The staged verdicts."""
        return self.staged.rows("verdicts", self.part)

    @cached_property
    def known(self) -> pa.Table:
        """The ledger's rows of the memories that the staged versions are about."""
        from memory_pipeline.storage.ledger import ABOUT

        ids = self.changed.select(["memory_id"])
        return self.ctx.lake.sql(ABOUT, tables={"ids": ids}, files=self._ledger())

    @cached_property
    def before(self) -> pa.Table:
        """The users' memories as they stand."""
        from memory_pipeline.storage.lake import scopes_table
        from memory_pipeline.storage.ledger import CURRENT

        return self.ctx.lake.sql(
            f"WITH memory_versions AS (SELECT * FROM memory_versions SEMI JOIN users USING (tenant_id, user_id)) "
            f"SELECT {_STANDS} FROM ({CURRENT})",
            tables={"users": scopes_table(self.users)},
            files=self._ledger(),
        )

    @cached_property
    def after(self) -> pa.Table:
        """The users' memories as they would stand; ``touched`` tells which of them something was staged for."""
        from memory_pipeline.storage.ledger import CURRENT

        return self.ctx.lake.sql(
            f"WITH memory_versions AS (SELECT * FROM known UNION ALL BY NAME SELECT * FROM changed) "
            f"SELECT {_STANDS}, true AS touched FROM ({CURRENT}) "
            "UNION ALL BY NAME SELECT *, false AS touched FROM before ANTI JOIN changed USING (memory_id)",
            tables={"known": self.known, "changed": self.changed, "before": self.before},
            files={"memory_versions": ("memory_versions", [])},
        )

    @cached_property
    def citations(self) -> list[dict[str, Any]]:
        """Messages that staged versions cite anew; ``own`` or ``foreign`` where they are in the log."""
        import pyarrow.compute as pc

        days = pc.unique(self.changed["day"]).to_pylist()
        around = {day + timedelta(days=n) for day in days for n in (-1, 0, 1)}  # a window may go on past midnight
        there = around & set(self.ctx.lake.days("messages"))
        return self.rows(_CITATIONS, "changed", "known", days={"messages": there})

    @cached_property
    def texts(self) -> list[dict[str, Any]]:
        """Texts that staged versions bring in; ``quoted`` tells a message's words from a statement."""
        return self.rows(_TEXTS, "changed", "known")

    @cached_property
    def people(self) -> pa.Table:
        """The users, to join with."""
        from memory_pipeline.storage.lake import scopes_table

        return scopes_table(self.users)

    def rows(
        self, query: str, *names: str, days: Mapping[str, Collection[date]] | None = None, **tables: pa.Table
    ) -> list[dict[str, Any]]:
        """Rows of a query.

        Args:
            names: attributes of this that it reads as tables.
            days: the partitions of datasets that it reads.
            tables: further tables.
        """
        from memory_pipeline.storage.schemas import DATASETS

        given = {name: getattr(self, name) for name in names} | tables
        partitions = {name: (days or {}).get(name, ()) for name in DATASETS}
        found: list[dict[str, Any]] = self.ctx.lake.sql(query, days=partitions, tables=given).to_pylist()
        return found

    def _ledger(self) -> Mapping[str, Any]:
        from memory_pipeline.storage.ledger import ledger_files

        return ledger_files(self.ctx.lake, self.users, self.since)
