"""Does a night cost more in a large store? Prints JSON.

    python -m benchmarks.growth [--memories 1000000] [--base 10000] [--home DIR]

Two stores are written straight into lake and index (``large_store.py``): 50 users with 100 memories each are the same
in both, and other users make them as large as they are to be, over two years of days. Then a Sunday's night takes 1,000
messages of the 50 users through the real stages, weekly ones included (``nights.py``), in a process of its own, with
everything that it opens and reads. Before it come quiet nights, the first of which makes the week of all the others
who had written in it, until one finds nothing to make. Targets: CPU at most 1.3 times that of the small store, and at
most 1.5 GB of memory.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

from benchmarks.large_store import fill
from benchmarks.lives import Person, people
from benchmarks.nights import context, night, sizes
from memory_pipeline.stages.plan.registry import BY_NAME

_USERS = 50
_MESSAGES = 20
_SUNDAY = date(2025, 6, 15)
_SILENT = timedelta(days=10)  # so that the week is that of the 50 users


def measure(memories: int = 1_000_000, base: int = 10_000, home: Path | None = None) -> dict[str, Any]:
    """Fill both stores and compare a night in each.

    Args:
        home: folder that keeps them; otherwise they are temporary.
    """
    found = {}
    with tempfile.TemporaryDirectory() as place:
        for size in dict.fromkeys((base, memories)):
            found[size] = _of_one(str((home or Path(place)) / f"{size}"), size)
    small, large = found[base], found[memories]
    ratio = round(large["cpu_s"] / small["cpu_s"], 3)
    stages = large["cpu_by_stage"]
    return {
        "memories": memories,
        "base": base,
        "messages": large["messages"],
        "cpu_s": {size: of["cpu_s"] for size, of in found.items()},
        "cpu_ratio": ratio,
        "cpu_by_stage": {name: {size: of["cpu_by_stage"].get(name) for size, of in found.items()} for name in stages},
        "peak_rss_mb": {size: of["peak_rss_mb"] for size, of in found.items()},
        "stores": {size: of["stores"] for size, of in found.items()},
        "fill": {size: of["fill"] for size, of in found.items()},
        "targets": {
            "CPU at most 1.3 times": ratio <= 1.3,
            "peak memory at most 1.5 GB": large["peak_rss_mb"] <= 1536,
        },
    }


def _of_one(home: str, memories: int) -> dict[str, Any]:
    filled = _child("--fill", home, memories)
    _child("--quiet", home, memories)
    return {**_child("--night", home, memories), "fill": filled, "stores": _stores(home)}


def _child(step: str, home: str, memories: int) -> dict[str, Any]:
    """A step in a process of its own, so that its memory is its own."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.growth", step, home, "--memories", str(memories)],
        stdout=subprocess.PIPE,
        check=True,
        text=True,
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def _stores(home: str) -> dict[str, Any]:
    return {store: {"bytes": of["bytes"], "files": of["files"]} for store, of in sizes(home).items()}


def _fill(home: str, memories: int) -> dict[str, Any]:
    started, cpu = time.perf_counter(), time.process_time()
    last = _SUNDAY - _SILENT
    found = fill(context(home, last), memories, [person.name for person in people(_USERS)], last)
    return {
        **found,
        "seconds": round(time.perf_counter() - started, 1),
        "cpu_s": round(time.process_time() - cpu, 1),
    }


def _quiet(home: str, memories: int) -> dict[str, Any]:
    """The night before: a few messages, the first maintenance of the store, and what its own work makes stale."""
    day = _SUNDAY - timedelta(days=1)
    found = [night(home, day, list(_said(day, 2, 4)))]
    while found[-1].keys() & BY_NAME.keys():
        found.append(night(home, day, []))
    return {"quiet_nights": [{name: round(s, 2) for name, s in cpu.items()} for cpu in found]}


def _night(home: str, memories: int) -> dict[str, Any]:
    lines = list(_said(_SUNDAY, _USERS, _MESSAGES))
    cpu = night(home, _SUNDAY, lines)
    return {
        "messages": len(lines),
        "cpu_s": round(sum(cpu.values()), 2),
        "cpu_by_stage": {name: round(s, 2) for name, s in cpu.items()},
        "peak_rss_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
    }


def _said(day: date, users: int, messages: int) -> Iterator[dict[str, Any]]:
    for person in people(_USERS, activity=10.0)[:users]:
        for n, line in enumerate(_turns(person, day, messages)):
            at = datetime(day.year, day.month, day.day, 9, tzinfo=UTC) + timedelta(seconds=40 * n)
            yield line | {"message_id": f"{person.name}-{day}-{n}", "created_at": at.isoformat()}


def _turns(person: Person, day: date, messages: int) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    while len(found) < messages:
        found += person.day(day)
    return found[:messages]


_STEPS = {"fill": _fill, "quiet": _quiet, "night": _night}


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--memories", type=int, default=1_000_000)
    parser.add_argument("--base", type=int, default=10_000)
    parser.add_argument("--home", type=Path, help="folder that keeps the stores")
    for name in _STEPS:
        parser.add_argument(f"--{name}", metavar="HOME", help=argparse.SUPPRESS)
    given = parser.parse_args()
    for name, step in _STEPS.items():
        if home := getattr(given, name):
            print(json.dumps(step(home, given.memories)))
            return
    print(json.dumps(measure(given.memories, given.base, given.home), indent=2))


if __name__ == "__main__":
    main()
