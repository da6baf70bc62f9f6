"""Whether a run of the fixtures is good enough (DL-32 to DL-34)."""

from __future__ import annotations

from collections.abc import Mapping

from memory_pipeline.domain.policy import EvaluationPolicy


def below(metrics: Mapping[str, float], policy: EvaluationPolicy) -> list[str]:
    """What misses its threshold, in words; nothing where all is well.

    Args:
        metrics: of ``FixtureReport``.
    """
    found = [
        f"{name} is {metrics[name]:.1%}, less than {least:.1%}"
        for name, least in (("precision", policy.precision), ("hit@3", policy.hit3))
        if metrics[name] < least
    ]
    found += [
        f"{metrics[name]:.0f} {name}, more than {most}"
        for name, most in (("leaks", policy.leaks), ("duplicates", policy.duplicates))
        if metrics[name] > most
    ]
    return found
