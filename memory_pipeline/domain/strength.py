"""How much of a memory's importance is left: a formula of the time since its last access, never a rewrite of rows."""

from __future__ import annotations

import math

from memory_pipeline.domain.policy import CurvePolicy


def strength(importance: float, reinforcements: int, days: float, curve: CurvePolicy) -> float:
    """Importance left after some days without access, 0 to 1.

    ``none`` keeps it. ``stepped`` multiplies it by ``rate`` for each day after ``after_days`` and by ``late_rate`` for
    each day after ``late_after_days`` (KN-22). ``subtract`` takes ``rate`` off for each day after ``after_days``
    (LS-21). ``logarithmic`` takes off ``rate`` times the logarithm of those days (NM-36).

    Args:
        importance: as stored, 0 to 1.
        reinforcements: how often the memory was confirmed; each slows forgetting, so that n of them make a day count
            1 / (1 + n) days.
        days: since the last access or confirmation; less than 0 counts as 0.

    Raises:
        ValueError: the curve is of no known kind.
    """
    elapsed = max(days, 0.0) / (1 + reinforcements)
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
            left = importance - curve.rate * math.log1p(idle)
        case _:
            raise ValueError(f"no strength curve of kind {curve.kind!r}: none, stepped, subtract or logarithmic")
    return max(left, min(curve.floor, importance))
