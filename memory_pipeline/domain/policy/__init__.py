"""The shape of the policy table. The figures stand in ``policy.toml``; a file of the user's own may override any.

Sources of the figures are named beside them in the table.
"""

from memory_pipeline.domain.policy.classification import ClassificationPolicy
from memory_pipeline.domain.policy.forecast import CallFigures, ForecastPolicy
from memory_pipeline.domain.policy.freshness import FreshnessPolicy, Unmade
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
from memory_pipeline.domain.policy.table import Policy, build
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
    ConsolidationPolicy,
    CurationPolicy,
    DerivedPolicy,
    GatePolicy,
    Handling,
    LinkPolicy,
    QualityPolicy,
    SensitiveClass,
    SimilarityPolicy,
    WindowPolicy,
)

__all__ = [
    "CallFigures",
    "ClassificationPolicy",
    "ConsolidationPolicy",
    "ContextPolicy",
    "CurationPolicy",
    "CurvePolicy",
    "DerivedPolicy",
    "EvaluationPolicy",
    "FeedbackPolicy",
    "ForecastPolicy",
    "FreshnessPolicy",
    "GatePolicy",
    "Handling",
    "IsolationPolicy",
    "LifecyclePolicy",
    "LinkPolicy",
    "MaintenancePolicy",
    "PatternPolicy",
    "PayloadPolicy",
    "Policy",
    "ProfilePolicy",
    "PrunePolicy",
    "QualityPolicy",
    "RatePolicy",
    "ReflectionPolicy",
    "RetentionPolicy",
    "RetrievalPolicy",
    "SensitiveClass",
    "ServingPolicy",
    "ShadowPolicy",
    "SimilarityPolicy",
    "StandingProfilePolicy",
    "StrengthPolicy",
    "SummaryPolicy",
    "Unmade",
    "WindowPolicy",
    "WorkingPolicy",
    "build",
]
