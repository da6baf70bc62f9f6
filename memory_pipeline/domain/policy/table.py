"""The whole policy table, and how it is built from parsed TOML."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from enum import Enum
from functools import reduce
from typing import Any, get_args, get_origin, get_type_hints

from memory_pipeline.domain.ids import digest
from memory_pipeline.domain.policy.classification import ClassificationPolicy
from memory_pipeline.domain.policy.forecast import ForecastPolicy
from memory_pipeline.domain.policy.freshness import FreshnessPolicy
from memory_pipeline.domain.policy.maintenance import MaintenancePolicy
from memory_pipeline.domain.policy.rates import RatePolicy
from memory_pipeline.domain.policy.reading import (
    ContextPolicy,
    EvaluationPolicy,
    FeedbackPolicy,
    IsolationPolicy,
    PayloadPolicy,
    ProfilePolicy,
    RetrievalPolicy,
    ShadowPolicy,
    StandingProfilePolicy,
)
from memory_pipeline.domain.policy.retention import RetentionPolicy
from memory_pipeline.domain.policy.serving import ServingPolicy, WorkingPolicy
from memory_pipeline.domain.policy.time import (
    CurvePolicy,
    LifecyclePolicy,
    PatternPolicy,
    PrunePolicy,
    ReflectionPolicy,
    StrengthPolicy,
    SummaryPolicy,
)
from memory_pipeline.domain.policy.writing import (
    CalibrationPolicy,
    ConsolidationPolicy,
    CurationPolicy,
    DerivedPolicy,
    GatePolicy,
    LinkPolicy,
    SimilarityPolicy,
    WindowPolicy,
)
from memory_pipeline.domain.proposal import MemoryType


@dataclass(frozen=True, slots=True)
class Policy:
    """Every threshold of the pipeline."""

    window: WindowPolicy
    gate: GatePolicy
    classification: ClassificationPolicy
    derived: DerivedPolicy
    similarity: SimilarityPolicy
    calibration: CalibrationPolicy
    consolidation: ConsolidationPolicy
    links: LinkPolicy
    lifecycle: Mapping[MemoryType, LifecyclePolicy]
    curves: Mapping[str, CurvePolicy]
    strength: StrengthPolicy
    prune: PrunePolicy
    summary: SummaryPolicy
    reflection: ReflectionPolicy
    pattern: PatternPolicy
    profiles: Mapping[str, ProfilePolicy]
    retrieval: RetrievalPolicy
    context: ContextPolicy
    profile: StandingProfilePolicy
    payload: PayloadPolicy
    feedback: FeedbackPolicy
    curation: CurationPolicy
    retention: RetentionPolicy
    forecast: ForecastPolicy
    evaluation: EvaluationPolicy
    isolation: IsolationPolicy
    shadow: ShadowPolicy
    maintenance: MaintenancePolicy
    freshness: FreshnessPolicy
    rates: RatePolicy
    working: WorkingPolicy
    serving: ServingPolicy

    def for_encoder(self, name: str) -> Policy:
        """The policy with the figures of likeness that were measured with an encoder, where there are any.

        Args:
            name: ``Encoder.model`` of the vectors in force.
        """
        own = self.calibration.others.get(name)
        return self if own is None else replace(self, similarity=own)

    def version(self, *sections: str) -> str:
        """Short digest of some sections ("gate", "gate.sensitive"): part of the code version of what goes by them."""
        return digest(*(repr(reduce(getattr, section.split("."), self)) for section in sections))[:12]


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
        outer, inner = get_args(hint)
        found = {_value(outer, key, where): _value(inner, value[key], f"{where}.{key}") for key in sorted(value)}
        for key in outer if issubclass(outer, Enum) else ():
            if key not in found:
                raise ValueError(f"{where}.{key} is missing")
        return found
    if issubclass(hint, Enum):
        if value not in list(hint):
            raise ValueError(f"{where}: {value!r} is none of {', '.join(str(member) for member in hint)}")
        return hint(value)
    if hint is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if not isinstance(value, hint) or (hint is int and isinstance(value, bool)):
        raise ValueError(f"{where} must be {hint.__name__}, not {value!r}")
    return value
