"""How much of a memory's importance is left: a formula of the time since its last access, never a rewrite of rows."""

from __future__ import annotations

import math
from bisect import bisect_left

from memory_pipeline.domain.policy import CurvePolicy, StrengthPolicy

_CENTURY = 36_525  # days


def slowing(reinforcements: int, recalls: int, policy: StrengthPolicy) -> float:
    """How many days count as one day of forgetting, 1 or more.

    Each confirmation adds 1; recalls add up to 1 in all, so that a single one strengthens slightly (NM-36).
    """
    return 1 + reinforcements + min(recalls / policy.recalls, 1.0)


def strength(importance: float, days: float, curve: CurvePolicy, slowed: float = 1.0) -> float:
    """Importance left after some days without access, 0 to 1.

    ``none`` keeps it. ``stepped`` multiplies it by ``rate`` for each day after ``after_days`` and by ``late_rate`` for
    each day after ``late_after_days`` (KN-22). ``subtract`` takes ``rate`` off for each day after ``after_days``
    (LS-21). ``logarithmic`` takes off ``rate`` times the logarithm of those days, as a share of it (NM-36).

    Args:
        importance: as stored, 0 to 1.
        days: since the last access or confirmation; less than 0 counts as 0.
        slowed: see :func:`slowing`.

    Raises:
        ValueError: the curve is of no known kind.
    """
    elapsed = max(days, 0.0) / slowed
    idle = max(elapsed - curve.after_days, 0.0)
    match curve.kind:
        case "none":
            return importance
        case "stepped":
            late = max(elapsed - curve.late_after_days, 0.0)
            left = importance * math.pow(curve.rate, idle - late) * math.pow(curve.late_rate, late)
        case "subtract":
            left = importance - curve.rate * idle
        case "logarithmic":
            left = importance * (1 - curve.rate * math.log1p(idle))
        case _:
            raise ValueError(f"no strength curve of kind {curve.kind!r}: none, stepped, subtract or logarithmic")
    return max(left, min(curve.floor, importance))


def fades_after(importance: float, below: float, curve: CurvePolicy, slowed: float = 1.0) -> int | None:
    """Whole days without access after which strength is less than ``below``; None = never, or not in a century.

    A curve that ends at ``below`` or above it does not fade, however little the importance (KN-22).
    """
    if curve.kind == "none" or curve.floor >= below:
        return None
    days = bisect_left(range(_CENTURY), True, key=lambda d: strength(importance, d, curve, slowed) < below)
    return days if days < _CENTURY else None
