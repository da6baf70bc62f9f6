"""The profile at the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memory_pipeline import cli as command_line


def test_who_a_user_is(
    tmp_path: Path, clean_environment: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MEMORY_PIPELINE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("COLUMNS", "160")

    def run(*arguments: str) -> str:
        monkeypatch.setattr("sys.argv", ["memory-pipeline", *arguments])
        assert command_line._run() == 0
        return capsys.readouterr().out

    assert run("profile", "--user", "ada") == "Nothing lasting is remembered of ada.\n"
    run("remember", "Lives in Lisbon.", "--user", "ada")
    assert "Place: Lives in Lisbon." in run("profile", "--user", "ada").splitlines()
    found = json.loads(run("profile", "--user", "ada", "--json"))
    assert set(found) == {"text", "item_ids", "tokens", "version"}
    assert found["tokens"] <= 200
