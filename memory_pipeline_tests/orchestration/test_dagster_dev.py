"""The real thing: ``memory-pipeline ui`` with its daemon, a file in the inbox, and the memory that comes of it."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from memory_pipeline import MemoryReader
from memory_pipeline.settings import Settings
from memory_pipeline.storage.logs.alert_log import AlertLog
from memory_pipeline_tests.alert_receiver import AlertReceiver

pytestmark = pytest.mark.ui
_START_S = 120
_MEMORY_S = 120  # generous: the machine may be busy; the benchmark holds the figure of 15 s


@dataclass
class Server:
    """A running ``memory-pipeline ui``."""

    url: str
    home: Path
    log: Path
    alerts: AlertReceiver

    def ask(self, query: str, **variables: Any) -> dict[str, Any]:
        body = json.dumps({"query": query, "variables": variables}).encode()
        request = urllib.request.Request(f"{self.url}/graphql", body, {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=20) as answer:
            found: dict[str, Any] = json.load(answer)
        assert not found.get("errors"), found
        data: dict[str, Any] = found["data"]
        return data


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    home = tmp_path_factory.mktemp("home")
    (home / "inbox").mkdir()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    log = home / "ui.log"
    command = [sys.executable, "-m", "memory_pipeline.cli", "ui", "--port", str(port)]
    with log.open("wb") as out, AlertReceiver() as alerts:
        environment = {
            **os.environ,
            "MEMORY_PIPELINE_HOME": str(home),
            "MEMORY_PIPELINE_ALERT_WEBHOOK": alerts.url,
            "DAGSTER_DISABLE_TELEMETRY": "1",
        }
        process = subprocess.Popen(command, stdout=out, stderr=out, env=environment, start_new_session=True)
        try:
            running = Server(f"http://127.0.0.1:{port}", home, log, alerts)
            _wait_until_up(running, process)
            yield running
        finally:
            os.killpg(process.pid, signal.SIGTERM)
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()


def _wait_until_up(server: Server, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + _START_S
    while time.monotonic() < deadline:
        assert process.poll() is None, server.log.read_text()
        try:
            daemons = server.ask('{ instance { daemonHealth { daemonStatus(daemonType: "SENSOR") { healthy } } } }')
            if daemons["instance"]["daemonHealth"]["daemonStatus"]["healthy"]:
                return
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            pass
        time.sleep(0.5)
    raise AssertionError(f"the server did not come up: {server.log.read_text()[-4000:]}")


_LAST = """
query Last($name: String!) {
  assetOrError(assetKey: {path: [$name]}) {
    ... on Asset { assetMaterializations(limit: 5) { partition runId timestamp } }
  }
}
"""
_RUN = "query Run($id: ID!) { runOrError(runId: $id) { ... on Run { status } } }"


def _drop(server: Server, name: str, content: str, day: str) -> float:
    line = {
        "user_id": "nadia",
        "session_id": f"{name}-1",
        "role": "user",
        "content": content,
        "created_at": f"{day}T09:15:00+00:00",
    }
    target = server.home / "inbox" / f"{name}.jsonl"
    target.with_suffix(".part").write_text(json.dumps(line) + "\n", encoding="utf-8")
    target.with_suffix(".part").rename(target)
    return time.monotonic()


def _wait_for(server: Server, asset: str, partition: str, since: float) -> str:
    deadline = since + _MEMORY_S
    while time.monotonic() < deadline:
        found = server.ask(_LAST, name=asset)["assetOrError"].get("assetMaterializations") or []
        for event in found:
            if event["partition"] == partition:
                run: str = event["runId"]
                return run
        time.sleep(0.25)
    raise AssertionError(f"{asset} {partition} was not made: {server.log.read_text()[-4000:]}")


def test_a_dropped_file_becomes_a_memory(server: Server) -> None:
    day = datetime.now(UTC).date().isoformat()
    since = _drop(server, "first", "I live in Lisbon and I am allergic to peanuts.", day)
    run = _wait_for(server, "memory_vectors", day, since)
    seconds = time.monotonic() - since
    print(f"from file to memory: {seconds:.1f} s")
    reader = MemoryReader.open(home=str(server.home))
    hits = reader.search("Where does she live?", user_id="nadia", k=5, layers=("semantic",))
    assert any("Lisbon" in hit.content for hit in hits)
    assert reader.search("Where does she live?", user_id="somebody else", k=5) == []
    deadline = time.monotonic() + 60
    while (status := server.ask(_RUN, id=run)["runOrError"]["status"]) != "SUCCESS":
        assert status in ("STARTED", "STARTING", "QUEUED") and time.monotonic() < deadline, status
        time.sleep(0.5)


_RUNS = """
{ runsOrError(limit: 20) { ... on Runs { results { runId status jobName parentRunId tags { key value } } } } }
"""


def _runs(server: Server) -> dict[str, dict[str, Any]]:
    return {run["runId"]: run for run in server.ask(_RUNS)["runsOrError"]["results"]}


def test_a_killed_run_is_noticed_told_of_and_started_again(server: Server) -> None:
    day = datetime.now(UTC).date().isoformat()
    since = _drop(server, "killed", "I have a dog called Bruno.", day)
    running = server.home / "dagster" / "running"
    while not (marks := list(running.glob("*.run"))) or not (pid := marks[0].read_text()):
        assert time.monotonic() < since + _MEMORY_S, server.log.read_text()[-4000:]
        time.sleep(0.01)
    dead = marks[0].stem
    os.kill(int(pid), signal.SIGKILL)

    deadline = time.monotonic() + 120
    while True:  # Dagster notices, and the daemon starts it again
        runs = _runs(server)
        again = [run for run in runs.values() if run["parentRunId"] == dead]
        if again and again[0]["status"] == "SUCCESS":
            break
        assert time.monotonic() < deadline, (runs, server.log.read_text()[-4000:])
        time.sleep(0.5)
    assert runs[dead]["status"] == "FAILURE"
    hits = MemoryReader.open(home=str(server.home)).memories(user_id="nadia")
    assert [m["content"] for m in hits if "Bruno" in m["content"]] == ["Has a dog called Bruno."]

    while not server.alerts.bodies:
        assert time.monotonic() < deadline, "nobody was told of the failed run"
        time.sleep(0.5)
    (alert,) = [body for body in server.alerts.bodies if body["run_id"] == dead]
    assert alert["kind"] == "run_failed" and alert["job"] == "ingest_and_extract" and "Bruno" not in str(alert)
    assert alert["alert_id"] in {row["alert_id"] for row in AlertLog(Settings(home=str(server.home))).latest(10)}


def test_the_asset_graph_is_shown(server: Server, tmp_path: Path) -> None:
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("chromium is not installed: no screenshot of the asset graph")
    picture = tmp_path / "asset-graph.png"
    flags = (
        "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
        "--disable-component-update --disable-sync --window-size=1800,1000 --virtual-time-budget=20000"
    )
    subprocess.run(
        [
            chromium,
            *flags.split(),
            f"--user-data-dir={tmp_path / 'profile'}",
            f"--screenshot={picture}",
            f"{server.url}/asset-groups",
        ],
        check=True,
        capture_output=True,
        timeout=120,
    )
    assert picture.stat().st_size > 20_000, "an empty page"
    if "SCREENSHOTS" in os.environ:
        shutil.copy(picture, os.environ["SCREENSHOTS"])


def test_nothing_is_said_that_is_of_no_use(server: Server) -> None:
    lines = server.log.read_text().splitlines()
    assert lines[0].startswith(server.url)
    for idle in ("superseded", "deprecated", "DeprecationWarning", "skipped", "configuration value", "Checking for"):
        assert not [line for line in lines if idle in line], idle
