"""What the ledger holds of some days, as if all of it were about to be published: the audits of what is staged are
those of what stands, too."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from datetime import date
from functools import cached_property
from typing import TYPE_CHECKING

from memory_pipeline.domain.consolidation.supersession import UNJUDGED
from memory_pipeline.domain.scope import Scope
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.publication.staged_view import STANDS, Prospect, stands
from memory_pipeline.storage.queries.ledger import CURRENT, STANDING

if TYPE_CHECKING:
    import pyarrow as pa

_ADDITIONS = """
WITH undecided AS (
    SELECT proposal_id FROM proposals WHERE operation IN ('add', 'reinforce')
    UNION ALL SELECT proposal_id FROM verdicts WHERE reply_key IS NOT NULL
)
SELECT DISTINCT memory_id FROM memory_versions
WHERE version = 1 AND (reason = $unjudged OR proposal_id IN (FROM undecided))
"""


class StandingLedger(Prospect):
    """The versions and verdicts of some days, with the present state of the users whom they are about; see
    :class:`Prospect`. Nothing is known before them."""

    def __init__(self, ctx: StageContext, days: Iterable[date]) -> None:
        span = list(days)
        versions = ctx.lake.sql(STANDING, days={"memory_versions": span})
        verdicts = ctx.lake.sql("SELECT * FROM verdicts", days={"verdicts": span})
        proposals = ctx.lake.sql("SELECT proposal_id, day, tenant_id, user_id FROM proposals", days={"proposals": span})
        covered: dict[date, set[Scope]] = defaultdict(set)
        for day, tenant, user in zip(*(proposals[n].to_pylist() for n in ("day", "tenant_id", "user_id")), strict=True):
            covered[day].add(Scope(tenant, user))
        owners = zip(*(versions[name].to_pylist() for name in ("tenant_id", "user_id")), strict=True)
        super().__init__(
            ctx,
            "memories",
            sorted({Scope(*owner) for owner in owners}.union(*covered.values())),
            covered=covered,
            proposed=proposals["proposal_id"].to_pylist(),
            given={"changed": versions, "judged": verdicts, "known": versions.slice(0, 0), "before": stands([])},
        )

    @cached_property
    def after(self) -> pa.Table:
        return self.ctx.lake.sql(
            "WITH memory_versions AS (SELECT * FROM memory_versions SEMI JOIN people USING (tenant_id, user_id)) "
            f"SELECT {STANDS}, true AS touched FROM ({CURRENT})",
            tables={"people": self.people},
            files=self._ledger(),
        )

    @cached_property
    def additions(self) -> frozenset[str]:
        table = self.ctx.lake.sql(_ADDITIONS, {"unjudged": UNJUDGED}, files=self._ledger())
        return frozenset(table["memory_id"].to_pylist())
