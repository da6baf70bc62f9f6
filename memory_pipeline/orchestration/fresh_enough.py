"""How long each asset may go without being made, by how often the schedules make it (``[freshness]``)."""

from __future__ import annotations

from datetime import timedelta

import dagster as dg

from memory_pipeline.domain.policy import Unmade
from memory_pipeline.settings import Settings
from memory_pipeline.stages.plan.registry import Cadence, of_cadence

_WEEKLY = frozenset({*of_cadence(Cadence.WEEKLY), "evaluation"})
_MONTHLY = frozenset(of_cadence(Cadence.MONTHLY))
_ON_ARRIVAL = frozenset({"session_summaries"})  # where nobody speaks there is nothing to be late with


def watched(spec: dg.AssetSpec) -> dg.AssetSpec:
    """The asset with its freshness policy: the daemon looks at it every half minute, and the UI shows its state."""
    figures = Settings.load().policies.freshness
    name = spec.key.to_user_string()
    if name in _ON_ARRIVAL:
        return spec
    return spec.replace_attributes(
        freshness_policy=_policy(
            figures.monthly if name in _MONTHLY else figures.weekly if name in _WEEKLY else figures.nightly
        )
    )


def _policy(figures: Unmade) -> dg.FreshnessPolicy:
    return dg.FreshnessPolicy.time_window(
        fail_window=timedelta(hours=figures.fail_hours), warn_window=timedelta(hours=figures.warn_hours)
    )
