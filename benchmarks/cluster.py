"""Every stage on Ray, beside one process: how fast, and is it the same to the byte? Prints JSON.

    python -m benchmarks.cluster [--users 200] [--days 30] [--activity 0.5] [--workers 1,2] [--s3]

Simulated users (``lives.py``) have chatted for some days. Everything is made of it by the local engine, by Ray with
each number of workers, by Ray while a worker of every stage is killed between two halves of a write, and by two
processes on Ray at the same time. With ``--s3`` the home of the last two is on a real S3 server (moto). Each is made in
a process of its own; Ray has its own on this machine, with as many processors as there are workers, unless RAY_ADDRESS
names another. The speed-up is that of the greatest number of workers over the smallest, and over the local engine.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path
from typing import Any

from benchmarks.back_fill import digests
from benchmarks.faults.workers import DyingEngine
from benchmarks.homes import take
from benchmarks.lives import people
from benchmarks.nights import START, context
from memory_pipeline.domain.calendar import period_of
from memory_pipeline.stages.engines.engine import open_engine
from memory_pipeline.stages.plan import freshness
from memory_pipeline.stages.plan.making import make
from memory_pipeline.stages.plan.registry import STAGES
from memory_pipeline.stages.publication.one_writer import alone


def measure(
    users: int = 200, days: int = 30, activity: float = 0.5, workers: Sequence[int] = (1, 2), *, s3: bool = False
) -> dict[str, Any]:
    """Make the same days in every way.

    Args:
        s3: work on object storage where a worker is killed and where two write.
    """
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        base = str(Path(folder) / "base")
        lines = [
            line
            for person in people(users, activity)
            for n in range(days)
            for line in person.day(START + timedelta(days=n))
        ]
        take(context(base, START + timedelta(days=days - 1)), lines)

        def again(name: str, *, remote: bool = False) -> str:
            return _uploaded(base, name) if remote else shutil.copytree(base, str(Path(folder) / name))

        given = ["--days", str(days)]
        local = _wait(_child(again("local"), given))
        found: dict[str, Any] = {"users": users, "days": days, "messages": len(lines), "local": _figures(local)}
        same = {}
        on_ray = {}
        for n in workers:
            on_ray[n] = _wait(_child(again(f"ray-{n}"), [*given, "--of", str(n)]))
            found[f"ray, workers: {n}"] = _figures(on_ray[n])
            same[f"ray, workers: {n}"] = on_ray[n]["digests"] == local["digests"]
        most = str(max(workers))
        if s3:
            from memory_pipeline_tests.s3_server import s3_server

            logging.getLogger("werkzeug").setLevel(logging.ERROR)  # it tells of every request
            found["uri"] = stack.enter_context(s3_server())
        notes = Path(folder) / "deaths"
        notes.mkdir()
        killed = _wait(_child(again("killed", remote=s3), [*given, "--of", most, "--kill", str(notes)]))
        same["a worker killed"] = killed["digests"] == local["digests"]
        found["killed in"] = sorted(path.name for path in notes.iterdir())
        both = again("two", remote=s3)
        writers = [_child(both, [*given, "--of", most, "--run", name]) for name in ("one", "other")]
        same["two writers"] = [_wait(writer) for writer in writers][-1]["digests"] == local["digests"]
        slow, fast = (on_ray[n]["seconds"] for n in (min(workers), max(workers)))
        found["speed_up"] = {
            "over fewest workers": round(slow / fast, 2),
            "over local": round(local["seconds"] / fast, 2),
        }
        return found | {"same": same}


def _figures(made: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in made.items() if name != "digests"}


def _uploaded(base: str, name: str) -> str:
    """A home on object storage with the files of a local one."""
    import pyarrow.fs as pafs

    from memory_pipeline_tests.s3_server import BUCKET

    uri = f"s3://{BUCKET}/{name}"
    store, path = pafs.FileSystem.from_uri(f"{uri}?endpoint_override={os.environ['AWS_ENDPOINT_URL']}")
    for file in (file for file in Path(base, "lake").rglob("*.parquet")):
        with store.open_output_stream(f"{path}/{file.relative_to(base)}") as stream:
            stream.write(file.read_bytes())
    return uri


def _child(home: str, given: Sequence[str]) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "benchmarks.cluster", "--home", home, *given]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def _wait(child: subprocess.Popen[str]) -> dict[str, Any]:
    told, _ = child.communicate()
    if child.returncode:
        raise SystemExit(f"{' '.join(map(str, child.args))} ended with {child.returncode}")  # type: ignore[union-attr]
    found: dict[str, Any] = json.loads(told.splitlines()[-1])
    return found


def _make(home: str, days: int, workers: int | None, kill: str | None, run: str) -> dict[str, Any]:
    """Make everything that is stale, once; what another process makes meanwhile is found made."""
    last = START + timedelta(days=days - 1)
    ctx = context(home, last)
    ctx.run_id += run
    if workers is not None:
        ctx.settings = ctx.settings.model_copy(update={"engine": "ray", "engine_workers": workers})
        ctx.engine = DyingEngine(ctx.settings, kill) if kill else open_engine(ctx.settings)
        _ = ctx.engine.buckets  # a cluster is there before work comes
    began = time.perf_counter()
    seconds = {}
    for stage in STAGES:
        ended = period_of(stage.grain, last + timedelta(days=1)).start - timedelta(days=1)
        at = time.perf_counter()
        with alone(ctx.settings, f"stage-{stage.name}"):
            stale = freshness.stale(ctx, stage, last=ended)
            if stale:
                make(ctx, stage, stale)
        seconds[stage.name] = round(time.perf_counter() - at, 1)
    wall, cpu = time.perf_counter() - began, _cpu()
    ctx.engine.close()
    return {
        "seconds": round(wall, 1),
        "cpu_s": round(cpu, 1),
        "by_stage": {name: s for name, s in seconds.items() if s >= 0.1},
        "digests": digests(home, days),
    }


def _cpu() -> float:
    """CPU seconds of this process and of all that it has started, those of Ray included."""
    import psutil

    found = resource.getrusage(resource.RUSAGE_SELF)
    own = found.ru_utime + found.ru_stime
    for child in psutil.Process().children(recursive=True):
        times = child.cpu_times()
        own += times.user + times.system
    return own


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--users", type=int, default=200)
    parser.add_argument("--days", type=int, default=30)
    parser.add_argument("--activity", type=float, default=0.5, help="share of days on which a user writes")
    parser.add_argument("--workers", default="1,2", help="numbers of workers, with commas between them")
    parser.add_argument("--s3", action="store_true", help="kill, and write twice, on object storage")
    for name in ("home", "kill", "run"):
        parser.add_argument(f"--{name}", default="", help=argparse.SUPPRESS)
    parser.add_argument("--of", type=int, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.home:
        print(json.dumps(_make(given.home, given.days, given.of, given.kill or None, given.run)))
    else:
        numbers = [int(n) for n in given.workers.split(",")]
        found = measure(given.users, given.days, given.activity, numbers, s3=given.s3)
        print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
