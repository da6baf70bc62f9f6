"""The shape of the policy table. The figures stand in ``policy.toml``; a file of the user's own may override any.

Sources of the figures are named beside them in the table.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, get_args, get_origin, get_type_hints

from memory_pipeline.domain.ids import digest


@dataclass(frozen=True, slots=True)
class WindowPolicy:
    max_messages: int
    max_tokens: int
    pause_minutes: int
    context_messages: int


@dataclass(frozen=True, slots=True)
class GatePolicy:
    min_length: int
    max_length: int
    min_confidence: float
    min_salience: float
    min_salience_ephemeral: float
    min_quality: float
    min_quote_words: int
    grounding_overlap: float


@dataclass(frozen=True, slots=True)
class SimilarityPolicy:
    duplicate: float
    auto_merge: float
    merge: float
    judge: float
    link: float
    answer: float
    same_words: float


@dataclass(frozen=True, slots=True)
class ConsolidationPolicy:
    candidates: int
    max_links: int
    merge_importance: float
    reinforce_importance: float
    reinforce_confidence: float
    outcome_importance: float
    max_retired_share: float
    min_retired: int


@dataclass(frozen=True, slots=True)
class LifecyclePolicy:
    """One type's life, in days; 0 = the rule does not apply.

    Attributes:
        stale_after: days without reference or reinforcement until active → stale.
        archive_after: days after that until stale → archived.
        silence_after: days without mention until an open loop is closed.
        grace: days after the due date until an open loop is closed.
        curve: name of its strength curve.
    """

    stale_after: int
    archive_after: int
    silence_after: int
    grace: int
    curve: str


@dataclass(frozen=True, slots=True)
class CurvePolicy:
    """A named decay of strength with the days since the last access.

    Attributes:
        kind: ``none``, ``stepped`` (KN-22), ``subtract`` (LS-21) or ``logarithmic`` (NM-36).
        floor: strength never falls below it.
    """

    kind: str
    floor: float
    rate: float
    after_days: int
    late_rate: float
    late_after_days: int


@dataclass(frozen=True, slots=True)
class SummaryPolicy:
    rolling_tokens: int
    rolling_user_turns: int
    day_tokens: int
    week_tokens: int
    month_tokens: int
    input_tokens: int


@dataclass(frozen=True, slots=True)
class ReflectionPolicy:
    min_evidence: int
    min_days: int
    importance_threshold: float
    max_insights: int


@dataclass(frozen=True, slots=True)
class PatternPolicy:
    overlap: float
    min_findings: int
    min_episodes: int
    max_group: int


@dataclass(frozen=True, slots=True)
class ProfilePolicy:
    """Weights of one ranking profile and the shape of its recency."""

    recency: str
    recency_rate: float
    recency_base: str
    normalise: bool
    exploration: bool
    weights: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class RetrievalPolicy:
    candidates: int
    short_turn_characters: int
    previous_turn_characters: int
    encoded_characters: int
    bm25_k1: float
    bm25_b: float


@dataclass(frozen=True, slots=True)
class ContextPolicy:
    """The prompt block.

    Attributes:
        relevant: similarity or keyword share below which a hit has nothing to do with the turn.
        share_of_best: share of the best hit's score below which a hit is left out.
        asked_for: the same, from which on it is what the turn is about.
        quote_tokens: size of a quoted message at most.
        summaries: calendar summaries at most.
    """

    budget_tokens: int
    lessons_tokens: int
    known_facts: int
    items: int
    due_within_days: int
    relevant: float
    share_of_best: float
    asked_for: float
    quote_tokens: int
    summaries: int


@dataclass(frozen=True, slots=True)
class FeedbackPolicy:
    q_start: float
    helpful_rate: float
    unhelpful_drop: float


@dataclass(frozen=True, slots=True)
class Policy:
    """Every threshold of the pipeline."""

    window: WindowPolicy
    gate: GatePolicy
    similarity: SimilarityPolicy
    consolidation: ConsolidationPolicy
    lifecycle: Mapping[str, LifecyclePolicy]
    curves: Mapping[str, CurvePolicy]
    summary: SummaryPolicy
    reflection: ReflectionPolicy
    pattern: PatternPolicy
    profiles: Mapping[str, ProfilePolicy]
    retrieval: RetrievalPolicy
    context: ContextPolicy
    feedback: FeedbackPolicy

    def version(self, *sections: str) -> str:
        """Short digest of some sections: part of the code version of the assets that go by them."""
        return digest(*(repr(getattr(self, section)) for section in sections))[:12]


def build(cls: type[Any], table: Mapping[str, Any], where: str = "policy") -> Any:
    """A policy dataclass from a parsed TOML table.

    Raises:
        ValueError: a figure is missing, unknown or of the wrong kind; the message names it.
    """
    hints = get_type_hints(cls)
    known = {f.name for f in fields(cls)}
    for name in table:
        if name not in known:
            raise ValueError(f"{where}.{name} is not a known setting")
    for name in known:
        if name not in table:
            raise ValueError(f"{where}.{name} is missing")
    return cls(**{name: _value(hints[name], table[name], f"{where}.{name}") for name in known})


def _value(hint: Any, value: Any, where: str) -> Any:
    if is_dataclass(hint) and isinstance(hint, type):
        if not isinstance(value, Mapping):
            raise ValueError(f"{where} must be a table")
        return build(hint, value, where)
    if get_origin(hint) is not None:
        if not isinstance(value, Mapping):
            raise ValueError(f"{where} must be a table")
        inner = get_args(hint)[1]
        return {key: _value(inner, value[key], f"{where}.{key}") for key in sorted(value)}
    if hint is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if not isinstance(value, hint) or (hint is int and isinstance(value, bool)):
        raise ValueError(f"{where} must be {hint.__name__}, not {value!r}")
    return value
