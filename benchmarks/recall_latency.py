"""How long a search takes, beside a bare LanceDB query and plain numpy over the same rows, in one run.

    python -m benchmarks.recall_latency [--memories 1000000] [--users 2000] [--threads 16] [--queries 300] [--home DIR]

A real index of generated memories; the reader is the real one. Hot, cold, bare and numpy take turns, so that what else
the machine does meets all four. Prints one JSON object: every target beside the figure, then all figures
(milliseconds, CPU milliseconds, megabytes, searches a second). A home that is given is filled once and kept.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import psutil

from benchmarks.homes import open_home
from benchmarks.recall_rows import DIMENSIONS, PEOPLE, acquaintance, fill, unit, vocabulary
from memory_pipeline.domain.scope import Scope
from memory_pipeline.inference.models import open_encoder
from memory_pipeline.retrieval.reader import MemoryReader
from memory_pipeline.settings import Settings
from memory_pipeline.storage.vectors.index import Index

_TEXTS = 64
_HOT = 0  # the user who is asked again and again
_REMEMBERED = 200  # users of the reader whose memory is taken
_ROUNDS = 3


class RandomEncoder:
    """Unit vectors that follow from the text's hash: no model, so that the search alone is timed."""

    model = "random"
    dimensions = DIMENSIONS

    def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Vectors of shape (texts, 384), of length 1."""
        return np.stack([unit(np.random.default_rng(zlib.crc32(text.encode())), 1)[0] for text in texts])


class RealEncoder(RandomEncoder):
    """The builtin encoder under the name of the index's: its cost in front of the same rows."""

    def __init__(self) -> None:
        self._encoder = open_encoder(Settings.load(encoder="builtin"))

    def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Vectors of shape (texts, 384), of length 1."""
        return self._encoder.encode(texts)


class Watch:
    """Wall and CPU time of calls of one kind; CPU is that of all the process's threads."""

    def __init__(self) -> None:
        self.wall: list[float] = []
        self._cpu = 0.0

    def time(self, work: Callable[[], Any]) -> None:
        """Call it and take the time."""
        cpu, start = time.process_time(), time.perf_counter()
        work()
        self.wall.append(time.perf_counter() - start)
        self._cpu += time.process_time() - cpu

    @property
    def figures(self) -> dict[str, float]:
        """Milliseconds: percentiles of the wall time, and the mean of the CPU time."""
        found = {f"p{p}": round(float(np.percentile(self.wall, p)) * 1000, 3) for p in (50, 95, 99)}
        return {**found, "cpu": round(self._cpu / len(self.wall) * 1000, 3)}


