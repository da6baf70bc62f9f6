"""Dagster's storage in a real Postgres: what `run` leaves there, and what it says when there is none."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import dagster as dg
import pytest
import sqlalchemy

from memory_pipeline.cli.operations.doctor import examine
from memory_pipeline.errors import SettingsError
from memory_pipeline.orchestration.dagster_home.event_log import prune
from memory_pipeline.orchestration.dagster_home.instance import instance
from memory_pipeline.orchestration.dagster_home.postgres import database, location, secret
from memory_pipeline.orchestration.runs.run import run
from memory_pipeline.settings import Settings
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.operations.erasure.run_records import Redaction, redact
from memory_pipeline.storage.erasing.traces import Traces
from memory_pipeline_tests.factories import message
from memory_pipeline_tests.postgres_server import postgres_server

PASSWORD = "not-to-be-seen"
NOBODY = f"postgresql://dagster:{PASSWORD}@127.0.0.1:1/dagster"
AT = datetime(2026, 3, 9, 12, tzinfo=UTC)
SAID, HELD = "I live in Lisbon.", "Lives in Lisbon."


@pytest.fixture(scope="module")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_RUNTIME_DIR", str(tmp_path_factory.mktemp("runtime")))
        with postgres_server() as server:
            yield server


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with one message; what preparing Dagster's home sets is taken back afterwards."""
    monkeypatch.setenv("MEMORY_PIPELINE_HOME", str(tmp_path))
    monkeypatch.setenv("DAGSTER_HOME", "")
    monkeypatch.setenv("MEMORY_PIPELINE_POSTGRES_URL", "")
    said = [message(SAID, AT)]
    StageContext(Settings.load(), "test", AT).lake.append("messages", said)
    return tmp_path


def _cli(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "memory_pipeline.cli", *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=dict(os.environ), timeout=300)


