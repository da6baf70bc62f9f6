"""``lifecycle`` and ``maturity`` as an operator types them."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from memory_pipeline.cli.operations.lifecycle import app
from memory_pipeline.domain.ledger.memory import MemoryVersion
from memory_pipeline.domain.proposal import MemoryType
from memory_pipeline.storage.parquet.lake import Lake
from memory_pipeline_tests.store import Store

NOW = datetime.now(UTC)  # the commands take the machine's clock for today


class _Encoder:
    """Looks like the embedded encoder to the index; nothing is encoded here twice."""

    def __init__(self) -> None:
        from memory_pipeline.inference.models import open_encoder
        from memory_pipeline.settings import Settings

        self._own = open_encoder(Settings.load())
        self.model, self.dimensions = self._own.model, self._own.dimensions

    def encode(self, texts: Any) -> Any:
        return self._own.encode(texts)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    monkeypatch.setenv("MEMORY_PIPELINE_HOME", str(tmp_path))
    monkeypatch.setenv("COLUMNS", "220")
    store = Store(tmp_path, encoder=_Encoder())
    store.message("I have a headache.", at=NOW - timedelta(days=10))
    store.memory("Has a headache.", type=MemoryType.EPHEMERAL, at=NOW - timedelta(days=10))
    store.memory("Lives in Lisbon.", at=NOW - timedelta(days=10))
    store.of("bob").memory("Has a cold.", type=MemoryType.EPHEMERAL, at=NOW - timedelta(days=9))
    return store


def _run(*arguments: str, code: int = 0) -> Result:
    done = CliRunner().invoke(app, [*arguments])
    assert done.exit_code == code, done.output
    return done


def _rows(home: Store) -> list[MemoryVersion]:
    return Lake(home.settings.path("lake")).read("memory_versions", MemoryVersion)


def test_a_dry_run_says_what_would_change_and_writes_nothing(home: Store) -> None:
    before = _rows(home)
    shown = _run("lifecycle", "--dry-run").output
    for part in ("none of them written", "Has a headache.", "active → stale", "not referred to for 3 days", "bob"):
        assert part in shown
    found = json.loads(_run("lifecycle", "--dry-run", "--user", "bob", "--json").stdout)
    (row,) = found["transitions"]
    expected = ("Has a cold.", "active", "stale", str(NOW.date() - timedelta(days=6)))
    assert (row["content"], row["from"], row["to"], row["day"]) == expected
    later = (NOW + timedelta(days=60)).date().isoformat()
    coming = json.loads(_run("lifecycle", "--dry-run", "--user", "bob", "--through", later, "--json").stdout)
    assert [(r["from"], r["to"]) for r in coming["transitions"]] == [("active", "stale"), ("stale", "archived")]
    assert "Nothing of eve is due" in _run("lifecycle", "--dry-run", "--user", "eve").output
    assert _rows(home) == before


def test_it_is_applied_through_dagster_and_then_there_is_nothing_to_do(home: Store) -> None:
    shown = _run("lifecycle").output
    assert "2 changes by" in shown and "Has a headache." in shown
    made = [v for v in _rows(home) if v.version == 2]
    assert [(v.content, str(v.status)) for v in made] == [("Has a headache.", "stale"), ("Has a cold.", "stale")]
    again = json.loads(_run("lifecycle", "--json").stdout)
    assert again["transitions"] == [] and len(again["run_ids"]) == 1
    assert again["run_ids"][0] not in {v.run_id for v in made}
    assert "no memory changes" in _run("lifecycle").output


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--through", "9000-01-01"], "has not come yet"),
        (["--through", "yesterday"], "is not a day"),
        (["--user", "bob"], "time passes for everybody"),
    ],
)
def test_what_cannot_be_done_is_said(home: Store, arguments: list[str], says: str) -> None:
    assert says in _run("lifecycle", *arguments, code=2).output


def test_maturity_shows_months_and_what_is_to_be_expected(home: Store) -> None:
    shown = _run("maturity", "--user", "alice").stdout
    for part in ("2 memories of alice after 1 messages", "per 100 messages", "week 1", "5 to 10", "ephemeral", "█"):
        assert part in shown
    found = json.loads(_run("maturity", "--user", "alice", "--json").stdout)
    assert (found["memories"], found["by_type"]) == (2, {"ephemeral": 1, "profile_fact": 1})
    assert "Nothing has been said by eve yet." in _run("maturity", "--user", "eve").output
