"""Does a user who has talked for years cost more a message than one who has just begun? Prints JSON.

    python -m benchmarks.long_user [--days 400] [--messages 20] [--home DIR]

One simulated user (``lives.py``) writes every day. A back-fill is made of the first eighth, quarter, half and all of
the days, each in a home and a process of its own: everything after the proposals, which are read from the messages one
by one and thus given (``nights.py``). Then further nights come to the home of a tenth of the days and to that of all,
the last of them that of a Wednesday, which is compared. Targets: over the days the CPU of a back-fill grows with an
exponent of at most 1.1, and a night of the user with ten times the days takes at most 1.15 times the CPU.
"""

from __future__ import annotations

import argparse
import json
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from math import log
from pathlib import Path
from typing import Any

from benchmarks.homes import take
from benchmarks.lives import Person
from benchmarks.nights import START, context, mean, memories, night
from memory_pipeline.stages.plan import freshness, registry

_GIVEN = "proposals"
_NIGHTS = 2  # at least: the first one still makes what the back-fill has left to it
_COMPARED = 2  # Wednesday: no week or month ends
Row = dict[str, Any]


def measure(days: int = 400, messages: int = 20, home: Path | None = None) -> Row:
    """Back-fill users of several ages, and let a night come to a young and an old one.

    Args:
        home: folder that keeps what was proposed for further measurements.
    """
    sizes = sorted({max(1, days // part) for part in (10, 8, 4, 2, 1)})
    with tempfile.TemporaryDirectory(dir=home) as scratch:
        kept = home or Path(scratch)
        ends = sizes[0], sizes[-1]
        found = {size: _of_one(kept, Path(scratch) / f"{size}", size, messages, aged=size in ends) for size in sizes}
    young, old = (found[size] for size in ends)
    grown = sizes[1:]
    growth = _exponent(grown, [sum(found[size]["back_fill"].values()) for size in grown])
    ratio = round(sum(old["night"].values()) / sum(young["night"].values()), 3)
    return {
        "messages_a_day": messages,
        "memories": {size: of["memories"] for size, of in found.items()},
        "back_fill_cpu_s": {size: round(sum(of["back_fill"].values()), 2) for size, of in found.items()},
        "back_fill_by_stage": _by_stage("back_fill", found),
        "exponent": growth,
        "exponent_by_stage": {
            name: _exponent(grown, [cpu[size] for size in grown])
            for name, cpu in _by_stage("back_fill", found).items()
            if cpu[grown[-1]] >= 0.5
        },
        "night_cpu_s": {size: round(sum(found[size]["night"].values()), 2) for size in ends},
        "night_by_stage": _by_stage("night", {size: found[size] for size in ends}),
        "night_ratio": ratio,
        "peak_rss_mb": {size: of["peak_rss_mb"] for size, of in found.items()},
        "targets": {"back-fill: exponent at most 1.1": growth <= 1.1, "night: at most 1.15 times": ratio <= 1.15},
    }


def _by_stage(step: str, found: dict[int, Row]) -> dict[str, dict[int, float]]:
    names = dict.fromkeys(name for of in found.values() for name in of[step])
    return {name: {size: round(of[step].get(name, 0.0), 2) for size, of in found.items()} for name in names}


def _exponent(sizes: Sequence[int], seconds: Sequence[float]) -> float:
    """Least squares of log(seconds) over log(days)."""
    points = [(log(size), log(max(s, 0.01))) for size, s in zip(sizes, seconds, strict=True)]
    x, y = mean(p for p, _ in points), mean(q for _, q in points)
    spread = sum((p - x) ** 2 for p, _ in points)
    return round(sum((p - x) * (q - y) for p, q in points) / spread, 3) if spread else 0.0


def _of_one(kept: Path, home: Path, days: int, messages: int, *, aged: bool) -> Row:
    proposed = kept / f"proposed-{days}-{messages}"
    if not proposed.exists():
        filling = proposed.with_suffix(".part")
        shutil.rmtree(filling, ignore_errors=True)  # one that was broken off
        _child("--propose", filling, days, messages)
        filling.rename(proposed)
    shutil.copytree(proposed, home)
    made = _child("--make", home, days, messages)
    return made | (_child("--night", home, days, messages) if aged else {"night": {}})


def _child(step: str, home: Path, days: int, messages: int) -> Row:
    """A step in a process of its own, which remembers nothing."""
    command = [sys.executable, "-m", "benchmarks.long_user", step, str(home)]
    command += ["--days", str(days), "--messages", str(messages)]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True)
    found: Row = json.loads(done.stdout)
    return found


def _propose(home: str, days: int, messages: int) -> Row:
    """Messages and proposals of all days."""
    last = START + timedelta(days=days - 1)
    ctx, stage = context(home, last), registry.BY_NAME[_GIVEN]
    take(ctx, [line for day in _talk(days, messages) for line in day])
    stale, made_from = freshness.stale(ctx, stage, last=last), freshness.inputs(ctx, stage)
    stage.work(ctx, stale)
    freshness.record(ctx, stage, made_from, stale, {})
    return {}


def _make(home: str, days: int, messages: int) -> Row:
    last = START + timedelta(days=days - 1)
    cpu = night(home, last, [])
    (held,) = memories(home, last).values()
    return {
        "back_fill": cpu,
        "memories": held,
        "peak_rss_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
    }


def _night(home: str, days: int, messages: int) -> Row:
    found: dict[str, float] = {}
    compared = next(n for n in range(days + _NIGHTS - 1, days + _NIGHTS + 6) if _weekday(n) == _COMPARED)
    for n, lines in enumerate(list(_talk(compared + 1, messages))[days:], days):
        found = night(home, START + timedelta(days=n), lines)
    return {"night": found}


def _weekday(n: int) -> int:
    return (START + timedelta(days=n)).weekday()


def _talk(days: int, messages: int) -> Iterator[list[Row]]:
    """What the user says and hears on each of the days, as landing lines."""
    person = Person("user-000", 7, activity=1.0)
    for n in range(days):
        day, said = START + timedelta(days=n), list[Row]()
        while len(said) < messages:
            said += person.day(day)
        morning = datetime(day.year, day.month, day.day, 9, tzinfo=UTC)
        times = [(morning + timedelta(seconds=40 * n)).isoformat() for n in range(messages)]
        named = [{"message_id": f"{person.name}-{day}-{n}", "created_at": at} for n, at in enumerate(times)]
        yield [line | name for line, name in zip(said, named, strict=False)]


_STEPS = {"propose": _propose, "make": _make, "night": _night}


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--days", type=int, default=400)
    parser.add_argument("--messages", type=int, default=20, help="a day, of both sides")
    parser.add_argument("--home", type=Path, help="folder that keeps what was proposed")
    for name in _STEPS:
        parser.add_argument(f"--{name}", metavar="HOME", help=argparse.SUPPRESS)
    given = parser.parse_args()
    for name, step in _STEPS.items():
        if home := getattr(given, name):
            print(json.dumps(step(home, given.days, given.messages)))
            return
    if given.home:
        given.home.mkdir(parents=True, exist_ok=True)
    print(json.dumps(measure(given.days, given.messages, given.home), indent=2))


if __name__ == "__main__":
    main()
