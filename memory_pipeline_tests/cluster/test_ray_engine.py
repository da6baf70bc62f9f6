"""Stages on a real Ray: workers that die, one budget for all of them, secrets, logs, Ctrl-C, and the same rows."""

from __future__ import annotations

import json
import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from memory_pipeline.errors import BudgetExceeded
from memory_pipeline.settings import Settings
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.engines.ray_engine import RayEngine
from memory_pipeline_tests.cluster import asking
from memory_pipeline_tests.protocol_server import ProtocolServer

pytestmark = [pytest.mark.cluster, pytest.mark.filterwarnings("default")]
pytest.importorskip("ray", reason="pip install 'memory-pipeline[ray]'")

NOW = datetime(2026, 7, 1, 9, tzinfo=UTC)
KEY = "sk-of-nobody-4711"
# A call costs some 0.3 USD for what it says, and its longest reply 0.2 USD.
DEAR = {"chat_input_usd": 1000.0, "chat_cached_usd": 1000.0, "chat_output_usd": 1000.0}
WAIT_S = 60.0


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RayEngine]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
        found = RayEngine(Settings(home=str(tmp_path_factory.mktemp("home")), engine="ray", engine_workers=2))
        _ = found.buckets
        yield found
        found.close()


@pytest.fixture
def ctx(
    engine: RayEngine, tmp_path: Path, protocol_server: ProtocolServer, monkeypatch: pytest.MonkeyPatch
) -> StageContext:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    given: dict[str, Any] = {"chat": "openai", "chat_retries": 0, "chat_concurrency": 2, **DEAR}
    found = StageContext(Settings.load(home=str(tmp_path), **given), "run", NOW)
    found.engine = engine
    return found


def _with(ctx: StageContext, **settings: Any) -> StageContext:
    found = StageContext(ctx.settings.model_copy(update=settings), "run", NOW)
    found.engine = ctx.engine
    return found


def test_all_workers_have_one_number_of_calls_under_way(
    ctx: StageContext, protocol_server: ProtocolServer, caplog: pytest.LogCaptureFixture
) -> None:
    protocol_server.delay(0.2)
    with caplog.at_level(logging.WARNING):
        found = list(ctx.engine.map(ctx, asking.answers, [range(n, n + 3) for n in range(0, 12, 3)]))
    assert list(map(len, found)) == [3, 3, 3, 3]
    assert len(protocol_server.calls) == 12
    assert protocol_server.most_at_once == 2, "CHAT_CONCURRENCY is that of the run"
    assert (ctx.replies.calls, ctx.replies.hits) == (12, 0), "what workers were answered counts here"
    assert sum("asking about" in record.getMessage() for record in caplog.records) == 4
    assert all(call.headers["authorization"] == f"Bearer {KEY}" for call in protocol_server.calls)


def test_all_workers_have_one_budget(ctx: StageContext, protocol_server: ProtocolServer) -> None:
    protocol_server.delay(0.2)
    limited = _with(ctx, budget_usd_per_day=1.2, chat_concurrency=8)
    with pytest.raises(BudgetExceeded, match=r"of 1\.2 USD"):
        list(limited.engine.map(limited, asking.answers, [range(n, n + 4) for n in range(0, 16, 4)]))
    assert 1 <= len(protocol_server.calls) < 6
    spent = limited.lake.sql("SELECT sum(usd) AS usd FROM costs")["usd"][0].as_py()
    assert spent <= 1.2


def test_what_a_dead_worker_held_is_given_back(
    ctx: StageContext, protocol_server: ProtocolServer, tmp_path: Path
) -> None:
    limited = _with(ctx, budget_usd_per_day=0.9, chat_concurrency=1)
    (found,) = limited.engine.map(limited, asking.answers_after_a_death, [str(tmp_path / "died")])
    assert len(found) == 1 and len(protocol_server.calls) == 1


def test_an_error_comes_back_as_it_was(ctx: StageContext) -> None:
    with pytest.raises(BudgetExceeded, match="the budget is spent") as raised:
        list(ctx.engine.map(ctx, asking.spends_too_much, [0.25]))
    assert (raised.value.usd, raised.value.stage, type(raised.value)) == (0.25, "proposals", BudgetExceeded)


def test_keys_are_not_in_rays_logs(ctx: StageContext) -> None:
    import ray

    list(ctx.engine.map(ctx, asking.answers, [[1]]))
    session = Path(ray._private.worker.global_worker.node.get_session_dir_path())
    logs = [path for path in session.rglob("*") if path.is_file()]
    assert len(logs) > 5
    assert not [path.name for path in logs if KEY.encode() in path.read_bytes()]


def test_tasks_end_when_nobody_waits_for_them(ctx: StageContext, tmp_path: Path) -> None:
    notes = [str(tmp_path / f"at-work-{n}") for n in range(2)]
    results = ctx.engine.map(ctx, asking.wait_for_ever, notes)
    with pytest.raises(KeyboardInterrupt):
        _interrupted(results, [Path(note) for note in notes])
    began = time.monotonic()
    assert list(ctx.engine.map(ctx, asking.answers, [[1], [2]])), "there is room for others at once"
    assert time.monotonic() - began < WAIT_S


def _interrupted(results: Iterator[Any], notes: list[Path]) -> None:
    import threading

    def stop() -> None:
        until = time.monotonic() + WAIT_S
        while not all(note.exists() for note in notes) and time.monotonic() < until:
            time.sleep(0.05)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=stop, daemon=True).start()
    next(results)


@pytest.mark.parametrize("store", ["a disk", "object storage"])
def test_a_cluster_makes_what_one_process_makes(store: str) -> None:
    command = [sys.executable, "-m", "benchmarks.cluster", "--users", "4", "--days", "8", "--workers", "2"]
    command += ["--s3"] if store == "object storage" else []
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    found = json.loads(done.stdout)
    assert all(found["same"].values()), found
    assert len(found["killed in"]) >= 4, "a worker of every stage was killed"


def test_a_run_through_dagster_can_be_stopped_and_goes_on(tmp_path: Path) -> None:
    home = {"MEMORY_PIPELINE_HOME": str(tmp_path / "home"), "PYTHONPATH": os.pathsep.join(sys.path)}
    environment = {**os.environ, **home, "MEMORY_PIPELINE_ENGINE": "ray", "MEMORY_PIPELINE_ENGINE_WORKERS": "2"}
    command = [sys.executable, "-m", "memory_pipeline.cli"]
    subprocess.run([*command, "ingest", "data/sample/yumi.jsonl"], env=environment, check=True, stdout=subprocess.PIPE)
    run = subprocess.Popen(
        [*command, "run"], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    time.sleep(12)  # in the middle of what it makes
    run.send_signal(signal.SIGINT)
    run.communicate(timeout=WAIT_S)
    assert run.returncode != 0
    done = subprocess.run([*command, "run", "--json"], env=environment, check=True, stdout=subprocess.PIPE, text=True)
    assert json.loads(done.stdout)["stages"]
    local = {**environment, "MEMORY_PIPELINE_ENGINE": "local"}
    again = subprocess.run([*command, "run", "--json"], env=local, check=True, stdout=subprocess.PIPE, text=True)
    assert json.loads(again.stdout)["run_ids"] == [], "nothing is left for one process to make"
