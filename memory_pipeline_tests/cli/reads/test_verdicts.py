"""``verdicts`` as an operator types it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from memory_pipeline.cli.reads.reading import app
from memory_pipeline.domain.ids import identifier
from memory_pipeline.domain.proposal import Finding, Outcome, Verdict
from memory_pipeline.storage.parquet.lake import Lake
from memory_pipeline_tests.factories import NOON, proposal


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MEMORY_PIPELINE_HOME", str(tmp_path))
    monkeypatch.setenv("COLUMNS", "200")
    stated = proposal("Perhaps likes cats.")
    finding = Finding("confidence", False, 0.3, 0.4, "how sure the extractor is")
    verdict = Verdict(
        identifier("vdt", "1"),
        stated.proposal_id,
        "t",
        "u",
        stated.day,
        Outcome.REJECTED,
        "confidence",
        (finding,),
        None,
    )
    lake = Lake(str(tmp_path / "lake"))
    lake.append("proposals", [stated])
    lake.append("verdicts", [verdict])
    return tmp_path


def _run(*arguments: str, code: int = 0) -> str:
    done = CliRunner().invoke(app, ["verdicts", *arguments])
    assert done.exit_code == code, done.output
    return done.output


def test_reasons_are_counted_and_explained(home: Path) -> None:
    shown = _run()
    for part in ("rejected", "confidence", "100.0%", "the extractor was not sure enough", "Perhaps likes cats."):
        assert part in shown
    (row,) = json.loads(_run("--json"))
    assert {"outcome", "reason", "proposals", "share", "meaning", "examples"} <= row.keys()


def test_one_reason_lists_its_proposals(home: Path) -> None:
    shown = _run("--reason", "confidence", "--day", NOON.date().isoformat(), "--user", "u")
    assert "how sure the extractor is (0.3, the threshold is 0.4)" in shown
    (row,) = json.loads(_run("--reason", "confidence", "--json"))
    assert row["content"] == "Perhaps likes cats."
    assert json.loads(_run("--reason", "confidence", "--to", "2020-01-01", "--json")) == []


@pytest.mark.parametrize(
    "arguments", [("--day", "yesterday"), ("--day", "2026-03-10", "--from", "2026-03-01"), ("--examples", "-1")]
)
def test_what_cannot_be_meant_is_refused(home: Path, arguments: tuple[str, ...]) -> None:
    _run(*arguments, code=2)
