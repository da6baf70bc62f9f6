"""Shapes of the figures that say how long an asset may go without being made."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Unmade:
    """Hours since an asset was last made, from which on it is about to fail, and fails."""

    warn_hours: int
    fail_hours: int


@dataclass(frozen=True, slots=True)
class FreshnessPolicy:
    """By how often the schedules make an asset."""

    nightly: Unmade
    weekly: Unmade
    monthly: Unmade
