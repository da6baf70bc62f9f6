"""Nothing extracted, all of it rejected, a reply that did not fit, nobody asked: told apart wherever it is told."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import dagster as dg
import pytest
from typer.testing import CliRunner

from memory_pipeline.cli import app
from memory_pipeline.definitions import defs
from memory_pipeline.errors import BudgetExceeded
from memory_pipeline.orchestration.assets.stages import ASSETS
from memory_pipeline.orchestration.dagster_home.instance import instance
from memory_pipeline.orchestration.runs.run import run
from memory_pipeline.settings import Settings
from memory_pipeline.stages.context import StageContext
from memory_pipeline_tests.factories import message
from memory_pipeline_tests.protocol_server import ProtocolServer
from memory_pipeline_tests.protocol_steps import Call, fails
from memory_pipeline_tests.stages.echoing import echo, nothing

AT = datetime(2026, 3, 9, 12, tzinfo=UTC)
DAYS = [(AT + timedelta(days=n)).date() for n in range(4)]
STAGES = ["proposals", "memories"]


@pytest.fixture
def home(tmp_path: Path, protocol_server: ProtocolServer, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, value in {"HOME": str(tmp_path), "CHAT": "openai", "CHAT_RETRIES": "0"}.items():
        monkeypatch.setenv(f"MEMORY_PIPELINE_{name}", value)
    monkeypatch.setenv("DAGSTER_HOME", str(tmp_path / "dagster"))
    return tmp_path


def _say(*words: str) -> None:
    """One user a word, each on a day of its own: no two share a call."""
    said = [
        message(word, AT + timedelta(days=n), user_id=f"user-{n}", session_id=f"s{n}") for n, word in enumerate(words)
    ]
    StageContext(Settings.load(), "test", AT).lake.append("messages", said)


def _by_prompt(call: Call) -> Any:
    if "broken" in call.prompt:
        return "this is no JSON"
    if "hm" in call.prompt:
        return nothing(call)
    return echo(call)


def test_what_became_of_the_windows_is_told_apart(home: Path, protocol_server: ProtocolServer) -> None:
    protocol_server.answer("extract", _by_prompt)
    _say("I live in Lisbon.", "hm", "broken", "so so")
    report = run(Settings.load(), only=STAGES)
    assert report.windows == {
        "windows": 4, "nothing_to_keep": 1, "all_rejected": 1, "unfit": 1, "days_not_asked": 0,
    }  # fmt: skip
    with instance(Settings.load()) as found:
        events = found.fetch_materializations(dg.AssetKey("proposals"), limit=50).records
        latest: dict[str, Any] = {}
        for event in events:  # the newest first
            materialization = event.asset_materialization
            assert materialization is not None
            latest.setdefault(materialization.partition or "", materialization.metadata)
        empty, unfit = ([m[k].value for _, m in sorted(latest.items())] for k in _KEYS)
        assert empty == [0, 1, 0, 0] and unfit == [0, 0, 1, 0]
        (memories,) = (
            e.asset_materialization.metadata
            for e in found.fetch_materializations(dg.AssetKey("memories"), limit=50).records
            if e.asset_materialization and e.asset_materialization.partition == DAYS[3].isoformat()
        )
        assert memories["windows of which all was rejected"].value == 1 and "junk rate" in memories

    shown = json.loads(CliRunner().invoke(app, ["rates", "--json"]).stdout)
    days = {day["day"]: day for day in shown["days"]}
    assert days[DAYS[1].isoformat()]["windows"]["nothing_to_keep"] == 1
    assert shown["rates"]["junk"]["counted"] == 2 and shown["rates"]["junk"]["ok"]
    assert shown["rates"]["unfit"]["rate"] > 0
    assert "windows with nothing to keep" in CliRunner().invoke(app, ["rates"]).output


_KEYS = ("of which nothing to keep", "of which the reply did not fit")


def test_a_budget_that_stops_the_asking_leaves_word_that_nobody_was_asked(
    home: Path, protocol_server: ProtocolServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    _say("I live in Lisbon.")
    monkeypatch.setenv("MEMORY_PIPELINE_BUDGET_USD_PER_DAY", "0")
    with pytest.raises(BudgetExceeded):
        run(Settings.load(), only=STAGES)
    with instance(Settings.load()) as found:
        (seen,) = found.fetch_observations(dg.AssetKey("proposals"), limit=9).records
        assert seen.asset_observation is not None
        told = {name: value.value for name, value in seen.asset_observation.metadata.items()}
    assert told == {"not asked": 1, "because of": "BudgetExceeded"}
    (day,) = json.loads(CliRunner().invoke(app, ["rates", "--json"]).stdout)["days"]
    assert not day["answered"] and day["windows"]["windows"] == 0


def test_a_stage_that_fails_twice_succeeds_the_third_time_and_doubles_nothing(
    home: Path, protocol_server: ProtocolServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    protocol_server.answer("extract", echo)
    _say("I live in Lisbon.")
    (proposals,) = (asset for asset in ASSETS if asset.key == dg.AssetKey("proposals"))
    patient = proposals.op.retry_policy
    assert patient is not None and patient.max_retries == 2
    monkeypatch.setattr(proposals.op, "_retry_policy", dg.RetryPolicy(max_retries=2, delay=0.05))
    protocol_server.script(fails(500, "down"), fails(500, "down"))
    with dg.instance_for_test() as found:
        result = defs.resolve_implicit_global_asset_job_def().execute_in_process(
            instance=found,
            asset_selection=[dg.AssetKey(name) for name in STAGES],
            partition_key=DAYS[0].isoformat(),
        )
    kinds = [e.event_type_value for e in result.all_events if e.step_key == "proposals"]
    assert result.success and kinds.count("STEP_UP_FOR_RETRY") == 2
    assert [call.task for call in protocol_server.calls].count("extract") == 3
    lake = StageContext(Settings.load(), "test", AT).lake
    counted = {n: lake.sql(f"SELECT count(*) AS n FROM {n}")["n"][0].as_py() for n in ("proposals", "verdicts")}
    assert counted == {"proposals": 1, "verdicts": 1}


def test_the_rates_are_checks_that_warn() -> None:
    checks = {key.to_user_string() for key in defs.resolve_asset_graph().asset_check_keys}
    rates = {name for name in checks if name.endswith("_rate")}
    assert rates == {
        "proposals:unfit_rate",
        "memories:junk_rate",
        "memories:duplicate_rate",
        "memories:echo_rate",
        "memories:secret_rate",
        "lifecycle:stale_rate",
    }


def test_a_run_that_extracts_nothing_fails_in_the_server_s_words(home: Path, protocol_server: ProtocolServer) -> None:
    refusal = fails(400, "This engine cannot serve requests of this kind: the content filter is on.")
    protocol_server.answer("extract", lambda call: refusal)
    _say("I live in Lisbon.", "I work as a nurse.")
    ran = CliRunner().invoke(app, ["run", "--only", ",".join(STAGES), "--yes"])
    assert ran.exit_code == 1
    assert "for any of 2 windows" in str(ran.exception) and "the content filter is on" in str(ran.exception)
    assert "model calls (100%) brought no reply that fits" in " ".join(ran.output.split())
    shown = json.loads(CliRunner().invoke(app, ["rates", "--json"]).stdout)
    assert shown["rates"]["unfit"]["rate"] == 1.0
    protocol_server.answer("extract", echo)
    assert CliRunner().invoke(app, ["run", "--only", ",".join(STAGES), "--yes"]).exit_code == 0


def test_most_of_what_was_rejected_is_told_loudly(home: Path, protocol_server: ProtocolServer) -> None:
    protocol_server.answer("extract", echo)
    _say("so so", "so so", "so so")
    ran = CliRunner().invoke(app, ["run", "--only", ",".join(STAGES), "--yes"])
    assert ran.exit_code == 0
    assert "The gate rejected 3 of 3 proposals (100%)" in " ".join(ran.output.split())
