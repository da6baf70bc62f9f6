"""Two rankings of every read, compared: what stays, what comes and goes, and whether that may be let through (KN-28).

Pure functions over keys: an item's key is the same on both sides when both rest on the same message first, whatever
ids the sides have given it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean

from memory_pipeline.domain.policy import ShadowPolicy

FAULTS = (
    "foreign",
    "above_ceiling",
    "other_domain",
    "other_agent",
    "other_session",
    "forgotten",
    "avoided",
    "failed",
)
"""What no read may show: rows of others, above its ceiling, taken back, not to be brought up; or no answer at all."""
_PERSISTENCE = 0.9


@dataclass(frozen=True, slots=True)
class SideOfRead:
    """What one side answered to a read.

    Attributes:
        keys: of the items, best first.
        helpful, unhelpful: of the items that somebody has rated, those that are there, by place from 0.
        faults: of ``FAULTS``, how many items.
        tokens: estimated size of what was returned.
    """

    keys: tuple[str, ...]
    helpful: Mapping[str, int] = field(default_factory=dict)
    unhelpful: Mapping[str, int] = field(default_factory=dict)
    faults: Mapping[str, int] = field(default_factory=dict)
    ms: float = 0.0
    tokens: int = 0


@dataclass(frozen=True, slots=True)
class ReadPair:
    """A read as both sides answer it; ``user`` tells users apart."""

    user: Hashable
    base: SideOfRead
    candidate: SideOfRead


def overlap(one: Sequence[str], other: Sequence[str], k: int) -> float:
    """Share of the first ``k`` items that both have, of the longer of the two; 1 where both are empty."""
    first, second = set(one[:k]), set(other[:k])
    longer = max(len(first), len(second))
    return len(first & second) / longer if longer else 1.0


def rank_biased_overlap(one: Sequence[str], other: Sequence[str], p: float = _PERSISTENCE) -> float:
    """Agreement of two rankings, the first places counting most: 1 where they are equal, 0 where nothing is common.

    Extrapolated to infinite depth for rankings of uneven length (Webber, Moffat and Zobel 2010, equation 32).

    Args:
        p: chance of looking at one more place, between 0 and 1.
    """
    shorter, longer = sorted((one, other), key=len)
    s, length = len(shorter), len(longer)
    if not s:
        return 1.0 if not length else 0.0
    seen_short, seen_long = set[str](), set[str]()
    common: list[int] = []
    for depth in range(length):
        seen_long.add(longer[depth])
        if depth < s:
            seen_short.add(shorter[depth])
        common.append(len(seen_short & seen_long))
    at_s, at_end = common[s - 1], common[-1]
    total = sum(common[d - 1] / d * p**d for d in range(1, length + 1))
    total += sum(at_s * (d - s) / (s * d) * p**d for d in range(s + 1, length + 1))
    found = (1 - p) / p * total + ((at_end - at_s) / length + at_s / s) * p**length
    return min(max(found, 0.0), 1.0)


def percentile(values: Sequence[float], share: float) -> float:
    """The value that a share of the values does not exceed (nearest rank); 0 where there are none."""
    ordered = sorted(values)
    return ordered[max(math.ceil(share * len(ordered)) - 1, 0)] if ordered else 0.0


def compare(pairs: Sequence[ReadPair], policy: ShadowPolicy) -> dict[str, float]:
    """The figures of a comparison by name; ``…_base`` and ``…_candidate`` where each side has its own.

    ``helpful_lost``: items that had helped, that the base still returns and the candidate does not; ``…_gained`` the
    other way round. ``mrr``: mean of 1 / place of the first item that had helped, over the reads that have any.
    """
    k = policy.depth
    found: dict[str, float] = {
        "reads": len(pairs),
        "users": len({pair.user for pair in pairs}),
        f"overlap@{k}": _mean(overlap(p.base.keys, p.candidate.keys, k) for p in pairs),
        "rank_biased_overlap": _mean(rank_biased_overlap(p.base.keys, p.candidate.keys) for p in pairs),
        "reads_changed": sum(p.base.keys != p.candidate.keys for p in pairs),
        "gained": sum(len(set(p.candidate.keys) - set(p.base.keys)) for p in pairs),
        "lost": sum(len(set(p.base.keys) - set(p.candidate.keys)) for p in pairs),
    }
    for name in ("helpful", "unhelpful"):
        base, candidate = ([set(getattr(side, name)) for side in of] for of in _sides(pairs))
        both = list(zip(base, candidate, strict=True))
        found |= {
            f"{name}_base": sum(map(len, base)),
            f"{name}_candidate": sum(map(len, candidate)),
            f"{name}_kept": sum(len(b & c) for b, c in both),
            f"{name}_lost": sum(len(b - c) for b, c in both),
            f"{name}_gained": sum(len(c - b) for b, c in both),
        }
    rated = [p for p in pairs if p.base.helpful or p.candidate.helpful]
    for name, sides in zip(("base", "candidate"), _sides(pairs), strict=True):
        found[f"mrr_{name}"] = _mean(_reciprocal_rank(getattr(pair, name)) for pair in rated)
        found[f"p50_ms_{name}"] = percentile([side.ms for side in sides], 0.5)
        found[f"p95_ms_{name}"] = percentile([side.ms for side in sides], 0.95)
        found[f"tokens_{name}"] = sum(side.tokens for side in sides)
        faults = sum((Counter(side.faults) for side in sides), Counter[str]())
        found |= {f"{fault}_{name}": faults[fault] for fault in FAULTS}
    return found


def _sides(pairs: Sequence[ReadPair]) -> tuple[list[SideOfRead], list[SideOfRead]]:
    return [p.base for p in pairs], [p.candidate for p in pairs]


def _reciprocal_rank(side: SideOfRead) -> float:
    return 1 / (min(side.helpful.values()) + 1) if side.helpful else 0.0


def _mean(values: Iterable[float]) -> float:
    listed = list(values)
    return fmean(listed) if listed else 1.0


_WHY = {
    "foreign": "items of other users or unknown to the home",
    "above_ceiling": "items above the read's ceiling of classification",
    "other_domain": "items of another domain than the read's",
    "other_agent": "items of another agent than the read's",
    "other_session": "items of another session than the read's, or turns that its prompt held already",
    "forgotten": "items that the user has taken back",
    "avoided": "items offered that must not be brought up",
    "failed": "reads that could not be answered",
}


def verdict(metrics: Mapping[str, float], policy: ShadowPolicy) -> list[str]:
    """Why a candidate may not be let through; nothing where it may. The rules are those of what is in force."""
    reasons = []
    if metrics["reads"] < policy.min_reads:
        reasons.append(f"{metrics['reads']:.0f} reads were replayed; at least {policy.min_reads} are needed")
    reasons += [
        f"{metrics[f'{fault}_candidate']:.0f} {why}" for fault, why in _WHY.items() if metrics[f"{fault}_candidate"]
    ]
    lost, there = metrics["helpful_lost"], metrics["helpful_base"]
    if lost > policy.lost_helpful * there:
        reasons.append(
            f"{lost:.0f} of {there:.0f} items that had helped are lost; {policy.lost_helpful:.0%} may be ([shadow])"
        )
    slow, limit = metrics["p50_ms_candidate"], policy.slower * metrics["p50_ms_base"]
    if metrics["reads"] >= policy.latency_reads and slow > max(limit, policy.latency_ms):
        reasons.append(f"the median read takes {slow:.1f} ms, more than {policy.slower:g} times the base's")
    return reasons
