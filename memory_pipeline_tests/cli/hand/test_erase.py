from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from memory_pipeline.cli import app
from memory_pipeline.stages.operations.erasure import erase as erasing
from memory_pipeline_tests.store import Store

RUN = CliRunner()


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    monkeypatch.setenv("MEMORY_PIPELINE_HOME", str(tmp_path))
    monkeypatch.setenv("COLUMNS", "200")
    made = Store(tmp_path)
    for user in ("alice", "bob"):
        own = made.of(user)
        said = own.message(f"I, {user}, blow glass in Marinha Grande on Thursdays.", message_id="m-1")
        own.memory(f"{user} blows glass in Marinha Grande on Thursdays.", evidence=(said.message_id,))
    return made


def test_erasing_asks_first_and_prints_a_certificate(store: Store) -> None:
    asked = RUN.invoke(app, ["erase", "--user", "alice"])
    assert asked.exit_code == 2
    assert "--yes" in asked.stderr
    counts = json.loads(RUN.invoke(app, ["erase", "--user", "alice", "--dry-run", "--json"]).stdout)
    assert counts["messages"] == counts["memory_versions"] == 1
    assert store.lake.sql("SELECT count(*) AS n FROM messages")["n"][0].as_py() == 2

    certificate = json.loads(RUN.invoke(app, ["erase", "--user", "alice", "--yes", "--json"]).stdout)

    assert certificate["removed"] == counts
    assert certificate["proof"]["hits"] == 0
    assert (store.home / "erasures" / "certificates" / f"{certificate['erasure_id']}.json").exists()
    assert store.lake.sql("SELECT user_id FROM memory_versions")["user_id"].to_pylist() == ["bob"]
    forgotten = RUN.invoke(app, ["erase", "--user", "alice", "--forget-tombstones"])
    assert "3 tombstones forgotten" in forgotten.stdout


def test_what_is_asked_for_wrongly_is_told(store: Store) -> None:
    assert RUN.invoke(app, ["erase", "--yes"]).exit_code == 2
    assert RUN.invoke(app, ["erase", "--user", "alice", "--by-age"]).exit_code == 2
    assert RUN.invoke(app, ["erase", "--by-age", "--yes", "--json"]).stdout.strip() == "{}"


def test_a_proof_that_fails_is_an_error_and_the_erasure_stays_open(store: Store) -> None:
    note = store.home / "evaluation" / "notes.txt"
    note.parent.mkdir()
    note.write_text("She said: I, alice, blow glass in Marinha Grande on Thursdays.")
    failed = RUN.invoke(app, ["erase", "--user", "alice", "--yes"])
    assert isinstance(failed.exception, Exception)
    assert "notes.txt" in str(failed.exception)
    note.unlink()
    ctx = erasing.StageContext(store.settings, "next", store.reader()._engine.clock())
    (certificate,) = erasing.complete(ctx)
    assert certificate["proof"]["hits"] == 0
