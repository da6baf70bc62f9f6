"""How useful an item has proved: a value that feedback moves (KN-19)."""

from __future__ import annotations

from collections.abc import Iterable

from memory_pipeline.domain.policy import FeedbackPolicy


def q_value(feedback: Iterable[bool], policy: FeedbackPolicy, before: float | None = None) -> float:
    """Value of an item after its feedback in order: an exponential average towards 1 when it helped, 5 % less each time
    it was used and did not (KN-19). 0 to 1.

    Args:
        before: value that earlier feedback led to; the policy's first value when None.
    """
    value = policy.q_start if before is None else before
    for helpful in feedback:
        value += policy.helpful_rate * (1 - value) if helpful else -policy.unhelpful_drop * value
    return value
