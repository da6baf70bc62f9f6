"""Shape of the figures from which on a rate is worth a look."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RatePolicy:
    """When a rate warns.

    Attributes:
        trailing_days: days before, that a rate is held against.
        least: what must have been counted for a rate to tell anything.
        rise: times the trailing rate from which on it has risen.
        floor: share below which a rise does not matter.
        limits: share from which on each rate warns, by its name.
    """

    trailing_days: int
    least: int
    rise: float
    floor: float
    limits: Mapping[str, float]
