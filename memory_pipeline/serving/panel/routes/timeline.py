"""Months, weeks and days of a user: what they tell, and what changed each night."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any

from fastapi import APIRouter
from starlette.responses import Response

from memory_pipeline.domain.calendar import Grain, period_of
from memory_pipeline.domain.reading.records import TimelinePeriod
from memory_pipeline.errors import QueryError
from memory_pipeline.serving.access import PANEL
from memory_pipeline.serving.panel.pages import View, Viewing, chosen
from memory_pipeline.serving.panel.problems import PanelRoute
from memory_pipeline.serving.panel.routes.arguments import Tenant, User, Words

router = APIRouter(route_class=PanelRoute)
_SHOWN = {Grain.DAY: 21, Grain.WEEK: 9}
_SHOWN_OTHERS = 6


@router.get(f"{PANEL}/timeline")
def timeline(
    view: Viewing,
    user_id: User = None,
    tenant_id: Tenant = None,
    grain: Words = None,
    start: Words = None,
    end: Words = None,
) -> Response:
    """Months; the weeks of a month; the days of a week, with the changes of each; the latest first. Without a start the
    last ones, or the last ones until an end."""
    about = view.about(user_id, tenant_id)
    size = Grain(chosen(grain, Grain, Grain.MONTH))
    tomorrow = datetime.now(UTC).date() + timedelta(days=1)  # it may have begun where the user is
    last = _day(end, "end") if end else tomorrow
    first, entries = _entries(view, about, size, _day(start, "start") if start else None, last)
    if not entries and not start and not end:
        said: datetime | None = view.memories.reader.person(**about)["last_message_at"]
        first, entries = _entries(view, about, size, None, said.date() if said else last)
    return view.page(
        "timeline.html",
        about=about,
        entries=entries[::-1],
        grain=size,
        finer=size.finer[-1] if size.finer else None,
        within=(first, last) if start else None,
        earlier=None if start else first - timedelta(days=1),
    )


def _entries(
    view: View, about: dict[str, Any], grain: Grain, start: date | None, end: date
) -> tuple[date, list[TimelinePeriod]]:
    """Whole periods up to a day, from a day or as many as a page shows; with the day that they begin on."""
    shown = timedelta(days=_SHOWN.get(grain, _SHOWN_OTHERS) * grain.most_days)
    first = period_of(grain, start or end - shown).start
    # Of months and weeks a page counts the changes; of days it tells them.
    told = not grain.finer
    return start or first, view.memories.reader.timeline(**about, grain=grain, start=first, end=end, contents=told)


def _day(text: str, name: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise QueryError(f"{name} is no day like 2026-03-01", argument=name) from error