class Contest:
    """The same questions to the same rows, several ways."""

    def __init__(self, home: str, memories: int, users: int, queries: int, threads: int) -> None:
        self.home, self.users, self.count, self.threads = home, users, queries, threads
        settings = open_home(home).settings
        self.index = Index.open(settings, RandomEncoder())
        if self.index.table("memories") is None:
            fill(self.index, memories, users, settings.policies.maintenance.fragment_rows)
        draw = random.Random(11)
        self.texts = [" ".join(draw.choices(vocabulary(), k=6)) for _ in range(_TEXTS)]
        self.vectors = RandomEncoder().encode(self.texts)

    def reader(self, encoder: RandomEncoder | None = None) -> MemoryReader:
        """A reader without anything in its cache."""
        return MemoryReader(open_home(self.home).settings, encoder=encoder or RandomEncoder())

    def text(self, n: int, user: int) -> str:
        """A question; every third names somebody whom the user knows."""
        name = f"{acquaintance(user, n % PEOPLE)} " if n % 3 == 0 else ""
        return name + self.texts[n % _TEXTS]

    def ask(self, reader: MemoryReader, n: int, user: int) -> int:
        """One search; the number of its hits."""
        return len(reader.search(self.text(n, user), user_id=f"user-{user:05}", k=10))

    def lance(self, n: int, user: int) -> Any:
        """A bare exact query for the nearest ten, as LanceDB does it."""
        table = self.index.table("memories")
        assert table is not None
        query = table.search(self.vectors[n % _TEXTS]).bypass_vector_index()
        return query.where(f"tenant_id = 'default' AND user_id = 'user-{user:05}'").limit(10).to_arrow()

    def held(self, user: int) -> npt.NDArray[np.float32]:
        """A user's vectors, in memory."""
        rows = self.index.rows("memories", Scope("default", f"user-{user:05}"), ["vector"])
        return np.stack([np.asarray(v, dtype=np.float32) for v in rows["vector"].to_pylist()])

    def measure(self) -> dict[str, Any]:
        """All figures but the memory."""
        hot, cold, held = self.reader(), self.reader(), self.held(_HOT)
        for n in range(3 * _TEXTS):
            self.ask(hot, n, _HOT)
        self.ask(cold, 0, _HOT)
        strangers = random.Random(7).sample(range(1, self.users), min(2 * self.count, self.users - 1))
        watches = {name: Watch() for name in ("hot user", "cold user", "bare LanceDB", "numpy in memory")}
        for n in range(len(strangers) // 2):  # the two meet users whom neither has met
            new, other = strangers[2 * n], strangers[2 * n + 1]
            watches["cold user"].time(lambda n=n, user=new: self.ask(cold, n, user))
            watches["bare LanceDB"].time(lambda n=n, user=other: self.lance(n, user))
            for again in range(5 * n, 5 * n + 5):
                watches["hot user"].time(lambda n=again: self.ask(hot, n, _HOT))
            watches["numpy in memory"].time(lambda n=n: np.argsort(-(held @ self.vectors[n % _TEXTS]))[:10])
        return {name: watch.figures for name, watch in watches.items()} | {
            "with encoding": self._encoding(),
            "threads": self._threads(hot),
        }

    def _encoding(self) -> dict[str, float]:
        """A hot user's searches with the real encoder: every question is new."""
        reader, watch, draw = self.reader(RealEncoder()), Watch(), random.Random(12)
        for n in range(self.count):
            words = draw.choices(vocabulary(), k=2)
            asked = f"When did I last talk about {words[0]} and {words[1]} with {acquaintance(_HOT, n % PEOPLE)}?"
            if n:  # the first loads the model
                watch.time(lambda asked=asked: reader.search(asked, user_id=f"user-{_HOT:05}", k=10))
            else:
                reader.search(asked, user_id=f"user-{_HOT:05}", k=10)
        return watch.figures

    def _threads(self, reader: MemoryReader) -> dict[str, float]:
        """Searches a second of one thread and of many, over as many hot users; the median of alternating rounds."""
        users, searches = min(16, self.users), 8 * self.count
        for user in range(users):
            self.ask(reader, 0, user)
        rates: dict[int, list[float]] = {1: [], self.threads: []}
        wrong = 0
        for _ in range(_ROUNDS):
            for threads, found in rates.items():
                start = time.perf_counter()
                with ThreadPoolExecutor(threads) as pool:
                    asked = [pool.submit(self.ask, reader, n, n % users) for n in range(searches)]
                wrong += sum(a.exception() is not None or not a.result() for a in asked)
                found.append(searches / (time.perf_counter() - start))
        one, many = (round(float(np.median(found))) for found in rates.values())
        return {"threads": self.threads, "one, searches/s": one, "all, searches/s": many, "errors": wrong}


def remembering(home: str, users: int) -> dict[str, float]:
    """What a reader takes that has the rows of 200 users in memory; meant for a process of its own."""
    contest = Contest(home, 0, users, 0, 1)
    reader = contest.reader()
    for user in range(min(_REMEMBERED, users)):
        for n in range(3):
            contest.ask(reader, n, user)
    held, process = reader._engine.searcher.sources.held, psutil.Process()
    found = {"MB": process.memory_info().rss, "MB by its own account": held["bytes"]}
    RealEncoder().encode(["How much more is it with the builtin encoder?"])
    found["MB with the builtin encoder"] = process.memory_info().rss
    return {**{name: round(size / 2**20) for name, size in found.items()}, "entries": held["entries"]}


def targets(found: dict[str, Any]) -> list[dict[str, Any]]:
    """Every target beside its figure."""
    hot, cold, bare = found["hot user"], found["cold user"], found["bare LanceDB"]
    threads = found["threads"]
    limits = (
        ("hot user, p50 ms", hot["p50"], 1.0),
        ("hot user, p99 / p50", hot["p99"] / hot["p50"], 10.0),
        ("cold user, p50 / bare LanceDB p50", cold["p50"] / bare["p50"], 2.0),
        ("cold user, p99 / p50", cold["p99"] / cold["p50"], 10.0),
        ("with encoding, p50 ms", found["with encoding"]["p50"], 15.0),
        ("reader with 200 hot users, MB", found["200 hot users"]["MB"], 600.0),
        ("threads, errors", threads["errors"], 0.0),
    )
    rows = [{"target": name, "figure": round(n, 3), "at most": most, "met": n <= most} for name, n, most in limits]
    gain = threads["all, searches/s"] / threads["one, searches/s"]
    name = f"{threads['threads']} threads, searches a second / one thread's"
    return [*rows, {"target": name, "figure": round(gain, 3), "at least": 1.0, "met": gain >= 1.0}]


def measure(
    memories: int = 1_000_000, users: int = 2_000, threads: int = 16, queries: int = 300, home: str | None = None
) -> dict[str, Any]:
    """Fill an index, where it is not there yet, and hold the contest."""
    with tempfile.TemporaryDirectory() as own:
        start = time.perf_counter()
        place = str(Path(home or own).absolute())
        contest = Contest(place, memories, users, queries, threads)
        filled = round(time.perf_counter() - start)
        found = contest.measure()
        command = [sys.executable, "-m", "benchmarks.recall_latency", "--home", place, "--users", str(users)]
        child = subprocess.run([*command, "--remembering"], capture_output=True, text=True, check=True)
        found["200 hot users"] = json.loads(child.stdout)
    about = {"memories": memories, "users": users, "cores": len(os.sched_getaffinity(0)), "filled in seconds": filled}
    return {"targets": targets(found), **about, **found}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--memories", type=int, default=1_000_000)
    parser.add_argument("--users", type=int, default=2_000)
    parser.add_argument("--threads", type=int, default=16)
    parser.add_argument("--queries", type=int, default=300)
    parser.add_argument("--home")
    parser.add_argument("--remembering", action="store_true", help=argparse.SUPPRESS)
    given = vars(parser.parse_args())
    if given.pop("remembering"):
        print(json.dumps(remembering(given["home"], given["users"])))
    else:
        print(json.dumps(measure(**given), indent=2))
