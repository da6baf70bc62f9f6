"""Alerts: of runs that really fail, to a real HTTP server, and with nothing in them that is nobody's business."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import dagster as dg
import pytest

from memory_pipeline.cli.operations.doctor import examine
from memory_pipeline.definitions import defs
from memory_pipeline.errors import BudgetExceeded, SettingsError
from memory_pipeline.orchestration.alerts.failure import why
from memory_pipeline.orchestration.alerts.run_alerts import alerts_of, not_fresh, tell
from memory_pipeline.orchestration.alerts.sensors import failure_alerts
from memory_pipeline.orchestration.alerts.webhook import post
from memory_pipeline.orchestration.runs.run import run
from memory_pipeline.settings import Settings
from memory_pipeline.stages.context import StageContext
from memory_pipeline.storage.logs.alert_log import Alert, AlertKind, AlertLog
from memory_pipeline_tests.alert_receiver import AlertReceiver
from memory_pipeline_tests.factories import message
from memory_pipeline_tests.protocol_server import ProtocolServer

AT = datetime(2026, 3, 9, 12, tzinfo=UTC)
SAID = "My heart pills are in the blue box."


@pytest.fixture
def receiver() -> Iterator[AlertReceiver]:
    with AlertReceiver() as found:
        yield found


@pytest.fixture
def home(tmp_path: Path, receiver: AlertReceiver, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, value in {"HOME": str(tmp_path), "ALERT_WEBHOOK": receiver.url}.items():
        monkeypatch.setenv(f"MEMORY_PIPELINE_{name}", value)
    monkeypatch.setenv("DAGSTER_HOME", str(tmp_path / "dagster"))
    StageContext(Settings.load(), "test", AT).lake.append("messages", [message(SAID, AT)])
    return tmp_path


def _alert(n: int = 0) -> Alert:
    return Alert(AlertKind.RUN_FAILED, AT, "error", f"run-{n}", "job", "step", "ModelError", "step: it failed")


def test_a_spent_budget_is_told_once_to_the_log_the_folder_and_the_webhook(
    home: Path,
    receiver: AlertReceiver,
    protocol_server: ProtocolServer,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setenv("MEMORY_PIPELINE_CHAT", "openai")
    monkeypatch.setenv("MEMORY_PIPELINE_BUDGET_USD_PER_DAY", "0")
    with pytest.raises(BudgetExceeded), caplog.at_level(logging.ERROR):
        run(Settings.load(), only=["proposals"])
    (body,) = receiver.bodies
    assert body["kind"] == "budget_spent" and body["subject"] == "proposals" and body["error"] == "BudgetExceeded"
    assert body["text"].startswith("memory-pipeline: budget spent: proposals: ") and "USD" in body["message"]
    (line,) = next((home / "alerts").glob("*.jsonl")).read_text(encoding="utf-8").splitlines()
    assert json.loads(line) == {k: v for k, v in body.items() if k != "text"}
    assert any(body["message"] in record.getMessage() for record in caplog.records)
    for secret in (SAID, "pills", "test-key", "secret-path"):
        assert secret not in json.dumps(body) + caplog.text + line
    with dg.DagsterInstance.from_config(str(home / "dagster")) as instance:
        assert tell(Settings.load(), alerts_of(instance, body["run_id"])) == [], "the same thing is told once"
    assert len(receiver.bodies) == 1
    (shown,) = [check for check in examine() if check["name"] == "alerts"]
    assert body["message"] in shown["detail"]


@dg.asset
def told() -> None:
    raise ValueError(SAID)


@dg.asset
def checked() -> None: ...


@dg.asset_check(asset=checked, blocking=True)
def holds() -> dg.AssetCheckResult:
    return dg.AssetCheckResult(passed=False, description=SAID)


@dg.asset_check(asset=checked)
def warns() -> dg.AssetCheckResult:
    return dg.AssetCheckResult(passed=False, severity=dg.AssetCheckSeverity.WARN, metadata={"row": SAID})


def test_a_strangers_error_is_told_by_its_class_alone(home: Path, receiver: AlertReceiver) -> None:
    with dg.instance_for_test() as instance:
        made = dg.materialize([told], instance=instance, raise_on_error=False)
        event = made.get_run_failure_event()
        context = dg.build_run_status_sensor_context(
            "failure_alerts", event, instance, made.dagster_run, repository_def=defs.get_repository_def()
        )
        failure_alerts(context.for_run_failure())
    (body,) = receiver.bodies
    assert (body["run_id"], body["subject"], body["error"]) == (made.run_id, "told", "ValueError")
    assert "pills" not in json.dumps(body)


def test_checks_that_fail_and_those_that_warn_are_told_apart() -> None:
    with dg.instance_for_test() as instance:
        made = dg.materialize([checked, holds, warns], instance=instance, raise_on_error=False)
        found = alerts_of(instance, made.run_id)
    assert {(a.kind, a.severity, a.subject) for a in found} == {
        (AlertKind.CHECK_FAILED, "error", "checked: holds"),
        (AlertKind.CHECK_FAILED, "warning", "checked: warns"),
    }
    assert "pills" not in str(found)


def test_a_run_that_fails_before_its_first_step_names_the_cause() -> None:
    @dg.resource
    def missing(_: dg.InitResourceContext) -> None:
        raise SettingsError("MEMORY_PIPELINE_CHAT: no such model")

    @dg.asset(required_resource_keys={"missing"})
    def needs() -> None: ...

    with dg.instance_for_test() as instance:
        made = dg.materialize([needs], instance=instance, resources={"missing": missing}, raise_on_error=False)
        (found,) = alerts_of(instance, made.run_id)
        assert (found.kind, found.error) == (AlertKind.RUN_FAILED, "SettingsError")
        assert found.message == "the run: MEMORY_PIPELINE_CHAT: no such model"
        assert "no such model" in str(why(made))


@pytest.mark.parametrize(
    ("answers", "tries", "taken"), [([503, 429], 3, True), ([500] * 9, 4, False), ([404], 1, False)]
)
def test_a_receiver_that_stumbles_is_asked_again_and_one_that_says_no_is_not(
    answers: list[int], tries: int, taken: bool, caplog: pytest.LogCaptureFixture
) -> None:
    with AlertReceiver(*answers) as receiver:
        assert post(Settings.load(alert_webhook=receiver.url), [_alert()], first_pause_s=0.01) is taken
        assert receiver.tries == tries and len(receiver.bodies) == taken
    assert ("was not taken by 127.0.0.1" in caplog.text) is not taken and "secret-path" not in caplog.text


def test_nobody_there_and_a_url_that_is_none(caplog: pytest.LogCaptureFixture) -> None:
    assert not post(Settings.load(alert_webhook="http://127.0.0.1:1/x"), [_alert()], first_pause_s=0.01)
    assert "URLError" in caplog.text
    with pytest.raises(SettingsError, match="MEMORY_PIPELINE_ALERT_WEBHOOK"):
        post(Settings.load(alert_webhook="file:///etc/passwd"), [_alert()])


def test_the_folder_keeps_what_was_told_and_bears_a_torn_line(tmp_path: Path) -> None:
    log = AlertLog(Settings.load(home=str(tmp_path)))
    assert log.latest(5) == []
    assert [a.run_id for a in log.add([_alert(0), _alert(1), _alert(1)])] == ["run-0", "run-1"]
    with (tmp_path / "alerts" / "2026-03.jsonl").open("a") as file:
        file.write('{"alert_id": "alr_')
    assert [row["run_id"] for row in log.latest(5)] == ["run-1", "run-0"]
    assert log.add([_alert(0)]) == [] and len(log.add([_alert(2)])) == 1


def test_an_asset_that_was_not_made_for_too_long_is_told_once_a_day() -> None:
    """The daemon itself, run for one look: what it finds is what the alert is made from."""
    import asyncio

    from dagster._core.test_utils import create_test_daemon_workspace_context
    from dagster._core.workspace.load_target import ModuleTarget
    from dagster._daemon.freshness import FreshnessDaemon

    key = dg.AssetKey("transcripts")
    long_ago = datetime.now(UTC) - timedelta(hours=51)
    target = ModuleTarget("memory_pipeline.definitions", None, None, "memory_pipeline.definitions")
    with (
        dg.instance_for_test() as instance,
        create_test_daemon_workspace_context(target, instance) as workspace,
    ):
        from dagster._core.test_utils import freeze_time

        with freeze_time(long_ago):
            instance.report_runless_asset_event(dg.AssetMaterialization(key, partition="2026-03-09"))
        asyncio.run(FreshnessDaemon()._evaluate_assets(workspace))
        now = datetime.now(UTC)
        (late,) = not_fresh(instance, [key, dg.AssetKey("memories")], now)
        assert late.kind is AlertKind.NOT_FRESH and late.subject == "transcripts"
        assert late.alert_id == not_fresh(instance, [key], now)[0].alert_id
        instance.report_runless_asset_event(dg.AssetMaterialization(key, partition="2026-03-10"))
        asyncio.run(FreshnessDaemon()._evaluate_assets(workspace))
        assert not_fresh(instance, [key], now) == []
