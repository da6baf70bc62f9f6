"""A slice of the fault injection: killed at boundaries of several kinds and at a moment, nothing differs in the end."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from benchmarks.faults.boundaries import Watch
from benchmarks.faults.state import State, compare


@pytest.mark.skipif(sys.platform != "linux", reason="it forks, and looks into /proc")
def test_killed_and_gone_on_with_is_as_if_nothing_had_been() -> None:
    """In a process of its own: this one has threads, which a fork would not take along."""
    command = [sys.executable, "-m", "benchmarks.fault_injection", "--short"]
    given = ["--kills", "4", "--jobs", "2", "--days", "2", "--seed", "4"]
    done = subprocess.run([*command, *given], capture_output=True, text=True, check=False)
    found = json.loads(done.stdout)
    assert done.returncode == 0, found["examples"]
    assert found["kills"] >= 4 and found["kinds tried"] >= 3
    assert found["boundaries"] > 300


def test_the_watch_kills_at_the_boundary_it_was_told(tmp_path: Path) -> None:
    program = (
        "import os, sys\nfrom benchmarks.faults.boundaries import Watch, install\n"
        "from memory_pipeline.storage.parquet.files import Files\n"
        "for home, at in zip(sys.argv[1::2], map(int, sys.argv[2::2])):\n"
        "    if child := os.fork():\n"
        "        print(home, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)\n"
        "        continue\n"
        "    watch = Watch(home, at)\n    install(watch)\n"
        "    Files(home + '/lake').put('messages/day=2026-03-01/a.parquet', b'whole')\n"
        "    print(watch.seen, flush=True)\n    os._exit(0)"
    )
    homes = {at: tmp_path / str(at) for at in (99, 2, 5, 6)}
    for home in homes.values():
        home.mkdir()
    given = [part for at, home in homes.items() for part in (str(home), str(at))]
    done = subprocess.run([sys.executable, "-c", program, *given], capture_output=True, text=True, env=os.environ)
    seen, *lines = done.stdout.splitlines()
    codes = dict(line.rsplit(" ", 1) for line in lines)

    def put(at: int) -> tuple[int, list[bytes], list[bytes]]:
        partial, whole = ([p.read_bytes() for p in homes[at].rglob(f"*.{end}")] for end in ("tmp", "parquet"))
        return int(codes[str(homes[at])]), partial, whole

    assert put(99) == (0, [], [b"whole"]) and seen.count(":") == 6
    assert put(2) == (-signal.SIGKILL, [b"wh"], []), "torn"
    assert put(5)[1:] == ([b"whole"], []), "written, and not yet renamed"
    assert put(6)[1:] == ([], [b"whole"])


def test_what_is_lost_or_doubled_is_told() -> None:
    def state(*messages: str, fault: str = "") -> State:
        rows = {"messages": Counter(messages)}
        return State(rows, Counter(messages), Counter(), [fault] if fault else [])

    assert not compare(state("a", "b"), state("a", "b"))
    assert compare(state("a", "b"), state("a")).lost == ["b"]
    difference = compare(state("a", "b"), state("a", "b", "b", fault="left behind: x"))
    assert (difference.doubled, difference.faults) == (["b"], ["left behind: x"])
    assert difference.differing["messages"][0] == "0 gone, 1 new"


def test_what_lies_elsewhere_does_not_count(tmp_path: Path) -> None:
    watch = Watch(str(tmp_path))
    assert watch.area(tmp_path / "lake" / "messages" / "day=2026-03-01" / "a.parquet") == "messages"
    assert watch.area(tmp_path / "recall" / "r.jsonl") == "recall"
    assert watch.area(tmp_path / "lake" / ".locks" / "x.lock") is None
    assert watch.area(tmp_path.parent / "other.txt") is None
