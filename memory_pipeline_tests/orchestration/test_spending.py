"""Money and Dagster: a spent budget fails a step once, schedules pick up what it left, and a run's figures are true."""

from __future__ import annotations

import dataclasses
import json
import os
import tempfile
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import dagster as dg
import pytest

from memory_pipeline.definitions import defs
from memory_pipeline.errors import BudgetExceeded
from memory_pipeline.orchestration import automation
from memory_pipeline.orchestration.partitions import RANGE_END, RANGE_START
from memory_pipeline.orchestration.runs.diff import Declined, diff
from memory_pipeline.orchestration.runs.run import RunReport, run
from memory_pipeline.settings import Settings, shipped
from memory_pipeline.stages.context import StageContext, silent
from memory_pipeline.stages.plan import freshness, registry
from memory_pipeline.stages.plan.registry import Cadence, of_cadence
from memory_pipeline.storage.parquet.overlay import OVERLAY
from memory_pipeline.storage.queries.costs import spending
from memory_pipeline_tests.factories import message
from memory_pipeline_tests.protocol_server import ProtocolServer
from memory_pipeline_tests.protocol_steps import refuses

FIRST = datetime(2026, 3, 9, 12, tzinfo=UTC)  # a Monday
DAYS = [FIRST.date() + timedelta(days=n) for n in range(3)]
STAGES = ["proposals", "memories"]


