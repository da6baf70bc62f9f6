"""Months, weeks and days of a user: what they tell, and what changed each night."""

from __future__ import annotations

from datetime import date

from fastapi import APIRouter
from starlette.responses import Response

from memory_pipeline.domain.calendar import Grain
from memory_pipeline.serving.access import PANEL
from memory_pipeline.serving.panel.pages import Viewing, chosen
from memory_pipeline.serving.panel.problems import PanelRoute
from memory_pipeline.serving.panel.routes.arguments import Tenant, User, Words

router = APIRouter(route_class=PanelRoute)
_FINER = {Grain.MONTH: Grain.WEEK, Grain.WEEK: Grain.DAY, Grain.DAY: None}


@router.get(f"{PANEL}/timeline")
def timeline(
    view: Viewing,
    user_id: User = None,
    tenant_id: Tenant = None,
    grain: Words = None,
    start: Words = None,
    end: Words = None,
) -> Response:
    """Months; the weeks of a month; the days of a week, with the changes of each; the latest first."""
    about = view.about(user_id, tenant_id)
    size = Grain(chosen(grain, Grain, Grain.MONTH))
    found = view.memories.reader.timeline(**about, grain=size, start=start or None, end=end or None)
    within = (date.fromisoformat(start), date.fromisoformat(end)) if start and end and found else None
    return view.page("timeline.html", about=about, entries=found[::-1], grain=size, finer=_FINER[size], within=within)
