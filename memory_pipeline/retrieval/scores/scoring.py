"""Scores of candidates under a ranking profile, and what each signal contributed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from memory_pipeline.domain.policy import CurvePolicy, Policy, ProfilePolicy
from memory_pipeline.domain.reading import ranking
from memory_pipeline.domain.reading.recall import Signal
from memory_pipeline.retrieval.scores.candidates import Candidates
from memory_pipeline.retrieval.store.user_rows import MEMORIES, MESSAGES
from memory_pipeline.storage.parquet.schemas import Usefulness

if TYPE_CHECKING:
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]

_DAY = 86_400.0


class Signals(Mapping[str, "Floats"]):
    """Every signal of ``ranking``, each of shape (candidates,), worked out when it is first looked at: a profile
    weighs some of them.

    Args:
        now: the moment of the read, seconds since 1970.
        useful: by item id, what earlier reads say.
        sample: where a profile that explores draws the q of unproven rows from (KN-20).
    """

    def __init__(
        self,
        found: Candidates,
        policy: Policy,
        profile: ProfilePolicy,
        now: float,
        useful: Mapping[str, Usefulness],
        sample: Callable[[], np.random.Generator],
    ) -> None:
        self.found = found
        self.policy = policy
        self.profile = profile
        self.now = now
        self.sample = sample
        self.count = len(found.places)
        self.known = [useful.get(i) for i in found.rows.ids[found.places]] if useful else []
        self._made: dict[str, Floats] = {}

    def __getitem__(self, name: str) -> Floats:
        if name not in self._made:
            self._made[name] = _FORMULAS[name](self)
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(_FORMULAS)

    def __len__(self) -> int:
        return len(_FORMULAS)

    def stated(self, column: str, neutral: float) -> Floats:
        """A figure of memories; the neutral one of rows that state none."""
        rows = self.found.rows
        if rows.name != MEMORIES:
            return np.full(self.count, neutral)
        return rows.numbers(column)[self.found.places]

    @cached_property
    def event(self) -> Floats:
        """When each was said, seconds since 1970."""
        rows = self.found.rows
        return rows.seconds("created_at" if rows.name == MESSAGES else "observed_at")[self.found.places]

    @cached_property
    def accessed(self) -> Floats:
        """When each was last said, confirmed or recalled, seconds since 1970."""
        rows = self.found.rows
        said = rows.seconds("referenced_at")[self.found.places] if rows.name == MEMORIES else self.event
        if not self.known:
            return said
        return np.maximum(said, [u.last_access.timestamp() if u else -np.inf for u in self.known])

    @cached_property
    def recalls(self) -> Floats:
        """How often each was recalled."""
        return _each(lambda u: u.access_count if u else 0, self.known) if self.known else np.zeros(self.count)


def _recency(s: Signals) -> Floats:
    base = s.event if s.profile.recency_base == "event" else s.accessed
    return recencies(s.profile.recency, s.profile.recency_rate, (s.now - base) / _DAY)


_FORMULAS: Mapping[str, Callable[[Signals], Floats]] = {
    "similarity": lambda s: s.found.similarity,
    "keyword": lambda s: s.found.keyword,
    "recency": _recency,
    "importance": lambda s: _importance(s.found, s.policy, (s.now - s.accessed) / _DAY, s.recalls),
    "salience": lambda s: s.stated("salience", ranking.NEUTRAL_SALIENCE),
    "confidence": lambda s: s.stated("confidence", 1.0),  # a message certainly was said
    "access_frequency": lambda s: _each(ranking.access_frequency, s.recalls) if s.known else np.zeros(s.count),
    "entity_match": lambda s: s.found.named.astype(np.float64),
    "session": lambda s: s.found.session,
    "following": lambda s: s.found.following,
    "distinct": lambda s: s.found.distinct,
    "aside": lambda s: s.found.aside.astype(np.float64),
    "replaced": lambda s: s.found.replaced.astype(np.float64),
    "dated": lambda s: s.found.dated.astype(np.float64),
    "in_period": lambda s: s.found.in_period,
    "linked": lambda s: s.found.linked,
    "late": lambda s: s.found.late,
    "late_session": lambda s: s.found.late_session,
    "pinned": lambda s: s.stated("pinned", 0.0),
    "open_loop_urgency": lambda s: _urgency(s.found, s.now, s.policy.context.due_within_days),
    "q_value": lambda s: _q_values(s.known, s.count, s.profile.exploration, s.sample),
}


def recencies(kind: str, rate: float, days: Floats) -> Floats:
    """``domain.reading.ranking.recency`` of many rows, shape of ``days``.

    Raises:
        ValueError: the kind is not known.
    """
    elapsed = np.maximum(days, 0.0)
    match kind:
        case "none":
            return np.zeros_like(elapsed)
        case "linear":
            return np.asarray(np.maximum(1 - elapsed / rate, 0.0), dtype=np.float64)
        case "exponential":
            return np.asarray(np.exp(-rate * elapsed), dtype=np.float64)
    raise ValueError(f"no recency of kind {kind!r}: none, linear or exponential")


def _each(formula: Callable[[Any], float], values: Iterable[Any]) -> Floats:
    return np.array([formula(value) for value in values], dtype=np.float64)


def _importance(found: Candidates, policy: Policy, idle_days: Floats, recalls: Floats) -> Floats:
    """Strength at the time of the read; no less than the policy's floor, since states decide what is retrieved."""
    if found.rows.name != MEMORIES:
        return np.full(len(found.places), ranking.NEUTRAL_IMPORTANCE)
    rows, places = found.rows, found.places
    importance = rows.numbers("importance")[places]
    slowed = 1 + rows.numbers("reinforcements")[places] + np.minimum(recalls / policy.strength.recalls, 1.0)
    left: Floats = importance.copy()
    fades = rows.numbers("pinned")[places] == 0  # pinned memories do not fade (DL-27)
    for name in policy.curves:
        types = [kind for kind, rules in policy.lifecycle.items() if rules.curve == name]
        those = rows.matching("type", types)[places] & fades
        left[those] = strengths(importance[those], idle_days[those], policy.curves[name], slowed[those])
    kept: Floats = np.maximum(left, np.minimum(importance, policy.strength.score_floor))
    return kept


