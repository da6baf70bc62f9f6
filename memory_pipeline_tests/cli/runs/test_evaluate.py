"""The command ``eval``."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from typer.testing import CliRunner

from memory_pipeline.cli import app, main
from memory_pipeline.evaluation import suites
from memory_pipeline.evaluation.data_sets.metrics import Interval
from memory_pipeline_tests.evaluation.data_sets import tiny_sets


@pytest.fixture
def sets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MEMORY_PIPELINE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.delenv("DATASETS", raising=False)
    tiny_sets.beam(tmp_path / "sets")
    return tmp_path / "sets"


def _error(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    monkeypatch.setattr("sys.argv", ["memory-pipeline", "eval", *arguments])
    with pytest.raises(SystemExit) as done:
        main()
    assert done.value.code == 1
    return capsys.readouterr().err.strip().splitlines()[-1]


def test_prints_and_writes_a_report(sets: Path, tmp_path: Path) -> None:
    out = tmp_path / "reports" / "r.json"
    arguments = ["eval", "beam-100k", "--datasets", str(sets), "--out", str(out)]
    done = CliRunner().invoke(app, [*arguments, "--json"])
    assert done.exit_code == 0, done.output
    report = json.loads(done.stdout)
    assert report == json.loads(out.read_text())
    figures = report["beam-100k"]
    assert figures["turn_any@5"] == figures["bm25.turn_any@5"] == 1
    assert figures["turn_any@5.low"] <= figures["turn_any@5"] <= figures["turn_any@5.high"]
    assert (tmp_path / "home" / "evaluation" / "vectors").is_dir()

    table = CliRunner().invoke(app, arguments).stdout
    assert [word for word in table.split() if word in ("bm25", "dense", "rrf")] == ["bm25", "dense", "rrf"]
    assert "1.000 ± 0.000" in table


def test_a_suite_is_one_entry_of_the_registry(sets: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def own(options: suites.Options) -> Mapping[str, suites.Figure]:
        return {"precision": 0.5, "hit@3": Interval(0.75, 0.5, 1.0), "profile": float(options.profile == "durable")}

    monkeypatch.setitem(suites.SUITES, "own", own)
    done = CliRunner().invoke(app, ["eval", "own", "--profile", "durable", "--json"])
    assert json.loads(done.stdout) == {
        "own": {"precision": 0.5, "hit@3": 0.75, "hit@3.low": 0.5, "hit@3.high": 1.0, "profile": 1.0}
    }
    assert "0.750 ± 0.250" in CliRunner().invoke(app, ["eval", "own"]).stdout


def test_one_clear_line_says_what_is_missing(
    sets: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "set DATASETS to their folder" in _error(monkeypatch, capsys, "beam-100k")
    assert "locomo10.json is missing under" in _error(monkeypatch, capsys, "locomo", "--datasets", str(sets))
    assert "no suite called nonsense; there are" in _error(monkeypatch, capsys, "nonsense")
    assert "give at least 1" in _error(monkeypatch, capsys, "beam-100k", "--limit", "0")
    for module in ("benchmarks", "benchmarks.datasets"):
        monkeypatch.setitem(sys.modules, module, None)
    told = _error(monkeypatch, capsys, "locomo", "--datasets", str(sets))
    assert "there are fixtures; data sets of research are read by a checkout" in told
