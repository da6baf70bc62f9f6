"""What a stage of insights did, by the week's first day."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import date

from memory_pipeline.stages.publication.audit_result import Audit


@dataclass
class InsightReport:
    """What finding patterns, or reflecting, did.

    Attributes:
        made: patterns or insights that stand, new ones and confirmed ones.
        failed: groups or users about whom no reply fits; the week stays stale.
        audits: what every audit found before anything was published.
    """

    made: Counter[date] = field(default_factory=Counter)
    failed: Counter[date] = field(default_factory=Counter)
    audits: tuple[Audit, ...] = ()
