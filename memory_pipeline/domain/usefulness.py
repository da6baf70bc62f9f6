"""How useful an item has proved: a value that feedback moves (KN-19)."""

from __future__ import annotations

from collections.abc import Iterable

from memory_pipeline.domain.policy import FeedbackPolicy


def q_value(feedback: Iterable[bool], policy: FeedbackPolicy) -> float:
    """Value of an item after its feedback in order: an exponential average towards 1 when it helped, 5 % less each time
    it was used and did not (KN-19). 0 to 1."""
    value = policy.q_start
    for helpful in feedback:
        value += policy.helpful_rate * (1 - value) if helpful else -policy.unhelpful_drop * value
    return value
