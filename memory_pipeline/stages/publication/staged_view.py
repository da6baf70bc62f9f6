"""What would hold if some rows were published: the ledger of their users with them, and without.

Read once for a batch of users; the audits are queries over these tables.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from datetime import date, timedelta
from functools import cached_property
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from memory_pipeline.domain.ledger.memory import MemoryVersion
from memory_pipeline.domain.scope import Scope
from memory_pipeline.stages.context import StageContext
from memory_pipeline.storage.parquet.staged_rows import StagedRows

if TYPE_CHECKING:
    import pyarrow as pa

# What the audits ask of a memory as it stands.
STANDS = (
    "memory_id, tenant_id, user_id, version_id, status, change, cause, type, content, subject, attribute, value, "
    "negated, len(apart) > 0 AS apart, derived_from, coalesce(valid_from, observed_at) AS happened_at, day, "
    "recorded_at, observed_at, valid_until IS NOT NULL AS bounded, "
    "list_transform(evidence, lambda e: e.message_id) AS cited"
)
_TEXT_COLUMNS = STANDS.split(", negated")[0].split(", ")
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
said AS (
    SELECT DISTINCT tenant_id, user_id, message_id FROM (
        SELECT tenant_id, user_id, message_id FROM messages UNION ALL SELECT * FROM brought
    ) SEMI JOIN new USING (message_id)
),
whose AS (
    SELECT version_id, message_id, bool_or(s.tenant_id = n.tenant_id AND s.user_id = n.user_id) AS own
    FROM new n JOIN said s USING (message_id) GROUP BY ALL
)
SELECT DISTINCT new.*, coalesce(own, false) AS own, NOT coalesce(own, true) AS foreign
FROM new LEFT JOIN whose USING (version_id, message_id) ORDER BY ALL
"""
_ADDITIONS = """
WITH undecided AS (
    SELECT proposal_id FROM proposals WHERE operation IN ('add', 'reinforce')
    UNION ALL SELECT proposal_id FROM verdicts WHERE reply_key IS NOT NULL
    UNION ALL SELECT proposal_id FROM judged WHERE reply_key IS NOT NULL
)
SELECT DISTINCT memory_id FROM first WHERE reason = $unjudged OR proposal_id IN (FROM undecided)
"""
# What memories that something is derived from rest on, be they in the ledger or staged.
_MEMBERS = """
SELECT memory_id, tenant_id, user_id, list_distinct(flatten(list(messages))) AS messages FROM (
    SELECT memory_id, tenant_id, user_id, list_transform(evidence, lambda e: e.message_id) AS messages
    FROM (SELECT * FROM memory_versions UNION ALL BY NAME SELECT * FROM changed) SEMI JOIN wanted USING (memory_id)
) GROUP BY ALL
"""
# What a version states that the ledger does not have of the memory in these words, and what it quotes anew. What the
# user wrote by hand is looked at when it is written, and then no more.
_TEXTS = """
WITH fresh AS (SELECT * FROM changed WHERE asserted AND ($own_words OR NOT coalesce(own_words, false))),
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


def stands(memories: Sequence[MemoryVersion]) -> pa.Table:
    """Memories as they stand, in the columns that the audits ask of ``before``."""
    import pyarrow as pa

    text, at, strings = pa.string(), pa.timestamp("us", "UTC"), pa.list_(pa.string())
    read: Mapping[str, tuple[Callable[[MemoryVersion], Any], pa.DataType]] = {
        **{name: (attrgetter(name), text) for name in _TEXT_COLUMNS},
        "negated": (attrgetter("negated"), pa.bool_()),
        "apart": (lambda m: bool(m.apart), pa.bool_()),
        "derived_from": (attrgetter("derived_from"), strings),
        "happened_at": (lambda m: m.valid_from or m.observed_at, at),
        "day": (attrgetter("day"), pa.date32()),
        "recorded_at": (attrgetter("recorded_at"), at),
        "observed_at": (attrgetter("observed_at"), at),
        "bounded": (lambda m: m.valid_until is not None, pa.bool_()),
        "cited": (lambda m: [e.message_id for e in m.evidence], strings),
    }
    return pa.table(
        {name: pa.array(map(get, memories), kind, size=len(memories)) for name, (get, kind) in read.items()}
    )


BY_HAND = "hand"
"""The writer of what users do themselves."""


@dataclass
class Prospect:
    """A batch of users with what somebody would have the ledger hold of them.

    Attributes:
        writer: who; see ``stages.publication.auditing``.
        users: whose rows may be there.
        staged: where the rows lie; None where all of them are given.
        covered: days whose verdicts are replaced, with the users that it is done for.
        proposed: ids of the proposals that were worked on.
        since: first day of which every row of the ledger counts; None where the present state is enough.
        given: of the tables below those that need not be read.
    """

    ctx: StageContext
    writer: str
    users: Collection[Scope]
    staged: StagedRows | None = None
    part: str = ""
    covered: Mapping[date, AbstractSet[Scope]] = field(default_factory=dict)
    proposed: Collection[str] = ()
    since: date | None = None
    given: Mapping[str, pa.Table] = field(default_factory=dict)

    @cached_property
    def changed(self) -> pa.Table:
        """The versions, withdrawals included."""
        return self._staged("memory_versions") if "changed" not in self.given else self.given["changed"]

    @cached_property
    def judged(self) -> pa.Table:
        """The verdicts."""
        return self._staged("verdicts") if "judged" not in self.given else self.given["judged"]

    @property
    def anything(self) -> bool:
        """Whether there is anything to judge."""
        return bool(self.covered or self.changed.num_rows or self.judged.num_rows)

    @cached_property
    def brought(self) -> pa.Table:
        """Messages that come with the versions: owner and id."""
        import pyarrow as pa

        names = ("tenant_id", "user_id", "message_id")
        return self.given.get("brought", pa.table({name: pa.array([], pa.string()) for name in names}))

    @cached_property
    def known(self) -> pa.Table:
        """The ledger's rows of the memories that the versions are about."""
        from memory_pipeline.storage.queries.ledger import ABOUT

        if "known" in self.given:
            return self.given["known"]
        ids = self.changed.select(["memory_id"])
        return self.ctx.lake.sql(ABOUT, tables={"ids": ids}, files=self._ledger())

    @cached_property
    def before(self) -> pa.Table:
        """The users' memories as they stand."""
        if "before" in self.given:
            return self.given["before"]
        from memory_pipeline.storage.parquet.lake import scopes_table
        from memory_pipeline.storage.queries.ledger import CURRENT

        return self.ctx.lake.sql(
            f"WITH memory_versions AS (SELECT * FROM memory_versions SEMI JOIN users USING (tenant_id, user_id)) "
            f"SELECT {STANDS} FROM ({CURRENT})",
            tables={"users": scopes_table(self.users)},
            files=self._ledger(),
        )

    @cached_property
    def after(self) -> pa.Table:
        """The users' memories as they would stand; ``touched`` tells which of them something was staged for."""
        from memory_pipeline.storage.queries.ledger import CURRENT

        return self.ctx.lake.sql(
            f"WITH memory_versions AS (SELECT * FROM known UNION ALL BY NAME SELECT * FROM changed) "
            f"SELECT {STANDS}, true AS touched FROM ({CURRENT}) "
            "UNION ALL BY NAME SELECT *, false AS touched FROM before ANTI JOIN changed USING (memory_id)",
            tables={"known": self.known, "changed": self.changed, "before": self.before},
            files={"memory_versions": ("memory_versions", [])},
        )

    @cached_property
    def citations(self) -> list[dict[str, Any]]:
        """Messages that versions of proposals cite anew; ``own`` or ``foreign`` where they are in the log."""
        import pyarrow.compute as pc

        proposed = self.changed.filter(pc.equal(self.changed["cause"], "proposal"))
        if not proposed.num_rows:
            return []
        days = pc.unique(proposed["day"]).to_pylist()
        around = {day + timedelta(days=n) for day in days for n in (-1, 0, 1)}  # a window may go on past midnight
        there = around & set(self.ctx.lake.days("messages"))
        return self.rows(_CITATIONS, "changed", "known", "brought", days={"messages": there})

    @cached_property
    def additions(self) -> frozenset[str]:
        """Of the memories that something changes for those of which no rule could tell what they retire: told as a fact
        of their own, or left to a judge."""
        import pyarrow as pa
        import pyarrow.compute as pc

        from memory_pipeline.domain.consolidation.supersession import UNJUDGED

        wanted = ["memory_id", "proposal_id", "day", "reason"]
        made = [t.filter(pc.equal(t["version"], 1)).select(wanted) for t in (self.known, self.changed)]
        first = pa.concat_tables(made, promote_options="permissive")
        days = set(pc.unique(first["day"]).to_pylist())
        there = {name: days & set(self.ctx.lake.days(name)) for name in ("proposals", "verdicts")}
        found = self.rows(_ADDITIONS, "judged", first=first, days=there, params={"unjudged": UNJUDGED})
        return frozenset(row["memory_id"] for row in found)

    @cached_property
    def members(self) -> dict[tuple[Scope, str], frozenset[str]]:
        """The messages that memories rest on which something is derived from, by user and id."""
        import pyarrow.compute as pc

        from memory_pipeline.storage.parquet.schemas import DATASETS

        named = pc.unique(pc.list_flatten(self.changed["derived_from"]))
        if not len(named):
            return {}
        import pyarrow as pa

        schema = DATASETS["memory_versions"].schema
        table = self.ctx.lake.sql(
            _MEMBERS,
            tables={"wanted": pa.table({"memory_id": named}), "changed": self.changed.cast(schema)},
            files=self._ledger(),
        )
        return {
            (Scope(row["tenant_id"], row["user_id"]), row["memory_id"]): frozenset(row["messages"])
            for row in table.to_pylist()
        }

    @cached_property
    def texts(self) -> list[dict[str, Any]]:
        """Texts that versions bring in; ``quoted`` tells a message's words from a statement."""
        return self.rows(_TEXTS, "changed", "known", params={"own_words": self.by_hand})

    @property
    def by_hand(self) -> bool:
        """Whether it is the user's own hand that writes."""
        return self.writer == BY_HAND

    @cached_property
    def people(self) -> pa.Table:
        """The users, to join with."""
        from memory_pipeline.storage.parquet.lake import scopes_table

        return scopes_table(self.users)

    def rows(
        self,
        query: str,
        *names: str,
        days: Mapping[str, Collection[date]] | None = None,
        params: Mapping[str, Any] | None = None,
        **tables: pa.Table,
    ) -> list[dict[str, Any]]:
        """Rows of a query.

        Args:
            names: attributes of this that it reads as tables.
            days: the partitions of datasets that it reads.
            params: what stands for its ``$name``.
            tables: further tables.
        """
        from memory_pipeline.storage.parquet.schemas import DATASETS

        given = {name: getattr(self, name) for name in names} | tables
        partitions = {name: (days or {}).get(name, ()) for name in DATASETS}
        found: list[dict[str, Any]] = self.ctx.lake.sql(query, params, days=partitions, tables=given).to_pylist()
        return found

    def _staged(self, dataset: str) -> pa.Table:
        from memory_pipeline.storage.parquet.schemas import DATASETS

        return self.staged.rows(dataset, self.part) if self.staged else DATASETS[dataset].schema.empty_table()

    def _ledger(self) -> Mapping[str, Any]:
        from memory_pipeline.storage.queries.ledger import ledger_files

        return ledger_files(self.ctx.lake, self.users, self.since)