def test_a_run_is_in_postgres_and_outlives_a_restart(
    postgres: Any, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMORY_PIPELINE_POSTGRES_URL", postgres.get_uri())  # without the driver
    done = _cli("run", "--only", "proposals", "--json")
    assert done.returncode == 0, done.stderr
    (run_id,) = json.loads(done.stdout)["run_ids"]

    postgres.stop()
    with pytest.raises(SettingsError, match=r"^Postgres at .* cannot be used"), instance(Settings.load()):
        pass
    postgres.start()

    with instance(Settings.load()) as found:
        assert type(found.run_storage).__module__.startswith("dagster_postgres")
        assert [r.status for r in found.get_runs()] == [dg.DagsterRunStatus.SUCCESS]
        event = found.get_latest_materialization_event(dg.AssetKey("proposals"))
        assert event is not None and event.run_id == run_id
    more = run(Settings.load(), only=["memories"])
    assert len(more.run_ids) == 1
    with instance(Settings.load()) as found:
        assert {r.run_id for r in found.get_runs()} == {run_id, *more.run_ids}
    assert not list(home.rglob("*.db")), "nothing of it is in SQLite"
    assert not list((home / "dagster" / "running").iterdir())
    (storage,) = [c for c in examine() if c["name"] == "Dagster's storage"]
    assert storage["ok"] and storage["detail"].startswith("Postgres at ") and "2 runs" in storage["detail"]


def _records(url: str) -> dict[str, str]:
    """Everything that the database holds, as text, by table."""
    engine = sqlalchemy.create_engine(url)
    with engine.connect() as connection:
        names = sqlalchemy.inspect(engine).get_table_names()
        rows = {name: connection.execute(sqlalchemy.text(f'SELECT * FROM "{name}"')).all() for name in names}
    engine.dispose()
    return {name: str([tuple(row) for row in found]) for name, found in rows.items()}


def test_records_in_postgres_lose_what_is_erased_and_what_is_old(
    postgres: Any, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMORY_PIPELINE_POSTGRES_URL", postgres.get_uri())
    url = postgres.get_uri(driver="psycopg2")
    (run_id,) = run(Settings.load(), only=["proposals"]).run_ids
    assert any(HELD in text for text in _records(url).values()), "a preview quotes it"

    redaction = Redaction(Traces.of(b"salt", [HELD]), [])
    assert redact(Settings.load(), redaction)["records of runs"] > 0
    assert not any(HELD in text for text in _records(url).values())
    with instance(Settings.load()) as found:
        assert _latest(found) == run_id, "it can still be read"
        assert prune(found, datetime.now(UTC) + timedelta(days=1), keep=0).events > 0
        assert _latest(found) == run_id, "the latest of an asset stays"
        assert prune(found, datetime.now(UTC) + timedelta(days=1), keep=0).events == 0


def _latest(found: dg.DagsterInstance) -> str | None:
    event = found.get_latest_materialization_event(dg.AssetKey("proposals"))
    return None if event is None else event.run_id


def test_an_unreachable_database_is_told_in_one_line_without_the_password(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMORY_PIPELINE_POSTGRES_URL", NOBODY)
    done = _cli("run", "--json")
    assert done.returncode == 1 and done.stdout == ""
    assert re.fullmatch(
        r"memory-pipeline: Postgres at 127\.0\.0\.1:1/dagster cannot be used \(MEMORY_PIPELINE_POSTGRES_URL\): .+\n",
        done.stderr,
    )
    checks = examine()
    (storage,) = [c for c in checks if c["name"] == "Dagster's storage"]
    assert not storage["ok"] and "127.0.0.1:1/dagster" in storage["detail"]
    for text in (done.stderr, str(checks), repr(Settings.load())):
        assert PASSWORD not in text
    assert not any(PASSWORD in f.read_text(errors="replace") for f in home.rglob("*") if f.is_file())


@pytest.mark.parametrize("prefix", ["postgres", "postgresql", "postgresql+psycopg2"])
def test_the_url_is_taken_with_and_without_the_driver(prefix: str) -> None:
    url = database(Settings.load(postgres_url=f"{prefix}://me:a%40b@db.example:5433/dagster?sslmode=require"))
    assert url is not None
    assert secret(url) == "postgresql+psycopg2://me:a%40b@db.example:5433/dagster?sslmode=require"
    assert location(url) == "db.example:5433/dagster" and "a@b" not in str(url) and "a%40b" not in str(url)


@pytest.mark.parametrize(
    "wrong",
    [f"mysql://me:{PASSWORD}@h/d", f"me:{PASSWORD}@h", f"postgresql://me:{PASSWORD}@h:port/d", "postgresql://h"],
)
def test_what_is_no_url_of_a_postgres_database_is_refused(wrong: str) -> None:
    with pytest.raises(SettingsError, match="MEMORY_PIPELINE_POSTGRES_URL: write it as postgresql://") as refused:
        database(Settings.load(postgres_url=wrong))
    assert PASSWORD not in str(refused.value)
    assert refused.value.__suppress_context__ or refused.value.__context__ is None, "a traceback would quote it"


_INSTANCE = """
import dagster as dg
with dg.DagsterInstance.get() as found:
    assert type(found.run_storage).__name__ == "PostgresRunStorage"
    assert type(found.run_launcher).__name__ == "WatchedRunLauncher"
    assert found.run_monitoring_enabled and found.run_retries_enabled and found.freshness_enabled
    assert not found.run_retries_retry_on_asset_or_op_failure
    assert found.get_concurrency_config().pool_config.default_pool_limit == 1
print("as asked")
"""


def test_programs_of_dagster_get_their_storage_from_the_settings_with_the_url_in_a_file(
    postgres: Any, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = home / "postgres_url"
    file.write_text(postgres.get_uri() + "\n")
    monkeypatch.setenv("MEMORY_PIPELINE_POSTGRES_URL_FILE", str(file))
    start = [sys.executable, "-m", "memory_pipeline.orchestration.environment"]
    done = subprocess.run([*start, sys.executable, "-c", _INSTANCE], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout.strip()) == (0, "as asked"), done.stderr
