"""The command ``costs``, the forecast of ``run --dry-run``, and what is said or asked before a dear run."""

from __future__ import annotations

import io
import json
import re
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from memory_pipeline.cli import app
from memory_pipeline.cli.runs.forecasts import announce
from memory_pipeline.domain.scope import Scope
from memory_pipeline.settings import Settings
from memory_pipeline.stages.context import StageContext
from memory_pipeline.storage.queries.costs import entry
from memory_pipeline_tests.factories import NOON, message
from memory_pipeline_tests.protocol_server import ProtocolServer

AT = datetime(2026, 7, 1, 23, tzinfo=UTC)


@pytest.fixture
def home(tmp_path: Path, protocol_server: ProtocolServer, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two days of one user that a hosted model has not seen."""
    given = {"HOME": str(tmp_path), "CHAT": "openai", "CHAT_MODEL": "big", "CHAT_INPUT_USD": "1000"}
    for name, value in given.items():
        monkeypatch.setenv(f"MEMORY_PIPELINE_{name}", value)
    monkeypatch.setenv("DAGSTER_HOME", str(tmp_path / "dagster"))
    monkeypatch.setenv("COLUMNS", "160")
    said = [message(f"I like number {n}.", NOON + timedelta(days=n), session_id=f"s{n}") for n in range(2)]
    _context().lake.append("messages", said)
    return tmp_path


def _context() -> StageContext:
    return StageContext(Settings.load(), "test", datetime.now(UTC))


def _spend(usd: float, at: datetime = AT, user: str = "ann", **sums: Any) -> None:
    made = entry(Scope("t", user), NOON.date(), "extract", "big", "run-1", at, calls=1, usd=usd, **sums)
    _context().lake.append("costs", [made])


def _cli(*arguments: str, code: int = 0) -> str:
    done = CliRunner().invoke(app, list(arguments))
    assert done.exit_code == code, done.output
    return done.stdout if "--json" in arguments else done.output


def _json(*arguments: str) -> Any:
    return json.loads(_cli(*arguments, "--json"))


class TestCosts:
    def test_by_day_of_spending_with_a_total(self, home: Path) -> None:
        _spend(0.5, prompt_tokens=1000)
        _spend(0.25, AT + timedelta(days=1), "bob", cached=4, saved_tokens=12_345, saved_usd=1.5)
        table = [line.split() for line in _cli("costs").splitlines() if re.match(r"2026|total", line)]
        assert [(row[0], row[1], row[-2]) for row in table] == [
            ("2026-07-01", "1", "0.5000"),
            ("2026-07-02", "1", "0.2500"),
            ("total", "2", "0.7500"),
        ]
        found = _json("costs")
        assert [r["day"] for r in found["rows"]] == ["2026-07-01", "2026-07-02"]
        assert (found["by"], found["total"]["usd"], found["total"]["cached"]) == ("day", 0.75, 4)

    def test_what_kept_replies_saved_and_where_the_prices_come_from(self, home: Path) -> None:
        _spend(0.25, cached=4, saved_tokens=12_345, saved_usd=1.5)
        told = " ".join(_cli("costs", "--by", "stage").split())
        assert "4 requests: 12,345 tokens and 1.5000 USD were not spent again" in told
        assert (
            "MEMORY_PIPELINE_CHAT_INPUT_USD=1000" in told and "No price of big is set: gpt-4o-mini's is used." in told
        )

    def test_the_day_s_budget_stands_below(self, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        _spend(0.25, datetime.now(UTC))
        assert "0.2500 USD; no limit" in _cli("costs")
        monkeypatch.setenv("MEMORY_PIPELINE_BUDGET_USD_PER_DAY", "2")
        assert "0.2500 of 2 USD" in _cli("costs")
        assert _json("costs")["budget"]["left"] == 1.75

    def test_one_user_and_some_days(self, home: Path) -> None:
        _spend(0.5)
        _spend(0.25, AT + timedelta(days=1), "bob")
        assert _json("costs", "--user", "bob")["total"]["usd"] == 0.25
        assert _json("costs", "--to", "2026-07-01")["total"]["usd"] == 0.5
        assert _json("costs", "--from", "2026-07-03", "--by", "user")["rows"] == []
        assert [r["user_id"] for r in _json("costs", "--by", "user")["rows"]] == ["ann", "bob"]

    def test_wrong_usage_exits_with_2(self, home: Path) -> None:
        _cli("costs", "--by", "moon", code=2)
        _cli("costs", "--from", "yesterday", code=2)

    def test_nothing_spent(self, home: Path) -> None:
        assert "No model was asked" in _cli("costs")


class TestDryRun:
    def test_it_tells_what_it_would_cost_and_asks_nothing(self, home: Path, protocol_server: ProtocolServer) -> None:
        found = _json("run", "--dry-run")
        ahead = found["forecast"]
        by_stage = {t["stage"]: t for t in ahead["stages"]}
        assert by_stage["extract"]["calls"] == 1 and by_stage["extract"]["exact"]
        assert not by_stage["consolidate"]["exact"] and ahead["exact"] is False
        assert ahead["usd"] == pytest.approx(sum(t["usd"] for t in ahead["stages"]), abs=1e-5) and ahead["usd"] > 0
        assert (found["model_calls"], found["run_ids"], ahead["over_budget"]) == (0, [], False)
        assert protocol_server.calls == [] and _context().lake.days("costs") == []

    def test_for_people_it_says_what_is_counted_and_what_estimated(
        self, home: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("MEMORY_PIPELINE_BUDGET_USD_PER_DAY", "0.01")
        told = " ".join(_cli("run", "--dry-run").split())
        assert "prompts counted" in told and "estimated by the policy table" in told
        assert "more than is left of today's budget: 0.0100 of 0.01" in told

    def test_files_that_wait_in_the_inbox_come_on_top(self, home: Path) -> None:
        inbox = home / "inbox"
        inbox.mkdir()
        (inbox / "new.jsonl").write_text("{}\n", encoding="utf-8")
        assert _json("run", "--dry-run")["forecast"]["inbox_files"] == 1

    def test_the_builtin_models_cost_nothing_and_it_says_so(self, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("MEMORY_PIPELINE_CHAT", "builtin")
        assert "It costs nothing: the builtin models" in " ".join(_cli("run", "--dry-run").split())
        assert _json("run", "--dry-run")["forecast"]["usd"] == 0


class Terminal(io.StringIO):
    """A terminal at which somebody types, or reads."""

    def isatty(self) -> bool:
        return True


class TestBeforeARun:
    def announced(self, monkeypatch: pytest.MonkeyPatch, stdin: io.StringIO, ask: bool = True) -> str:
        """What is said before a run; stdin is what the person at it types, if there is one."""
        screen = Terminal()
        with monkeypatch.context() as terminal:
            terminal.setattr(sys, "stdin", stdin)
            terminal.setattr(sys, "stderr", screen)
            try:
                announce(Settings.load(), None, None, ["proposals"], ask=ask)
            except typer.Exit:
                screen.write("STOPPED")
        return screen.getvalue()

    def dear(self, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        policy = home / "policy.toml"
        policy.write_text("[forecast]\nask_usd = 0.01\n", encoding="utf-8")
        monkeypatch.setenv("MEMORY_PIPELINE_POLICY", str(policy))

    @pytest.mark.parametrize(("typed", "stops"), [("y\n", False), ("n\n", True), ("\n", True)])
    def test_a_dear_run_asks_at_a_terminal(
        self, home: Path, monkeypatch: pytest.MonkeyPatch, typed: str, stops: bool
    ) -> None:
        self.dear(home, monkeypatch)
        told = self.announced(monkeypatch, Terminal(typed))
        assert re.search(r"going to cost about \d+\.\d\d USD \(1 calls", told)
        assert ("STOPPED" in told) is stops

    def test_nobody_is_asked_without_a_terminal_nor_after_yes(
        self, home: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        self.dear(home, monkeypatch)
        assert self.announced(monkeypatch, io.StringIO("")) == ""
        assert self.announced(monkeypatch, Terminal(""), ask=False) == ""

    def test_a_cheap_run_just_runs(self, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("MEMORY_PIPELINE_CHAT_INPUT_USD", "0.15")
        assert self.announced(monkeypatch, Terminal("")) == ""

    def test_more_than_the_budget_has_left_is_said_first(self, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("MEMORY_PIPELINE_BUDGET_USD_PER_DAY", "0.1")
        _spend(0.04, datetime.now(UTC))
        told = self.announced(monkeypatch, io.StringIO(""))
        assert "more than is left of today's budget: 0.0600 of 0.1" in told and "STOPPED" not in told


def test_explain_shows_the_quoted_words_where_colours_do_not() -> None:
    from memory_pipeline.cli.reads.explanation import quoted

    text = "Well, I moved to Lisbon last week, you know. " + "And so on. " * 100
    assert quoted(text, ["I moved to Lisbon"], marked=True).plain.startswith("Well, »I moved to Lisbon« last week")
    assert quoted(text, ["i MOVED to lisbon"], marked=False).plain.startswith("Well, I moved to Lisbon last week")
    late = quoted("x " * 500 + text, ["I moved to Lisbon"], marked=True).plain
    assert late.startswith("…") and "»I moved to Lisbon«" in late and len(late) < 600
    assert "quoted: “not there”" in quoted(text, ["not there"], marked=True).plain
