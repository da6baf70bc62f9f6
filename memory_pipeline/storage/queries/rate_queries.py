"""How the days went: what became of their windows, and the rates of what should not be (junk, echoes, duplicates …).

Each is a query over the partitions of some days: the cost follows the days that are asked about, not the store.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from memory_pipeline.domain.rates import Count, Rate
from memory_pipeline.domain.reasons import Reason
from memory_pipeline.storage.parquet.lake import Lake

_JUNK = (Reason.LENGTH, Reason.CONFIDENCE, Reason.SALIENCE, Reason.SURPRISE, Reason.QUALITY)
_DUPLICATE = (Reason.REINFORCE, Reason.MERGE, Reason.COVERED)
_OF_VERDICTS = {Rate.JUNK: _JUNK, Rate.DUPLICATE: _DUPLICATE, Rate.ECHO: (Reason.ECHO,), Rate.SECRET: (Reason.SECRET,)}
_VERDICTS = "SELECT day, reason, count(*) AS n FROM verdicts GROUP BY ALL"
_JUDGED = "SELECT count(*) AS proposals, count(*) FILTER (outcome = 'rejected') AS rejected FROM verdicts"
_OUTCOMES = "SELECT day, outcome, count(*) AS n FROM verdicts GROUP BY ALL ORDER BY ALL"
_STALE = (
    "SELECT day, count(*) FILTER (change = 'stale') AS part, count(*) AS whole FROM memory_versions WHERE asserted "
    "GROUP BY day"
)
# By the UTC day on which the model was asked: a reply that cannot be read belongs to no window.
_UNFIT = (
    "SELECT day, sum(unfit)::BIGINT AS part, sum(calls)::BIGINT AS whole FROM costs "
    "WHERE calls > 0 AND unfit IS NOT NULL GROUP BY day"
)
_WINDOWS = """
WITH said AS (
    SELECT tenant_id, user_id, window_id, count(*) AS proposals, count(*) FILTER (v.outcome = 'rejected') AS rejected
    FROM proposals p LEFT JOIN verdicts v USING (tenant_id, user_id, proposal_id) GROUP BY ALL
)
SELECT w.day, count(*) AS windows, count(*) FILTER (s.window_id IS NULL) AS nothing_to_keep,
       count(*) FILTER (s.rejected = s.proposals) AS all_rejected
FROM windows w LEFT JOIN said s USING (tenant_id, user_id, window_id) GROUP BY w.day
"""


@dataclass(frozen=True, slots=True)
class WindowOutcomes:
    """What came of the windows of a day that have been answered.

    Attributes:
        nothing_to_keep: the model found nothing worth keeping in them.
        all_rejected: it did, and the gate let none of it pass.
    """

    windows: int = 0
    nothing_to_keep: int = 0
    all_rejected: int = 0

    def __add__(self, other: WindowOutcomes) -> WindowOutcomes:
        return WindowOutcomes(
            self.windows + other.windows,
            self.nothing_to_keep + other.nothing_to_keep,
            self.all_rejected + other.all_rejected,
        )


def window_outcomes(lake: Lake, days: Iterable[date]) -> dict[date, WindowOutcomes]:
    """What came of the answered windows, by day."""
    span = list(days)
    found = lake.sql(_WINDOWS, days={"windows": span, "proposals": span, "verdicts": span}).to_pylist()
    return {row.pop("day"): WindowOutcomes(**row) for row in found}


def proposal_outcomes(lake: Lake, days: Iterable[date]) -> dict[str, int]:
    """How many proposals of some days the gate has judged, and how many of them it rejected."""
    found = lake.sql(_JUDGED, days={"verdicts": list(days)}).to_pylist()[0]
    return {"proposals": found["proposals"], "rejected": found["rejected"]}


def outcomes_by_day(lake: Lake, days: Iterable[date]) -> dict[date, dict[str, int]]:
    """How many proposals of each day were accepted, merged and rejected; days without any are absent."""
    found: dict[date, dict[str, int]] = {}
    for row in lake.sql(_OUTCOMES, days={"verdicts": list(days)}).to_pylist():
        found.setdefault(row["day"], {})[row["outcome"]] = row["n"]
    return found


def rates(lake: Lake, days: Sequence[date]) -> dict[Rate, dict[date, Count]]:
    """Each rate by day, as how many of how many; days on which there was nothing to count are absent."""
    counted: dict[Rate, dict[date, Count]] = {rate: {} for rate in Rate}
    for row in lake.sql(_VERDICTS, days={"verdicts": days}).to_pylist():
        for rate, reasons in _OF_VERDICTS.items():
            known = counted[rate].get(row["day"], Count())
            counted[rate][row["day"]] = known + Count(row["n"] if row["reason"] in reasons else 0, row["n"])
    for row in lake.sql(_STALE, days={"memory_versions": days}).to_pylist():
        counted[Rate.STALE][row["day"]] = Count(row["part"], row["whole"])
    for row in lake.sql(_UNFIT, days={"costs": days}).to_pylist():
        counted[Rate.UNFIT][row["day"]] = Count(row["part"], row["whole"])
    return counted


def span_before(days: Sequence[date], trailing: int) -> list[date]:
    """The days that a trend is held against: so many before the first of some days."""
    return [min(days) - timedelta(days=n) for n in range(trailing, 0, -1)] if days else []