@pytest.fixture
def home(tmp_path: Path, protocol_server: ProtocolServer, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three days of one user, and a hosted model."""
    for name, value in {"HOME": str(tmp_path), "CHAT": "openai", "CHAT_RETRIES": "0"}.items():
        monkeypatch.setenv(f"MEMORY_PIPELINE_{name}", value)
    monkeypatch.setenv("DAGSTER_HOME", str(tmp_path / "dagster"))
    said = [message(f"I like number {n}.", FIRST + timedelta(days=n), session_id=f"s{n}") for n in range(3)]
    _context().lake.append("messages", said)
    return tmp_path


def _context(now: datetime = FIRST) -> StageContext:
    return StageContext(Settings.load(), "test", now)


def _figures(report: RunReport) -> tuple[int, int, int, float]:
    return report.model_calls, report.model_calls_cached, report.tokens, report.usd


def test_a_spent_budget_fails_a_step_at_once_and_without_retries(
    home: Path, protocol_server: ProtocolServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMORY_PIPELINE_BUDGET_USD_PER_DAY", "0")
    with dg.instance_for_test() as instance:
        result = defs.resolve_implicit_global_asset_job_def().execute_in_process(
            instance=instance,
            asset_selection=[dg.AssetKey("proposals")],
            partition_key=DAYS[0].isoformat(),
            raise_on_error=False,
        )
    kinds = [e.event_type_value for e in result.all_events]
    assert not result.success and kinds.count("STEP_FAILURE") == 1
    assert "STEP_UP_FOR_RETRY" not in kinds and "STEP_RESTARTED" not in kinds
    assert protocol_server.calls == []


def test_a_run_tells_the_budget_in_one_line_and_goes_on_when_there_is_money(
    home: Path, protocol_server: ProtocolServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMORY_PIPELINE_BUDGET_USD_PER_DAY", "0.000001")
    with pytest.raises(BudgetExceeded, match=r"^proposals: a model call may take 0\.00\d+ USD, .* still open: 1$"):
        run(Settings.load(), only=STAGES)
    assert _context().lake.days("proposals") == [] and protocol_server.calls == []
    assert freshness.stale(_context(), registry.BY_NAME["proposals"]) == DAYS, "what was not made stays stale"
    monkeypatch.delenv("MEMORY_PIPELINE_BUDGET_USD_PER_DAY")
    report = run(Settings.load(), only=STAGES)
    calls = sum(protocol_server.counts.values())
    ledger = spending(_context().lake, "day")[1]
    assert _figures(report)[:2] == (calls, 0) and calls > 0
    assert report.tokens == ledger["tokens"] > 0 and report.usd == pytest.approx(ledger["usd"], abs=1e-6)

    assert _figures(run(Settings.load(), only=STAGES)) == (0, 0, 0, 0.0), "nothing is stale: nothing is asked"

    tighter = home / "policy.toml"
    tighter.write_text("[window]\nmax_proposals_per_message = 49\n", encoding="utf-8")
    monkeypatch.setenv("MEMORY_PIPELINE_POLICY", str(tighter))
    again = run(Settings.load(), only=STAGES)
    assert again.run_ids and sum(protocol_server.counts.values()) == calls
    assert _figures(again) == (0, 3, 0, 0.0), "made anew from kept replies, and it says so"


def test_what_a_diff_has_paid_for_the_run_does_not_pay_again(
    home: Path, protocol_server: ProtocolServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def calls() -> int:
        return sum(protocol_server.counts.values())

    run(Settings.load())
    folder = home / "prompts"
    folder.mkdir()
    for name in ("extract", "calendar"):
        text = Path(str(shipped("prompts")), f"{name}.jinja").read_text(encoding="utf-8")
        (folder / f"{name}.jinja").write_text(text + "{# another #}", encoding="utf-8")
    monkeypatch.setenv("MEMORY_PIPELINE_PROMPTS", str(folder))
    before = calls()
    with pytest.raises(Declined):
        diff(Settings.load(), agree=lambda ahead: False, progress=silent)
    assert calls() == before, "nobody agreed: nothing was asked"
    told = diff(Settings.load(), agree=lambda ahead: ahead.forecast.usd > 0, progress=silent)
    assert told.used["calls"] == calls() - before > 0 and told.used["usd"] > 0
    assert told.partitions.keys() >= {"proposals", "daily_summaries"} and "reflections" not in told.partitions
    report = run(Settings.load())
    assert (report.model_calls, report.usd) == (0, 0.0) and report.model_calls_cached > 0
    assert report.told == f"0 model calls: all {report.model_calls_cached} replies were kept ones."
    monkeypatch.setenv("MEMORY_PIPELINE_BUDGET_USD_PER_DAY", "0")
    monkeypatch.delenv("MEMORY_PIPELINE_PROMPTS")
    monkeypatch.setenv("MEMORY_PIPELINE_CHAT_MODEL", "another")
    spent = calls()
    with pytest.raises(BudgetExceeded):
        diff(Settings.load(), agree=lambda ahead: True, progress=silent)
    assert calls() == spent and not list(Path(tempfile.gettempdir()).glob(f"{OVERLAY}{os.getpid()}-*"))


@pytest.mark.parametrize(
    ("schedule", "stages", "at", "asked"),
    [
        # On a Wednesday nothing has just ended; the week that a spent budget left on Monday is picked up.
        (
            automation.period_schedules[Cadence.WEEKLY],
            of_cadence(Cadence.WEEKLY),
            datetime(2026, 3, 18, 4, tzinfo=UTC),
            "2026-03-09",
        ),
        (
            automation.period_schedules[Cadence.MONTHLY],
            ["monthly_summaries"],
            datetime(2026, 4, 2, 4, tzinfo=UTC),
            "2026-03-01",
        ),
    ],
)
def test_periods_that_were_left_stale_are_picked_up_the_next_night(
    home: Path, schedule: dg.ScheduleDefinition, stages: list[str], at: datetime, asked: str
) -> None:
    def tick() -> list[dg.RunRequest]:
        with dg.instance_for_test() as instance:
            context = dg.build_schedule_context(
                instance=instance, scheduled_execution_time=at, repository_def=defs.get_repository_def()
            )
            return list(schedule.evaluate_tick(context).run_requests or [])

    (request,) = tick()
    assert request.partition_key == asked
    ctx = _context(at)
    for name in stages:
        stage = registry.BY_NAME[name]
        made_from = freshness.inputs(ctx, stage)
        freshness.record(ctx, stage, made_from, list(made_from), {})
    assert tick() == []


def test_the_nightly_job_takes_up_every_day_that_was_left_stale(home: Path) -> None:
    at = datetime(2026, 3, 20, 1, 30, tzinfo=UTC)
    with dg.instance_for_test() as instance:
        context = dg.build_schedule_context(
            instance=instance, scheduled_execution_time=at, repository_def=defs.get_repository_def()
        )
        (request,) = automation.nightly_consolidation_schedule.evaluate_tick(context).run_requests or []
    assert (request.tags[RANGE_START], request.tags[RANGE_END]) == (DAYS[0].isoformat(), date(2026, 3, 20).isoformat())


def test_a_window_whose_reply_cannot_change_is_asked_about_once_a_run(
    home: Path, protocol_server: ProtocolServer
) -> None:
    """A refusal stays one at temperature 0: rounds of a run that follow another stage's work leave it open."""
    protocol_server.answer("extract", refuses("I cannot help with that."))
    for asked in (1, 2):
        report = run(Settings.load(), DAYS[0], DAYS[0])
        assert report.windows["unfit"] == 1 and protocol_server.counts["extract"] == asked
    json.dumps(dataclasses.asdict(report))
    protocol_server.answer("extract", {"windows": [{"window": "w1", "proposals": []}]})
    assert run(Settings.load(), DAYS[0], DAYS[0]).windows["unfit"] == 0, "the next run asks again"
    assert freshness.stale(_context(), registry.BY_NAME["proposals"], DAYS[0], DAYS[0]) == []
