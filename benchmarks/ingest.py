"""Speed and memory of the way into the message log, on generated transcripts, without encoding.

    python benchmarks/ingest.py [--messages 200000] [--users 200] [--days 30] [--format jsonl]

Prints one JSON object. One process, one core (``taskset -c 0`` to hold it to that); peak memory is that of the process.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

from memory_pipeline.settings import Settings
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.messages.ingest import ingest

START = datetime(2026, 1, 1, tzinfo=UTC)
WORDS = ("the", "a", "we", "you", "moved", "lives", "prefers", "coffee", "Lisbon", "project", "deadline", "sister")


def write(path: Path, messages: int, users: int, days: int) -> None:
    """Landing lines in the order of a log: by time, users taking turns, about 180 characters of text each."""
    random_ = random.Random(7)
    step = timedelta(days=days) / messages
    with path.open("w", encoding="utf-8") as out:
        for n in range(messages):
            at = START + n * step
            user = n % users
            line = {
                "user_id": f"user-{user:05}",
                "session_id": f"s-{user:05}-{at:%Y%m%d}",
                "message_id": f"m-{n:09}",
                "role": "user" if (n // users) % 2 == 0 else "assistant",
                "content": " ".join(random_.choices(WORDS, k=32)),
                "created_at": at.isoformat(),
                "metadata": {"client": "web"},
            }
            out.write(json.dumps(line) + "\n")


def measure(messages: int = 200_000, users: int = 200, days: int = 30) -> dict[str, float]:
    """Write a file of landing lines and take it; the file is not part of the time."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "generated.jsonl"
        write(file, messages, users, days)
        size = file.stat().st_size
        settings = Settings.load(home=f"{folder}/home")
        ctx = StageContext(settings, run_id="benchmark", now=START + timedelta(days=days + 1))
        before, cpu = time.perf_counter(), time.process_time()
        report = ingest(ctx, [file])
        seconds, cpu = time.perf_counter() - before, time.process_time() - cpu
    return {
        "messages": report.taken,
        "seconds": round(seconds, 2),
        "messages_per_second": round(report.taken / seconds),
        "cpu_seconds": round(cpu, 2),
        "file_mb": round(size / 1e6, 1),
        "peak_rss_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
    }


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--messages", type=int, default=200_000)
    parser.add_argument("--users", type=int, default=200)
    parser.add_argument("--days", type=int, default=30)
    print(json.dumps(measure(**vars(parser.parse_args()))))


if __name__ == "__main__":
    main()
