"""A decision that is told to have turned out well weighs more; any other report changes nothing (LS-19)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memory_pipeline.domain.ledger.memory import MemoryVersion, fold
from memory_pipeline.domain.proposal import MemoryType
from memory_pipeline.settings import Settings
from memory_pipeline.stages.consolidation.consolidate import consolidate
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.extraction.extract import extract
from memory_pipeline_tests.factories import NOON, POLICY, message


@pytest.mark.parametrize(
    ("report", "gain"),
    [
        ("The switch to Postgres paid off, reports are twice as fast.", POLICY.consolidation.outcome_importance),
        ("The switch to Postgres backfired.", 0.0),
        ("The switch to solar panels paid off.", 0.0),
    ],
    ids=["good", "bad", "another"],
)
def test_a_reported_outcome_moves_the_decision(tmp_path: Path, report: str, gain: float) -> None:
    ctx = StageContext(Settings.load(home=str(tmp_path)), "run-1", datetime(2026, 7, 1, tzinfo=UTC))
    said = [
        message("We decided to use Postgres for the reports because of its window functions.", NOON),
        message(report, NOON + timedelta(days=9)),
    ]
    ctx.lake.append("messages", said)
    days = [m.day for m in said]
    extract(ctx, days)
    consolidate(ctx, days)
    memories = fold(ctx.lake.read("memory_versions", MemoryVersion)).values()
    (decision,) = [m for m in memories if m.type is MemoryType.DECISION]
    first = min(
        (v for v in ctx.lake.read("memory_versions", MemoryVersion) if v.memory_id == decision.memory_id),
        key=lambda v: v.version,
    )
    assert decision.importance == pytest.approx(min(1.0, first.importance + gain))
    assert any(m.attribute == "outcome" for m in memories)
