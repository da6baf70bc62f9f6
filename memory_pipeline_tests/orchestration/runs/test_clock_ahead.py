"""A night whose clock was years ahead, and the real `run` after it was put right."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memory_pipeline.domain.ledger.memory import MemoryVersion, fold
from memory_pipeline.orchestration.runs.run import run
from memory_pipeline.settings import Settings
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.operations.age import age
from memory_pipeline_tests.factories import message

STAGES = ("proposals", "memories", "lifecycle", "memory_vectors")


def test_the_next_run_takes_back_what_came_too_early(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And does not ask Dagster for partitions that do not exist yet."""
    monkeypatch.setenv("MEMORY_PIPELINE_HOME", str(tmp_path))
    monkeypatch.setenv("DAGSTER_HOME", "")
    settings, now = Settings.load(), datetime.now(UTC)
    said_at = now - timedelta(days=2)
    StageContext(settings, "said", now).lake.append(
        "messages", [message("I went to the opera with Bruno yesterday.", said_at)]
    )
    run(settings, only=STAGES)

    def statuses() -> list[str]:
        rows = StageContext(settings, "look", now).lake.read("memory_versions", MemoryVersion)
        return [str(version.status) for version in fold(rows).values()]

    assert statuses() == ["active"]
    ahead = StageContext(settings, "ahead", now + timedelta(days=3653))
    age(ahead, [ahead.now.date()])
    assert statuses() == ["archived"]
    report = run(settings, only=STAGES)
    assert statuses() == ["active"]
    tomorrow = (now + timedelta(days=1)).date().isoformat()
    assert all(step["to"] <= tomorrow for step in report.planned)
    assert run(settings, only=STAGES).planned == []
