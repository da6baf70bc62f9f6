"""What evaluations have found so far: one row each in the lake, never changed."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import date, datetime

from memory_pipeline.domain.ids import identifier
from memory_pipeline.storage.parquet.lake import Lake
from memory_pipeline.storage.parquet.schemas import Evaluation

FIXTURES, SHADOW = "fixtures", "shadow"


def record(
    lake: Lake,
    kind: str,
    now: datetime,
    metrics: Mapping[str, float],
    reasons: Sequence[str],
    *,
    candidate: str,
    base: str,
    subject: str,
    first: date | None = None,
    last: date | None = None,
) -> Evaluation:
    """Keep a result. It passed when there is no reason why not."""
    made = Evaluation(
        evaluation_id=identifier("evl", kind, base, candidate, str(first), str(last)),
        kind=kind,
        day=now.date(),
        candidate=candidate,
        base=base,
        subject=subject,
        first=first,
        last=last,
        metrics=json.dumps(dict(metrics), sort_keys=True),
        passed=not reasons,
        reasons=tuple(reasons),
        recorded_at=now,
    )
    lake.append("evaluations", [made])
    return made


def results(lake: Lake, kind: str, *, most: int | None = None) -> list[Evaluation]:
    """Results of a kind, oldest first.

    Args:
        most: only so many, the latest.
    """
    found = lake.read(
        "evaluations",
        Evaluation,
        where="kind = $kind",
        params={"kind": kind},
        order="recorded_at, evaluation_id",
    )
    return found if most is None else found[-most:]


def metrics_of(evaluation: Evaluation) -> dict[str, float]:
    """Figures by name."""
    found: dict[str, float] = json.loads(evaluation.metrics)
    return found


def newest(lake: Lake, candidate: str, base: str) -> Evaluation | None:
    """The last shadow result for exactly this candidate beside exactly this base."""
    found = [e for e in results(lake, SHADOW) if (e.candidate, e.base) == (candidate, base)]
    return found[-1] if found else None


def series(evaluations: Sequence[Evaluation], names: Sequence[str]) -> dict[str, list[float]]:
    """Figures over the evaluations, in their order, for a plot; 0 where one has no such figure."""
    rows = [metrics_of(e) for e in evaluations]
    return {name: [float(row.get(name, 0.0)) for row in rows] for name in names}
