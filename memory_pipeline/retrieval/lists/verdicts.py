"""What became of the proposals: how many by reason, and which (DL-14, KN-8); with what was refused of summaries.

For whoever runs the pipeline: over all users unless one is named. Contents are shown masked, as the store would hold
them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from memory_pipeline.domain.gate import rejection
from memory_pipeline.domain.policy import GatePolicy, Handling
from memory_pipeline.domain.proposal import Finding
from memory_pipeline.domain.reasons import Reason, meaning
from memory_pipeline.domain.sensitive import handled, masked
from memory_pipeline.errors import QueryError
from memory_pipeline.storage.parquet.lake import Lake

# What was proposed and what became of it; a sentence that a summary was to have counts as one that was rejected.
_JUDGED = """
SELECT v.day, v.tenant_id, v.user_id, v.proposal_id, v.outcome, v.reason, p.operation, p.type, p.content,
       list_filter(v.findings, lambda f: NOT f.passed)[1] AS failed,
       list_transform(p.evidence, lambda e: e.quote) AS quotes, v.memory_id
FROM verdicts v LEFT JOIN proposals p USING (tenant_id, user_id, proposal_id)
UNION ALL BY NAME
SELECT start AS day, tenant_id, user_id, summary_id AS proposal_id, 'rejected' AS outcome, refused.code AS reason,
       NULL AS operation, grain || ' summary' AS type, refused.text AS content,
       {'code': refused.code, 'passed': false, 'figure': NULL, 'threshold': NULL, 'detail': refused.detail} AS failed,
       [] AS quotes, NULL AS memory_id
FROM (SELECT start, tenant_id, user_id, summary_id, grain, unnest(refused) AS refused FROM summaries)
"""
_WANTED = "($user IS NULL OR user_id = $user) AND ($tenant IS NULL OR tenant_id = $tenant)"
_BY_REASON = f"""
SELECT outcome, reason, count(*) AS proposals, list(content ORDER BY day DESC, proposal_id)[:$examples] AS examples
FROM ({_JUDGED}) WHERE {_WANTED} GROUP BY ALL ORDER BY proposals DESC, outcome, reason
"""
_OF_REASON = f"""
SELECT * FROM (
    SELECT * FROM ({_JUDGED}) WHERE {_WANTED} AND reason = $reason
    ORDER BY day DESC, tenant_id, user_id, proposal_id LIMIT $latest
)
ORDER BY day, tenant_id, user_id, proposal_id
"""


@dataclass(frozen=True, slots=True)
class VerdictFilter:
    """Which verdicts are asked for; None = all.

    Attributes:
        first, last: local days, both included.
    """

    user_id: str | None = None
    tenant_id: str | None = None
    first: date | None = None
    last: date | None = None

    def days(self, lake: Lake) -> list[date]:
        """The partitions that hold them.

        Raises:
            QueryError: the last day lies before the first.
        """
        if self.first and self.last and self.last < self.first:
            raise QueryError(f"the verdicts end ({self.last}) before they begin ({self.first})")
        days = {*lake.days("verdicts"), *lake.days("summaries")}
        return [d for d in sorted(days) if (self.first or d) <= d <= (self.last or d)]


def by_reason(lake: Lake, wanted: VerdictFilter, policy: GatePolicy, examples: int = 3) -> list[dict[str, Any]]:
    """Verdicts by outcome and reason, the most frequent first.

    Returns:
        For each ``outcome``, ``reason``, ``meaning``, ``proposals`` (number), ``share`` of all (0 to 1) and
        ``examples`` (contents, the latest first).

    Raises:
        QueryError: see :meth:`Wanted.days`.
    """
    rows = _rows(lake, _BY_REASON, wanted, examples=examples)
    total = sum(row["proposals"] for row in rows)
    return [
        {
            "outcome": row["outcome"],
            "reason": row["reason"],
            "meaning": meaning(row["reason"]),
            "proposals": row["proposals"],
            "share": round(row["proposals"] / total, 4),
            "examples": _shown(row["examples"], policy),
        }
        for row in rows
    ]


def of_reason(
    lake: Lake, reason: str, wanted: VerdictFilter, policy: GatePolicy, *, latest: int | None = None
) -> list[dict[str, Any]]:
    """The proposals with one reason, in the order of their days.

    Args:
        latest: those of the last days, at most so many; None = all.

    Returns:
        For each its ``day``, ``tenant_id``, ``user_id``, ``proposal_id``, ``outcome``, ``reason``, ``operation``,
        ``type``, ``content``, ``quotes``, ``memory_id``, and ``why``: what the rule that rejected it says with its
        figures, or what the reason means. What a summary does not say has its id as ``proposal_id``, "day summary" and
        the like as ``type``, and no ``operation``.

    Raises:
        QueryError: there is no such reason; see also :meth:`Wanted.days`.
    """
    rows = _rows(lake, _OF_REASON, wanted, reason=reason, latest=latest)
    if not rows and not meaning(reason):
        raise QueryError(f"no verdict has the reason {reason!r}; there are {', '.join(Reason)}", argument="reason")
    found = []
    for row in rows:
        failed = row.pop("failed")
        row["content"] = next(iter(_shown([row["content"]], policy)), None)
        row["quotes"] = _shown(row["quotes"] or (), policy)
        found.append(row | {"why": rejection(Finding(**failed)) if failed else meaning(reason)})
    return found


def _rows(lake: Lake, query: str, wanted: VerdictFilter, **more: Any) -> list[dict[str, Any]]:
    days = wanted.days(lake)
    given = {"user": wanted.user_id, "tenant": wanted.tenant_id, **more}
    read = dict.fromkeys(("verdicts", "proposals", "summaries"), days)
    rows: list[dict[str, Any]] = lake.sql(query, given, days=read).to_pylist()
    return rows


def _shown(texts: Sequence[str | None], policy: GatePolicy) -> list[str]:
    hidden = handled(policy, Handling.REJECT, Handling.MASK)
    return [masked(text, hidden) for text in texts if text is not None]
