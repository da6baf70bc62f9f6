"""Many processes at once, a process that is killed, and a file that is larger than the memory it may take."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memory_pipeline.domain.message import Message
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.messages.ingest import ingest, take_inbox
from memory_pipeline.storage.parquet.schemas import Source
from memory_pipeline_tests.stages.landing_files import NOW, context, line, numbered, put_aside, stored, write

ROOT = Path(__file__).parents[2]

# Prints a JSON report; "batch" makes many small batches out of a small file.
CHILD = """
import json, resource, sys
from datetime import datetime
from pathlib import Path
from memory_pipeline.settings import Settings
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.messages.ingest import ingest, take_inbox
from memory_pipeline.stages.messages.landing import intake
given = json.loads(sys.argv[1])
intake.BATCH_MESSAGES = given["batch"]
ctx = StageContext(Settings.load(home=given["home"]), "child", datetime.fromisoformat(given["now"]))
report = ingest(ctx, [Path(p) for p in given["paths"]]) if given["paths"] else take_inbox(ctx)
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps(report.to_dict() | {"peak_mb": peak}))
"""


def child(home: Path, paths: list[Path], batch: int = 20_000) -> subprocess.Popen[str]:
    given: dict[str, Any] = {
        "home": str(home),
        "paths": [str(p) for p in paths],
        "batch": batch,
        "now": NOW.isoformat(),
    }
    return subprocess.Popen(
        [sys.executable, "-c", CHILD, json.dumps(given)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        text=True,
    )


def finished(process: subprocess.Popen[str]) -> dict[str, Any]:
    out, _ = process.communicate(timeout=120)
    assert process.returncode == 0
    report: dict[str, Any] = json.loads(out)
    return report


def content_of(ctx: StageContext) -> list[Message]:
    """The log without which file or run a message came from."""
    return [replace(m, source="", recorded_at=NOW) for m in stored(ctx)]


def test_eight_processes_with_overlapping_files_double_nothing(tmp_path: Path) -> None:
    lines = [numbered(n, created_at=f"2026-03-{1 + n % 5:02}T{n % 24:02}:{n // 24 % 60:02}:00Z") for n in range(1_200)]
    files = [write(tmp_path / f"{n}.jsonl", lines[n * 100 : n * 100 + 500]) for n in range(8)]
    processes = [child(tmp_path / "home", [file], batch=100) for file in files]
    reports = [finished(process) for process in processes]
    ctx = context(tmp_path / "home")
    assert sorted(m.message_id for m in stored(ctx)) == sorted(f"m-{n}" for n in range(1_200))
    assert sum(report["taken"] for report in reports) == 1_200
    assert sum(report["known"] for report in reports) == 8 * 500 - 1_200


@pytest.mark.parametrize("wait", [0, 40])
def test_a_killed_run_is_simply_run_again(tmp_path: Path, wait: int) -> None:
    home, undisturbed = tmp_path / "home", tmp_path / "undisturbed"
    lines = [numbered(n, message_id=None, session_id=f"s-{n % 7}", content=f"Turn {n // 3}.") for n in range(900)]
    lines[450] = line(role="bot")
    for place in (home, undisturbed):
        write(place / "inbox" / "a.jsonl", lines)

    process = child(home, [], batch=15)
    messages = home / "lake" / "messages"
    deadline = time.monotonic() + 60
    while len(list(messages.glob("*/*.parquet"))) <= wait and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.001)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert process.returncode == -signal.SIGKILL

    ctx = context(home)
    left = len(stored(ctx))
    assert 0 < left < 899
    assert ctx.lake.read("sources", Source) == []
    report = take_inbox(ctx)
    assert (report.taken, report.known, report.quarantined) == (899 - left, left, 1)

    other = context(undisturbed)
    take_inbox(other)
    assert content_of(ctx) == content_of(other)
    assert [q.quarantine_id for q in put_aside(ctx)] == [q.quarantine_id for q in put_aside(other)]
    assert [s.sha256 for s in ctx.lake.read("sources", Source)] == [
        s.sha256 for s in other.lake.read("sources", Source)
    ]


def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    def sized(name: str, messages: int) -> Path:
        path = tmp_path / name
        with path.open("w") as out:
            for n in range(messages):
                given = line(
                    session_id=f"s-{n // 50}",
                    content=f"{n} " + "=" * 3_000,  # not a word: nothing to tell a language by
                    created_at=f"2026-{1 + n * 2 // messages:02}-{1 + n * 40 // messages % 20:02}T10:{n % 60:02}:00Z",
                )
                out.write(json.dumps(given) + "\n")
                if n % 2_000 == 0:
                    out.write("x" * 12_000_000 + "\n")
        return path

    small = finished(child(tmp_path / "one", [sized("small.jsonl", 2_000)], batch=1_000))
    large = finished(child(tmp_path / "two", [sized("large.jsonl", 24_000)], batch=1_000))
    assert (small["taken"], small["quarantined"]) == (2_000, 1)
    assert (large["taken"], large["quarantined"]) == (24_000, 12)
    grown = large["peak_mb"] - small["peak_mb"]
    assert grown < 60


def test_a_lock_that_was_left_behind_does_not_hold_anybody(tmp_path: Path) -> None:
    ctx = context(tmp_path / "home")
    lock = Path(ctx.settings.path("lake")) / ".ingest.lock"
    lock.parent.mkdir(parents=True)
    lock.touch()
    assert ingest(ctx, [write(tmp_path / "a.jsonl", [line()])]).taken == 1
