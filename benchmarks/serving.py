"""A real client and a real server: how long turns and contexts take, many users at once, and a server that is killed.

    python -m benchmarks.serving [--users 50] [--seconds 60] [--turns 300] [--kills 20]

Prints one JSON object. ``alone`` are milliseconds of one client without anybody beside it: ``POST /v1/messages`` (one
turn, on disk when it is answered) and ``POST /v1/context`` of a user who has been asked about before. ``many`` are
users at once, each of whom states numbers that nobody else states and looks for them: errors, turns that are not in
the log at the end, numbers of somebody else. ``killed`` is a server that is ended by SIGKILL under load again and
again: every turn that it has acknowledged must be in the log once.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import timedelta
from itertools import count
from pathlib import Path
from typing import Any

import httpx
import numpy as np

from memory_pipeline.settings import Settings
from memory_pipeline.storage.parquet.lake import Lake
from memory_pipeline_tests.serving.running import Server, row, until

_POLICY = "[serving]\nrequests_per_minute = 1000000\nburst = 1000000\n"  # all come from one machine
_WRITERS = 4
_LIFE_S = (0.5, 6.0)  # of a server before it is killed: before its first flush, and in the midst of one
_DRAIN = timedelta(minutes=20)


def measure(users: int = 50, seconds: int = 60, turns: int = 300, kills: int = 20) -> dict[str, Any]:
    """All figures."""
    with tempfile.TemporaryDirectory() as folder, _rates_of_one_machine(Path(folder)):
        with Server(Path(folder) / "home") as server:
            alone = _alone(server, turns)
            many = _many(server, users, seconds)
        return {
            "alone": alone,
            "many": many,
            "killed": _killed(Path(folder) / "killed", kills),
            "load": os.getloadavg(),
        }


@contextmanager
def _rates_of_one_machine(folder: Path) -> Iterator[None]:
    file = folder / "policy.toml"
    file.write_text(_POLICY, encoding="utf-8")
    os.environ["MEMORY_PIPELINE_POLICY"] = str(file)
    try:
        yield
    finally:
        del os.environ["MEMORY_PIPELINE_POLICY"]


def _timed(times: int, request: Callable[[int], httpx.Response]) -> list[float]:
    taken = []
    for n in range(times):
        began = time.perf_counter()
        answer = request(n)
        taken.append((time.perf_counter() - began) * 1000)
        answer.raise_for_status()
    return taken


def _figures(taken: Sequence[float]) -> dict[str, float]:
    if not taken:
        return {}
    p50, p99 = np.percentile(taken, (50, 99))
    return {"p50": round(float(p50), 1), "p99": round(float(p99), 1), "most": round(max(taken), 1), "n": len(taken)}


def _alone(server: Server, turns: int) -> dict[str, Any]:
    with server.client() as client:
        kept = _timed(turns, lambda n: client.post("/v1/messages", json={"messages": [row(n, f"Shelf {n} is mine.")]}))
        client.post("/v1/sessions/s/end", json={"user_id": "ann"}).raise_for_status()
        until(lambda: not _waiting(client), "the memories", _DRAIN)
        asked = {"user_id": "ann", "session_id": "t", "message": "Which shelf is mine?"}
        hot = _timed(turns, lambda n: client.post("/v1/context", json=asked))
    return {"POST /v1/messages": _figures(kept), "POST /v1/context, hot": _figures(hot[1:])}


def _waiting(client: httpx.Client) -> bool:
    text = client.get("/metrics").text
    return any(
        float(line.split()[-1]) > 0 for line in text.splitlines() if line.startswith("memory_pipeline_sessions_waiting")
    )


def _many(server: Server, users: int, seconds: int) -> dict[str, Any]:
    wrote, read, wrong, sent = list[float](), list[float](), Counter[str](), set[tuple[str, str]]()
    end = time.monotonic() + seconds

    def live(user: int) -> None:
        own, session = f"u{user}", f"s{user}"
        with server.client() as client:
            for n in count():
                if time.monotonic() > end:
                    return
                said = row(f"{user}-{n}", f"My locker has the number {user}00{n}00{user}.", user=own, session=session)
                began = time.perf_counter()
                answer = client.post("/v1/messages", json={"messages": [said]})
                wrote.append((time.perf_counter() - began) * 1000)
                if answer.status_code != 202:
                    wrong[f"messages: {answer.status_code}"] += 1
                    continue
                sent.add((own, said["message_id"]))
                asked = {"user_id": own, "session_id": session, "message": "Which number has my locker?"}
                began = time.perf_counter()
                answer = client.post("/v1/context", json=asked)
                read.append((time.perf_counter() - began) * 1000)
                if answer.status_code != 200:
                    wrong[f"context: {answer.status_code}"] += 1
                    continue
                numbers = {w.strip(".,") for w in answer.json()["text"].split() if w.strip(".,").isdigit()}
                if any(not (w.startswith(f"{user}00") and w.endswith(f"00{user}")) for w in numbers):
                    wrong["foreign"] += 1
                time.sleep(random.uniform(0.5, 1.5))

    with ThreadPoolExecutor(users) as pool:
        for future in [pool.submit(live, user) for user in range(users)]:
            future.result()
    until(lambda: sent <= _logged(server.home).keys(), "every turn", _DRAIN)
    found = _logged(server.home)
    return {
        "users": users,
        "POST /v1/messages": _figures(wrote),
        "POST /v1/context": _figures(read),
        "wrong": dict(wrong),
        "lost": len(sent - found.keys()),
        "doubled": sum(found[turn] > 1 for turn in sent),
    }


def _logged(home: Path) -> Counter[tuple[str, str]]:
    table = Lake(Settings.load(home=str(home)).path("lake")).sql("SELECT user_id, message_id FROM messages")
    return Counter(zip(table["user_id"].to_pylist(), table["message_id"].to_pylist(), strict=True))


def _killed(home: Path, kills: int) -> dict[str, Any]:
    server, kept = Server(home), set[tuple[str, str]]()
    for turn in range(kills):
        server.start()
        stop = threading.Event()

        def write(user: int, turn: int = turn, stop: threading.Event = stop) -> None:
            with httpx.Client(base_url=server.url, timeout=30) as client:
                for n in count():
                    if stop.is_set():
                        return
                    mine = row(f"{turn}-{user}-{n}", f"My number is {n}.", user=f"k{user}", session=f"s{n % 3}")
                    try:
                        client.post("/v1/messages", json={"messages": [mine]}).raise_for_status()
                    except httpx.TransportError:
                        return
                    kept.add((f"k{user}", mine["message_id"]))
                    time.sleep(0.1)

        with ThreadPoolExecutor(_WRITERS) as pool:
            writers = [pool.submit(write, user) for user in range(_WRITERS)]
            time.sleep(random.uniform(*_LIFE_S))
            server.kill()
            stop.set()
            for writer in writers:
                writer.result()
    with server:
        until(lambda: kept <= _logged(home).keys(), "every turn", _DRAIN)
    found = _logged(home)
    lost, doubled = len(kept - found.keys()), sum(n > 1 for n in found.values())
    return {"kills": kills, "acknowledged": len(kept), "lost": lost, "doubled": doubled}


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, default in (("users", 50), ("seconds", 60), ("turns", 300), ("kills", 20)):
        parser.add_argument(f"--{name}", type=int, default=default)
    print(json.dumps(measure(**vars(parser.parse_args())), indent=2))


if __name__ == "__main__":
    main()
