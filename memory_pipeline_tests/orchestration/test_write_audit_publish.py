"""A failed audit in a real run: nothing published, nothing recorded as made, nothing downstream; then accepted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import dagster as dg
import pytest
from typer.testing import CliRunner

from benchmarks.edit_reach import put
from memory_pipeline.cli import app
from memory_pipeline.errors import AuditFailed
from memory_pipeline.orchestration.dagster_home.instance import instance
from memory_pipeline.orchestration.runs.run import run
from memory_pipeline.settings import Settings
from memory_pipeline.stages.publication.auditing import rules_of
from memory_pipeline.storage.parquet.lake import Lake
from memory_pipeline.storage.parquet.staged_rows import STAGED

FIRST, THEN = "2026-03-05", "2026-03-06"
SAID = {FIRST: "I live in Oslo.", THEN: "I moved to Lima."}


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """A policy under which next to nothing may be retired, and somebody who moves."""
    for name in ("DAGSTER_HOME", "MEMORY_PIPELINE_HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    policy = tmp_path / "strict.toml"
    policy.write_text("[consolidation]\nmin_retired = 0\nmax_retired_share = 0.1\n", encoding="utf-8")
    monkeypatch.setenv("MEMORY_PIPELINE_POLICY", str(policy))
    found = Settings.load(home=str(tmp_path))
    for day, text in SAID.items():
        said = {"user_id": "ann", "role": "user", "session_id": day, "message_id": day, "content": text}
        put(found, day, [{**said, "created_at": f"{day}T12:00:00+00:00"}])
        if text == SAID[FIRST]:
            run(found, only=["proposals", "memories"])
    return found


def _events(settings: Settings, run_id: str, kind: dg.DagsterEventType) -> list[Any]:
    with instance(settings) as dagster:
        return [entry.dagster_event for entry in dagster.all_logs(run_id, of_type=kind)]


def _last_run(settings: Settings) -> str:
    with instance(settings) as dagster:
        return str(dagster.get_run_records(limit=1)[0].dagster_run.run_id)


def _checks(settings: Settings, run_id: str) -> dict[str, Any]:
    found = _events(settings, run_id, dg.DagsterEventType.ASSET_CHECK_EVALUATION)
    evaluations = [event.asset_check_evaluation_data for event in found]
    return {e.check_name: e for e in evaluations if e.asset_key == dg.AssetKey("memories")}


def test_a_failed_audit_publishes_nothing_until_it_is_accepted(settings: Settings) -> None:
    with pytest.raises(AuditFailed, match=r"^memories: nothing was published.*1 of 2 memories .*--accept") as stopped:
        run(settings)
    failed = _last_run(settings)
    assert f"memory-pipeline staged {failed}" in str(stopped.value)
    checks = _checks(settings, failed)
    assert {name: check.passed for name, check in checks.items()} == {
        n: n != "retired_share" for n in rules_of("memories")
    }
    (record,) = checks["retired_share"].metadata["examples"].records
    assert record.data["content"] == "Lives in Oslo."
    made = {str(e.asset_key.path[-1]) for e in _events(settings, failed, dg.DagsterEventType.ASSET_MATERIALIZATION)}
    assert "proposals" in made and not made & {"memories", "memory_links", "daily_summaries"}
    assert not _events(settings, failed, dg.DagsterEventType.STEP_UP_FOR_RETRY)
    lake = Lake(settings.path("lake"))
    assert [str(day) for name in STAGED for day in lake.days(name)] == [FIRST, FIRST]
    stages = lake.sql("SELECT stage FROM made WHERE day = $day", {"day": THEN})["stage"].to_pylist()
    assert "proposals" in stages and "memories" not in stages

    cli = CliRunner()
    shown = cli.invoke(app, ["staged", failed])
    assert shown.exit_code == 0 and "Lives in Oslo." in shown.output and "retired_share" in shown.output
    (held,) = json.loads(cli.invoke(app, ["staged", "--json"]).output)
    assert held["run_id"] == failed and held["versions"] == 2 and len(held["rows"]) == 2

    refused = cli.invoke(app, ["run", "--accept", "no_row_outside_its_user"])
    assert refused.exit_code == 2 and "protects users from each other" in " ".join(refused.output.split())
    accepted = cli.invoke(app, ["run", "--accept", "retired_share", "--json"])
    assert accepted.exit_code == 0, accepted.output
    run_ids = json.loads(accepted.output)["run_ids"]
    (check,) = [c for c in (_checks(settings, i).get("retired_share") for i in run_ids) if c is not None]
    assert check.passed and "accepted" in check.metadata
    kept = lake.sql("SELECT run_id, name, accepted FROM audits ORDER BY recorded_at").to_pylist()
    assert [(row["run_id"] == failed, row["name"], row["accepted"]) for row in kept] == [
        (True, "retired_share", False),
        (False, "retired_share", True),
    ]
    assert "Nothing is staged" in cli.invoke(app, ["staged"]).output
    assert {"Lives in Oslo.", "Lives in Lima."} == {
        row["content"] for row in lake.sql("SELECT DISTINCT content FROM memory_versions").to_pylist()
    }