def strengths(importance: Floats, days: Floats, curve: CurvePolicy, slowed: Floats) -> Floats:
    """``domain.ledger.strength.strength`` of many memories on one curve, each argument of shape (memories,).

    Raises:
        ValueError: the curve is of no known kind.
    """
    elapsed = np.maximum(days, 0.0) / slowed
    idle = np.maximum(elapsed - curve.after_days, 0.0)
    match curve.kind:
        case "none":
            return importance
        case "stepped":
            late = np.maximum(elapsed - curve.late_after_days, 0.0)
            left = importance * np.power(curve.rate, idle - late) * np.power(curve.late_rate, late)
        case "subtract":
            left = importance - curve.rate * idle
        case "logarithmic":
            left = importance * (1 - curve.rate * np.log1p(idle))
        case _:
            raise ValueError(f"no strength curve of kind {curve.kind!r}: none, stepped, subtract or logarithmic")
    kept: Floats = np.maximum(left, np.minimum(curve.floor, importance))
    return kept


def _urgency(found: Candidates, now: float, horizon: float) -> Floats:
    urgency = np.zeros(len(found.places), dtype=np.float64)
    if found.rows.name == MEMORIES:
        due, loops = found.rows.seconds("due_at"), found.rows.matching("type", ("open_loop",))[found.places]
        for n in np.flatnonzero(loops):
            due_at = due[found.places[n]]
            urgency[n] = ranking.open_loop_urgency(None if np.isnan(due_at) else (due_at - now) / _DAY, horizon)
    return urgency


def _q_values(
    known: Sequence[Usefulness | None], count: int, explores: bool, sample: Callable[[], np.random.Generator]
) -> Floats:
    if not known and not explores:
        return np.full(count, ranking.NEUTRAL_Q)
    drawn = sample() if explores else None
    return _each(lambda u: _q_value(u, drawn), known or [None] * count)


def _q_value(known: Usefulness | None, sample: np.random.Generator | None) -> float:
    recalls, verified = (known.access_count, known.verified_count) if known else (0, 0)
    belief = ranking.belief(recalls, verified) if sample is not None else None
    if sample is not None and belief is not None:
        return float(sample.beta(*belief))
    return known.q_value if known else ranking.NEUTRAL_Q


def scores(values: Mapping[str, Floats], weights: Mapping[str, float]) -> Floats:
    """Weighted sums, shape (candidates,)."""
    total = np.zeros_like(values["similarity"])
    for name, weight in weights.items():
        total += weight * values[name]
    return total


class Explained(Mapping[str, Signal]):
    """All signals of one candidate, each worked out when it is looked at; their contributions add up to its score."""

    __slots__ = ("_place", "_values", "_weights")

    def __init__(self, values: Mapping[str, Floats], weights: Mapping[str, float], place: int) -> None:
        self._values, self._weights, self._place = values, weights, place

    def __getitem__(self, name: str) -> Signal:
        value, weight = float(self._values[name][self._place]), self._weights.get(name, 0.0)
        return Signal(value, weight, weight * value)

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)
