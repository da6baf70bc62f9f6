"""What would hold if some staged rows were published: the ledger of their users with them, and without.

Read once for a batch of users; the audits are queries over these tables.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import date
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

    @property
    def days(self) -> list[date]:
        """Days of the staged versions."""
        import pyarrow.compute as pc

        days: list[date] = sorted(pc.unique(self.changed["day"]).to_pylist())
        return days

    @cached_property
    def known(self) -> pa.Table:
        """The ledger's rows of the memories that the staged versions are about."""
        return self.ctx.lake.sql(
            "SELECT v.* FROM memory_versions v SEMI JOIN ids USING (memory_id)",
            tables={"ids": self.changed.select(["memory_id"])},
            files=self._ledger(),
        )

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
