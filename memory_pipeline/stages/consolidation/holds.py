"""The holds of rollbacks that are in force: which versions stand on which days of which users (``ledger.hold``)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from datetime import date

from memory_pipeline.domain.calendar import Grain, Period
from memory_pipeline.domain.ids import digest
from memory_pipeline.domain.ledger.hold import Hold, latest_holds
from memory_pipeline.domain.scope import Scope
from memory_pipeline.stages.context import StageContext

# Stages whose prompts, models and policy make what a hold decides on.
_MADE_BY = {
    "memories": ("proposals", "memories", "lifecycle"),
    "patterns": ("patterns",),
    "reflections": ("reflections",),
}

HeldDays = Mapping[date, frozenset[str]]


def code_in_force(ctx: StageContext, stage: str) -> str:
    """Digest of the prompts, models and policy that make a stage's versions: a hold is of those of its time only."""
    from memory_pipeline.stages.plan.freshness import code_version
    from memory_pipeline.stages.plan.registry import BY_NAME

    return digest(*(code_version(ctx.settings, ctx.prompts, BY_NAME[name]) for name in _MADE_BY[stage]))[:16]


def holds_in_force(ctx: StageContext, scopes: Iterable[Scope]) -> dict[Scope, HeldDays]:
    """By user the days that are held, with the ids of the versions that stand; users without are absent."""
    held = _of_this_code(ctx, scopes, "memories")
    if not held:
        return {}
    now = windows_of(ctx, {scope for scope, _ in held}, {day for _, day in held})
    found: dict[Scope, dict[date, frozenset[str]]] = defaultdict(dict)
    for (scope, day), hold in held.items():
        if now.get((scope, day), frozenset()) <= set(hold.inputs):  # nothing was said or edited since
            found[scope][day] = frozenset(hold.versions)
    return dict(found)


def held_weeks(ctx: StageContext, scopes: Iterable[Scope], stage: str) -> dict[Scope, dict[Period, Hold]]:
    """By user the weeks of patterns or reflections that are held; ``domain.ledger.hold.stood_in`` says which count."""
    found: dict[Scope, dict[Period, Hold]] = defaultdict(dict)
    for (scope, start), hold in _of_this_code(ctx, scopes, stage).items():
        found[scope][Period(Grain.WEEK, start)] = hold
    return found


def _of_this_code(ctx: StageContext, scopes: Iterable[Scope], stage: str) -> dict[tuple[Scope, date], Hold]:
    wanted = set(scopes) if ctx.lake.days("holds") else set()
    if not wanted:
        return {}
    code = code_in_force(ctx, stage)
    rows = [row for row in hold_rows(ctx, wanted) if row.stage == stage]
    return {place: hold for place, hold in latest_holds(rows).items() if hold.code == code}


def hold_rows(ctx: StageContext, scopes: Iterable[Scope] | None = None) -> list[Hold]:
    """Every row of the holds of some users, None = all."""
    from memory_pipeline.storage.parquet.arrow_rows import from_table
    from memory_pipeline.storage.queries.ledger import scopes_table

    if scopes is None:
        return ctx.lake.read("holds", Hold)
    table = ctx.lake.sql(
        "SELECT h.* FROM holds h SEMI JOIN wanted USING (tenant_id, user_id)", tables={"wanted": scopes_table(scopes)}
    )
    return from_table(table, Hold)


def windows_of(
    ctx: StageContext, scopes: Iterable[Scope], days: Collection[date]
) -> dict[tuple[Scope, date], frozenset[str]]:
    """Ids of the windows of some users, by user and day."""
    from memory_pipeline.storage.queries.ledger import scopes_table

    if not days:
        return {}
    table = ctx.lake.sql(
        "SELECT tenant_id, user_id, day, list(window_id) AS ids FROM windows SEMI JOIN wanted USING "
        "(tenant_id, user_id) GROUP BY ALL",
        days={"windows": days},
        tables={"wanted": scopes_table(scopes)},
    )
    rows = zip(*(table[c].to_pylist() for c in ("tenant_id", "user_id", "day", "ids")), strict=True)
    return {(Scope(t, u), day): frozenset(ids) for t, u, day, ids in rows}
