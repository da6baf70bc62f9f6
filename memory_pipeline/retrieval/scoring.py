"""Scores of candidates under a ranking profile, and what each signal contributed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from memory_pipeline.domain import ranking
from memory_pipeline.domain.policy import Policy, ProfilePolicy
from memory_pipeline.domain.recall import Signal
from memory_pipeline.domain.strength import strength
from memory_pipeline.retrieval.candidates import Candidates
from memory_pipeline.retrieval.rows import MEMORIES, MESSAGES
from memory_pipeline.storage.schemas import Usefulness

if TYPE_CHECKING:
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]

_DAY = 86_400.0


def signals(
    found: Candidates,
    policy: Policy,
    profile: ProfilePolicy,
    now: float,
    useful: Mapping[str, Usefulness],
    sample: np.random.Generator,
) -> dict[str, Floats]:
    """Every signal of ``domain.ranking``, each of shape (candidates,).

    Args:
        now: the moment of the read, seconds since 1970.
        useful: by item id, what earlier reads say.
        sample: where a profile that explores draws the q of unproven rows from (KN-20).
    """
    rows, places = found.rows, found.places
    count = len(places)
    memory = rows.name == MEMORIES
    known = [useful.get(i) for i in rows.ids[places]]
    event = rows.seconds("created_at" if rows.name == MESSAGES else "observed_at")[places]
    accessed = np.maximum(
        rows.seconds("referenced_at")[places] if memory else event,
        [u.last_access.timestamp() if u else -np.inf for u in known],
    )
    base = event if profile.recency_base == "event" else accessed

    def of(column: str, neutral: float) -> Floats:
        return rows.numbers(column)[places] if memory else np.full(count, neutral)

    return {
        "similarity": found.similarity,
        "keyword": found.keyword,
        "recency": _each(lambda d: ranking.recency(profile.recency, profile.recency_rate, d), (now - base) / _DAY),
        "importance": _importance(found, policy, (now - accessed) / _DAY),
        "salience": of("salience", ranking.NEUTRAL_SALIENCE),
        "confidence": of("confidence", 1.0),  # a message certainly was said
        "access_frequency": _each(lambda u: ranking.access_frequency(u.access_count if u else 0), known),
        "entity_match": found.named.astype(np.float64),
        "pinned": of("pinned", 0.0),
        "open_loop_urgency": _urgency(found, now, policy.context.due_within_days),
        "q_value": _each(lambda u: _q_value(u, profile.exploration, sample), known),
    }


def _each(formula: Callable[[Any], float], values: Iterable[Any]) -> Floats:
    return np.array([formula(value) for value in values], dtype=np.float64)


def _importance(found: Candidates, policy: Policy, idle_days: Floats) -> Floats:
    if found.rows.name != MEMORIES:
        return np.full(len(found.places), ranking.NEUTRAL_IMPORTANCE)
    rows, left = found.rows, []
    for place, days in zip(found.places, idle_days, strict=True):
        importance = float(rows.numbers("importance")[place])
        if not rows.numbers("pinned")[place]:  # pinned memories do not fade (DL-27)
            curve = policy.curves[policy.lifecycle[rows.values("type")[place]].curve]
            importance = strength(importance, int(rows.numbers("reinforcements")[place]), float(days), curve)
        left.append(importance)
    return np.array(left, dtype=np.float64)


def _urgency(found: Candidates, now: float, horizon: float) -> Floats:
    urgency = np.zeros(len(found.places), dtype=np.float64)
    if found.rows.name == MEMORIES:
        due, types = found.rows.seconds("due_at"), found.rows.values("type")
        for n, place in enumerate(found.places):
            if types[place] == "open_loop":
                days_left = None if np.isnan(due[place]) else (due[place] - now) / _DAY
                urgency[n] = ranking.open_loop_urgency(days_left, horizon)
    return urgency


def _q_value(known: Usefulness | None, explores: bool, sample: np.random.Generator) -> float:
    recalls, verified = (known.access_count, known.verified_count) if known else (0, 0)
    belief = ranking.belief(recalls, verified) if explores else None
    if belief is not None:
        return float(sample.beta(*belief))
    return known.q_value if known else ranking.NEUTRAL_Q


def scores(values: Mapping[str, Floats], weights: Mapping[str, float]) -> Floats:
    """Weighted sums, shape (candidates,)."""
    total = np.zeros_like(values["similarity"])
    for name, weight in weights.items():
        total += weight * values[name]
    return total


def explained(values: Mapping[str, Floats], weights: Mapping[str, float], place: int) -> dict[str, Signal]:
    """All signals of one candidate; their contributions add up to its score."""
    found = {}
    for name, column in values.items():
        value, weight = float(column[place]), weights.get(name, 0.0)
        found[name] = Signal(value, weight, weight * value)
    return found
