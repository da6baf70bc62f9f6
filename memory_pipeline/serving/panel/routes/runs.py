"""Runs, costs and rates of the whole home."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from fastapi import APIRouter
from starlette.responses import Response

from memory_pipeline.domain.rates import Rate, total, trend
from memory_pipeline.serving.access import PANEL
from memory_pipeline.serving.panel import plots
from memory_pipeline.serving.panel.pages import View, Viewing
from memory_pipeline.serving.panel.problems import PanelRoute
from memory_pipeline.storage.queries.costs import spending
from memory_pipeline.storage.queries.rate_queries import outcomes_by_day, rates, span_before
from memory_pipeline.storage.queries.runs import runs as every_run

router = APIRouter(route_class=PanelRoute)
_RUNS = 20
_DAYS = 60


@router.get(f"{PANEL}/runs")
def runs(view: Viewing) -> Response:
    """What the pipeline did and spent of late, and how much of what should not be there was, day by day."""
    lake = view.memories.lake
    first = (datetime.now(UTC) - timedelta(days=_DAYS)).date()
    by_day, spent = spending(lake, "day", first=first)
    by_stage, _ = spending(lake, "stage", first=first)
    days = lake.days("verdicts")[-_DAYS:]
    judged = outcomes_by_day(lake, days)
    return view.page(
        "runs.html",
        runs=every_run(lake, limit=_RUNS, since=datetime.now(UTC) - timedelta(days=_DAYS)),
        days=_DAYS,
        spent=spent,
        stages=by_stage,
        judged=plots.stacked([(day, judged[day]) for day in days if day in judged], plots.OUTCOMES),
        calls=plots.stacked(
            [(row["day"], {"asked": row["calls"], "kept": row["cached"]}) for row in by_day[-_DAYS:]], plots.REPLIES
        ),
        rates=_rates(view),
        dagster=view.memories.settings.dagster_url,
    )


def _rates(view: View) -> list[dict[str, Any]]:
    """Each rate with its trend and its days as a line."""
    lake, policy = view.memories.lake, view.memories.settings.policies.rates
    names = ("messages", "verdicts", "costs", "memory_versions")
    days = sorted({day for name in names for day in lake.days(name)})[-_DAYS:]
    before = span_before(days, policy.trailing_days)
    found = rates(lake, [*before, *days])
    told = []
    for rate in Rate:
        judged = trend(rate, total(found[rate], days), total(found[rate], before), policy)
        shares = [(day, found[rate][day].share) for day in days if day in found[rate]]
        told.append(
            {
                "rate": rate,
                "trend": judged,
                "plot": plots.line(shares, judged.limit, f"{rate} by day"),
            }
        )
    return told
