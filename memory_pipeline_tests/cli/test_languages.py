"""What ``ingest``, ``run`` and ``doctor`` say of messages that the embedded default cannot read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from memory_pipeline.cli import app
from memory_pipeline.cli.operations.doctor import examine
from memory_pipeline.cli.runs.writing import print_run
from memory_pipeline.orchestration.runs.run_report import RunReport
from memory_pipeline_tests.stages.landing_files import numbered, write

NOTE = "the embedded default reads English only; set MEMORY_PIPELINE_CHAT=openai"
SAID = (
    "Ich wohne seit März in Köln und arbeite als Hebamme.",
    "Mi perro se llama Churro y tiene tres años.",
    "I live in Leeds with my mum.",
)


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MEMORY_PIPELINE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("COLUMNS", "250")
    return write(tmp_path / "chat.jsonl", [numbered(n, content=text) for n, text in enumerate(SAID)])


def ingested(*arguments: str) -> str:
    done = CliRunner().invoke(app, ["ingest", *arguments])
    assert done.exit_code == 0, done.output
    return done.stdout if "--json" in arguments else done.output


def test_ingest_says_how_many_cannot_be_read(file: Path) -> None:
    assert f"2 of 3 user messages are not English (German 1, Spanish 1): {NOTE}" in ingested(str(file))


def test_ingest_says_it_once_a_message(file: Path) -> None:
    ingested(str(file))
    assert NOTE not in ingested(str(file))


def test_ingest_says_nothing_where_a_hosted_model_reads(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORY_PIPELINE_CHAT", "openai")
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    assert "not English" not in ingested(str(file))


def test_ingest_as_json(file: Path) -> None:
    assert json.loads(ingested(str(file), "--json"))["languages"] == {"de": 1, "es": 1, "en": 1}


def test_doctor_has_a_line_for_it(file: Path) -> None:
    ingested(str(file))
    (check,) = (check for check in examine() if check["name"] == "languages")
    assert check == {
        "name": "languages",
        "ok": True,
        "detail": f"2 of 3 user messages are not English (German 1, Spanish 1): {NOTE}",
        "languages": {"de": 1, "es": 1, "en": 1},
    }


@pytest.mark.parametrize("unread", ["", f"2 of 3 user messages are not English (German 2): {NOTE}"])
def test_a_run_says_it_of_what_it_extracted(
    unread: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "250")
    versions = {"added": 1, "changed": 0, "retired": 0, "withdrawn": 0}
    print_run(RunReport(run_ids=["one"], versions=versions, unread=unread))
    said = [text for text in capsys.readouterr().out.splitlines() if "English" in text]
    assert said == ([unread] if unread else [])
