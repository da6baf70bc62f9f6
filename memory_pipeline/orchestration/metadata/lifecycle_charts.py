"""Charts of what time does: strength curves, and the store's memories by age."""

from __future__ import annotations

from collections import Counter
from datetime import date
from typing import TYPE_CHECKING, Any

from memory_pipeline.orchestration.metadata.charts import bars, lines
from memory_pipeline.orchestration.metadata.values import chart

if TYPE_CHECKING:
    from memory_pipeline.domain.policy import Policy
    from memory_pipeline.stages.context import StageContext

_CURVE_DAYS, _PLACES = 365, 73
_EXAMPLE = 0.9  # NM-36 tells of a memory of this importance


def curves(policy: Policy) -> dict[str, Any]:
    """What a year without mention or read leaves of an importance of 0.9, by curve and the types that follow it."""
    from memory_pipeline.domain.ledger.strength import strength

    types = {name: [t for t, rules in policy.lifecycle.items() if rules.curve == name] for name in policy.curves}
    days = [n * _CURVE_DAYS / (_PLACES - 1) for n in range(_PLACES)]
    drawn = {
        f"{name} ({', '.join(types[name])})": [strength(_EXAMPLE, d, curve) for d in days]
        for name, curve in policy.curves.items()
        if types[name]
    }
    return {"strength curves": chart(lines(drawn, ["0", "3 months", "6 months", "9 months", "a year"]))}


def structure(ctx: StageContext, on: date) -> dict[str, Any]:
    """The whole store's memories by age, as charts, and by status, as figures that the UI plots over the days."""
    from memory_pipeline.storage.queries.ageing import AGES, age_structure

    by_status: dict[str, dict[str, int]] = {age: {} for age in AGES}
    by_type: dict[str, dict[str, int]] = {age: {} for age in AGES}
    totals: Counter[str] = Counter()
    for group in age_structure(ctx.lake, on):
        age = AGES[group.age]
        by_status[age][group.status] = by_status[age].get(group.status, 0) + group.memories
        by_type[age][group.type] = by_type[age].get(group.type, 0) + group.memories
        totals[group.status] += group.memories
    return {
        "memories by age and status": chart(bars(by_status)),
        "memories by age and type": chart(bars(by_type)),
        **{f"{status} memories": n for status, n in totals.items()},
    }
