"""How long each asset may go without being made, by how often the schedules make it (``[freshness]``)."""

from __future__ import annotations

from datetime import timedelta

import dagster as dg

from memory_pipeline.domain.policy import Unmade
from memory_pipeline.settings import Settings
from memory_pipeline.stages.plan.registry import RHYTHMS, of_cadence

_PERIODS = {name: str(cadence) for cadence in RHYTHMS for name in of_cadence(cadence)} | {"evaluation": "weekly"}
_ON_ARRIVAL = frozenset({"session_summaries"})  # where nobody speaks there is nothing to be late with


def watched(spec: dg.AssetSpec) -> dg.AssetSpec:
    """The asset with its freshness policy: the daemon looks at it every half minute, and the UI shows its state.

    What the policy has no figures for is not watched.
    """
    figures = Settings.load().policies.freshness
    name = spec.key.to_user_string()
    if name in _ON_ARRIVAL:
        return spec
    unmade: Unmade | None = getattr(figures, _PERIODS.get(name, "nightly"), None)
    return spec if unmade is None else spec.replace_attributes(freshness_policy=_policy(unmade))


def _policy(figures: Unmade) -> dg.FreshnessPolicy:
    return dg.FreshnessPolicy.time_window(
        fail_window=timedelta(hours=figures.fail_hours), warn_window=timedelta(hours=figures.warn_hours)
    )
