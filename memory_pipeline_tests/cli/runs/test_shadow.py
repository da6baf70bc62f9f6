"""``shadow`` and ``promote`` as an operator types them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from memory_pipeline.cli.operations.doctor import examine
from memory_pipeline.cli.runs.shadow import app
from memory_pipeline.errors import PromotionError
from memory_pipeline_tests.evaluation.tried import READ_ON, make_reads, told_home

DAY = ("--from", READ_ON.isoformat())


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    settings = told_home(tmp_path_factory.mktemp("cli"))
    make_reads(settings)
    return Path(settings.home)


@pytest.fixture(autouse=True)
def environment(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORY_PIPELINE_HOME", str(home))
    monkeypatch.setenv("COLUMNS", "200")


def _run(*arguments: str, code: int = 0) -> Result:
    done = CliRunner().invoke(app, [*arguments])
    assert done.exit_code == code, (done.output, done.exception)
    return done


def _json(*arguments: str, code: int = 0) -> Any:
    return json.loads(_run(*arguments, "--json", code=code).stdout)


def _in_force() -> str:
    (line,) = (check["detail"] for check in examine() if check["name"] == "policy")
    return str(line)


def test_a_change_is_tried_promoted_and_taken_back(home: Path, tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text("[context]\nitems = 23\n", encoding="utf-8")
    done = CliRunner().invoke(app, ["promote", "--policy", str(file)])
    assert isinstance(done.exception, PromotionError)
    assert _in_force() == "as shipped"
    shown = _run("shadow", "--policy", str(file), *DAY).stdout
    assert "policy mine.toml: 6 reads of 2 users, 2026-03-20; 0 answered otherwise" in shown
    assert shown.rstrip().endswith("passed")
    assert f"In force now: {home / 'policy.toml'}" in _run("promote", "--policy", str(file)).stdout
    assert (home / "policy.toml").read_text() == file.read_text()
    assert "put in force by `memory-pipeline promote`" in _in_force()
    assert _json("promote", "--undo") == {"undone": [str(home / "policy.toml")]}
    assert _in_force() == "as shipped"


def test_a_worse_one_ends_with_1_and_is_not_promoted(home: Path, tmp_path: Path) -> None:
    file = tmp_path / "worse.toml"
    zero = "similarity = 0.0, keyword = 0.0, entity_match = 0.0, late = 0.0, late_session = 0.0"
    weights = f"weights = {{ {zero}, recency = 1.0 }}"
    file.write_text(f"[profiles.default]\n{weights}\n", encoding="utf-8")
    report = _json("shadow", "--policy", str(file), *DAY, "--promote", code=1)
    assert (report["passed"], report["promoted"], report["metrics"]["helpful_lost"]) == (False, [], 2)
    assert not (home / "policy.toml").exists()
    shown = _run("shadow", "--policy", str(file), *DAY, code=1).stdout
    assert "2 of 2 items that had helped are lost" in shown and "Reads to look at" in shown


def test_wrong_usage(tmp_path: Path) -> None:
    _run("shadow", "--policy", str(tmp_path / "missing.toml"), code=2)
    _run("shadow", "--from", "2026-03-20", "--to", "2026-03-19", code=2)
    _run("promote", "--undo", "--profile", "durable", code=2)
