"""A year made again from its messages and kept replies: how fast, and is it the same to the byte? Prints JSON.

    python -m benchmarks.back_fill [--days 365] [--users 50] [--activity 0.5] [--home DIR] [--encode-again]

Simulated users (``lives.py``) have chatted for a year; everything is made of it once, in one go, as ``run`` does on a
fresh home. Then all that was derived is deleted (proposals, verdicts, versions, links, summaries, notes, the index),
the messages, the kept replies and the kept vectors stay, and everything is made again in a process of its own. With
``--home`` the year stays there, and the next measurement begins with it; with ``--encode-again`` the vectors go, too.
Targets: at least 30 days
a minute on two cores, no call of a model (the builtin one answers nothing that is kept, so its requests are counted),
and the same ledger and present state in every field but the run's id and clock.
"""

from __future__ import annotations

import argparse
import json
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from datetime import timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any

from benchmarks.lives import people
from benchmarks.nights import START, context, night
from memory_pipeline.storage.parquet.files import NOTES
from memory_pipeline.storage.parquet.schemas import DATASETS
from memory_pipeline.storage.queries.ledger import CURRENT, STANDING

_KEPT = frozenset({"messages", "message_revisions", "sources", "replies", "vectors", "costs", "quarantined", "recalls"})
_OF_THE_RUN = ("run_id", "recorded_at")
_COMPARED = ("windows", "proposals", "verdicts", "links", "entities", "summaries")


def measure(
    days: int = 365,
    users: int = 50,
    activity: float = 0.5,
    kept: Path | None = None,
    *,
    encode_again: bool = False,
) -> dict[str, Any]:
    """Make a year, delete what was derived, and make it again.

    Args:
        kept: folder in which the year stays; one of the same size that is there already is not made anew.
    """
    with tempfile.TemporaryDirectory(dir=kept) as scratch:
        year = (kept or Path(scratch)) / f"year-{days}-{users}-{activity}"
        first, before = _year(year, days, users, activity)
        home = str(Path(scratch) / "again")
        shutil.copytree(year, home)
        wipe(home, encode_again=encode_again)
        again = _child("--again", home, days, users, activity)
        after = digests(home, days)
    a_minute = round(days / again["seconds"] * 60, 1)
    changed = sorted(name for name in before if before[name] != after[name])
    return {
        "days": days,
        "users": users,
        "messages": first["messages"],
        "first": first,
        "again": again,
        "days_a_minute": a_minute,
        "days_a_cpu_minute": round(days / again["cpu_s"] * 60, 1),
        "differing": changed,
        "targets": {
            "at least 30 days a minute": a_minute >= 30,
            "no model call": again["model_calls"] == 0,
            "the same to the byte": not changed,
        },
    }


def _year(home: Path, days: int, users: int, activity: float) -> tuple[dict[str, Any], dict[str, str]]:
    """What making a year took, and the digests of what was made; it is made if it is not there."""
    note = home.with_suffix(f"{home.suffix}.json")
    if not note.exists():
        shutil.rmtree(home, ignore_errors=True)  # one that was broken off
        first = _child("--first", str(home), days, users, activity)
        note.write_text(json.dumps({"first": first, "digests": digests(str(home), days)}))
    found = json.loads(note.read_text())
    return found["first"], found["digests"]


def wipe(home: str, *, encode_again: bool = False) -> None:
    """Delete what was derived: the messages, the kept replies and the kept vectors stay.

    Args:
        encode_again: delete the vectors, too.
    """
    gone = DATASETS.keys() - _KEPT | ({"vectors"} if encode_again else set())
    for name in (*gone, NOTES):
        shutil.rmtree(Path(home) / "lake" / name, ignore_errors=True)
    shutil.rmtree(Path(home) / "index")


def digests(home: str, days: int) -> dict[str, str]:
    """A digest of every derived dataset, of the versions that stand and of the present state."""
    lake = context(home, START + timedelta(days=days)).lake
    queries = {name: f"SELECT * FROM {name}" for name in _COMPARED}
    queries |= {"ledger": STANDING, "current": CURRENT}
    found = {}
    for name, query in queries.items():
        dataset = DATASETS[name if name in DATASETS else "memory_versions"]
        without = ", ".join(column for column in _OF_THE_RUN if column in dataset.schema.names)
        columns = f"* EXCLUDE ({without})" if without else "*"
        rows = lake.sql(f"SELECT {columns} FROM ({query})").to_pylist()
        found[name] = _digest(sorted(json.dumps(row, default=str, sort_keys=True) for row in rows))
    return found


def _digest(lines: Iterable[str]) -> str:
    digest = sha256()
    for line in lines:
        digest.update(line.encode() + b"\n")
    return digest.hexdigest()[:16]


def _child(step: str, home: str, days: int, users: int, activity: float) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.back_fill", step, home]
    given = {"--days": days, "--users": users, "--activity": activity}
    command += [text for name, value in given.items() for text in (name, str(value))]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def _make(home: str, days: int, users: int, activity: float, *, first: bool) -> dict[str, Any]:
    """One night that finds every day stale."""
    last = START + timedelta(days=days - 1)
    lines = [
        line
        for person in (people(users, activity) if first else [])
        for n in range(days)
        for line in person.day(START + timedelta(days=n))
    ]
    paid = _calls(home, last)
    started, cpu = time.perf_counter(), time.process_time()
    by_stage = night(home, last, lines)
    return {
        "messages": len(lines),
        "seconds": round(time.perf_counter() - started, 1),
        "cpu_s": round(time.process_time() - cpu, 1),
        "cpu_by_stage": {name: round(s, 1) for name, s in by_stage.items()},
        "peak_rss_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
        "model_calls": _calls(home, last) - paid,
    }


def _calls(home: str, last: Any) -> int:
    """Calls that a hosted model has answered so far, by the cost ledger."""
    table = context(home, last).lake.sql(
        "SELECT coalesce(sum(calls), 0)::BIGINT AS n FROM costs WHERE model NOT LIKE 'builtin%'"
    )
    return int(table["n"][0].as_py())


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--days", type=int, default=365)
    parser.add_argument("--users", type=int, default=50)
    parser.add_argument("--activity", type=float, default=0.5, help="share of days on which a user writes")
    parser.add_argument("--home", type=Path, help="folder in which the year stays for further measurements")
    parser.add_argument("--encode-again", action="store_true", help="delete the kept vectors, too")
    for step in ("first", "again"):
        parser.add_argument(f"--{step}", metavar="HOME", help=argparse.SUPPRESS)
    given = parser.parse_args()
    size = (given.days, given.users, given.activity)
    if home := given.first or given.again:
        print(json.dumps(_make(home, *size, first=given.first is not None)))
    else:
        if given.home:
            given.home.mkdir(parents=True, exist_ok=True)
        print(json.dumps(measure(*size, given.home, encode_again=given.encode_again), indent=2))


if __name__ == "__main__":
    main()
