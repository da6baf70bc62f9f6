"""The gate: what was proposed and what became of it, by reason."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from fastapi import APIRouter
from starlette.responses import Response

from memory_pipeline.domain.reasons import meaning
from memory_pipeline.retrieval.lists.verdicts import VerdictFilter, by_reason, of_reason
from memory_pipeline.serving.access import PANEL
from memory_pipeline.serving.panel.pages import View, Viewing, chosen
from memory_pipeline.serving.panel.problems import PanelRoute
from memory_pipeline.serving.panel.routes.arguments import Tenant, User, Words

router = APIRouter(route_class=PanelRoute)
_EXAMPLES = 3
EVER = "all"
SPANS = ("60", "365", EVER)
"""How many of the last days with verdicts count."""


@router.get(f"{PANEL}/gate")
def gate(
    view: Viewing, user_id: User = None, tenant_id: Tenant = None, reason: Words = None, span: Words = None
) -> Response:
    """Verdicts by reason with examples; the latest of one reason. Of a user, or of all that the key reaches; of the
    last days on which anything was judged."""
    about, whose = _whose(view, user_id, tenant_id)
    judged = view.memories.lake.days("verdicts")
    span = chosen(span, SPANS, SPANS[0])
    wanted = replace(whose, first=judged[-int(span) :][0] if judged and span != EVER else None)
    shown: dict[str, Any] = {"about": about, "span": span, "spans": SPANS}
    lake, policy = view.memories.lake, view.memories.settings.policies.gate
    if reason:
        rows = of_reason(lake, reason, wanted, policy, latest=view.memories.limits.page_items)
        return view.page("reason.html", **shown, reason=reason, meaning=meaning(reason), rows=rows[::-1])
    rows = by_reason(lake, wanted, policy, _EXAMPLES)
    outcomes: dict[str, int] = {}
    for row in rows:
        outcomes[row["outcome"]] = outcomes.get(row["outcome"], 0) + row["proposals"]
    return view.page("gate.html", **shown, rows=rows, outcomes=outcomes)


def _whose(view: View, user_id: str | None, tenant_id: str | None) -> tuple[dict[str, Any] | None, VerdictFilter]:
    grant = view.caller.grant
    if user_id is not None or grant.user_id is not None:
        about = view.about(user_id, tenant_id)
        return about, VerdictFilter(**about)
    named = tenant_id or grant.tenant_id
    return None, VerdictFilter(tenant_id=view.caller.tenant(named) if named else None)
