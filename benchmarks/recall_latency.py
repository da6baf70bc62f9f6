"""How long a search takes, beside a bare LanceDB query and plain numpy over the same rows, in one run.

    python -m benchmarks.recall_latency [--memories 1000000] [--users 2000] [--queries 300]

Generated memories of 8 to 14 words with random unit vectors, in a real index; the reader is the real one. Prints one
JSON object: milliseconds, megabytes, searches a second.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import tempfile
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import numpy.typing as npt
import psutil
import pyarrow as pa
from lancedb.index import Bitmap, BTree

from benchmarks.homes import open_home
from memory_pipeline.domain.scope import Scope
from memory_pipeline.inference.models import open_encoder
from memory_pipeline.retrieval.reader import MemoryReader
from memory_pipeline.storage.index import Index, owned_by

DIMENSIONS = 384
START = datetime(2026, 1, 1, tzinfo=UTC)
TYPES = ("profile_fact", "preference", "episodic_event", "open_loop", "finding", "decision")
_AT_ONCE = 50  # users whose rows are generated together
_NEVER_NULL = {"tenant_id": "default", "session_id": "s-1", "classification": "internal", "status": "active"}


class RandomEncoder:
    """Unit vectors that follow from the text's hash: no model, so that the search alone is timed."""

    model = "random"
    dimensions = DIMENSIONS

    def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Vectors of shape (texts, 384), of length 1."""
        return np.stack([unit(np.random.default_rng(zlib.crc32(text.encode())), 1)[0] for text in texts])


def unit(draw: np.random.Generator, count: int) -> npt.NDArray[np.float32]:
    """Random vectors of length 1, shape (count, 384)."""
    made = draw.standard_normal((count, DIMENSIONS), dtype=np.float32)
    return made / np.linalg.norm(made, axis=1, keepdims=True)


def vocabulary() -> list[str]:
    """20,000 words that look like words."""
    draw = random.Random(3)
    parts = [c + v for c in "bcdfghjklmnprstvw" for v in "aeiou"]
    return ["".join(draw.choices(parts, k=draw.choice((2, 2, 3, 3, 4)))) for _ in range(20_000)]


def tables(index: Index, memories: int, users: int) -> Iterator[pa.Table]:
    """The rows of all users, sorted as the index keeps them."""
    draw, numbers, words = random.Random(5), np.random.default_rng(5), vocabulary()
    schema, each = index.schema("memories"), memories // users
    for first in range(0, users, _AT_ONCE):
        owners = [f"user-{u:05}" for u in range(first, min(first + _AT_ONCE, users)) for _ in range(each)]
        count = len(owners)
        ids = [f"mem_{first}_{n}" for n in range(count)]
        at = [START + timedelta(minutes=int(m)) for m in numbers.integers(0, 400_000, count)]
        columns: dict[str, Any] = {
            **{name: [value] * count for name, value in _NEVER_NULL.items()},
            "memory_id": ids,
            "version_id": ids,
            "lineage_id": ids,
            "user_id": owners,
            "version": [1] * count,
            "type": draw.choices(TYPES, k=count),
            "content": [" ".join(draw.choices(words, k=draw.randint(8, 14))) for _ in range(count)],
            "timezone": ["UTC"] * count,
            "surface": ["speak"] * count,
            "change": ["add"] * count,
            "reinforcements": [0] * count,
            "observed_at": at,
            "referenced_at": at,
            "vector": pa.FixedSizeListArray.from_arrays(pa.array(unit(numbers, count).ravel()), DIMENSIONS),
        }
        yield pa.table({f.name: _column(columns, f, count) for f in schema}).cast(schema)


def _column(columns: dict[str, Any], field: pa.Field, count: int) -> pa.Array:
    if field.name in columns:
        return pa.array(columns[field.name]) if isinstance(columns[field.name], list) else columns[field.name]
    if pa.types.is_boolean(field.type):
        return pa.array([False] * count)
    if pa.types.is_floating(field.type):
        return pa.array([0.5] * count, field.type)
    if pa.types.is_list(field.type):
        return pa.array([[]] * count, field.type)
    return pa.nulls(count, field.type)


def fill(index: Index, memories: int, users: int) -> None:
    """Write the rows and their scalar indexes, then compact as a night would."""
    table = index.table("memories", create=True)
    assert table is not None
    for part in tables(index, memories, users):
        table.add(part)
    for column, config in (("tenant_id", Bitmap()), ("user_id", BTree()), ("memory_id", BTree())):
        table.create_index(column, config=config)
    index.optimize(timedelta(0))


def percentiles(times: Sequence[float]) -> dict[str, float]:
    """Of some durations in seconds: milliseconds at p50, p95, p99."""
    return {f"p{p}": round(float(np.percentile(times, p)) * 1000, 3) for p in (50, 95, 99)}


def timed(work: Callable[[int], Any], count: int) -> dict[str, float]:
    """Percentiles of so many calls."""
    times = []
    for n in range(count):
        start = time.perf_counter()
        work(n)
        times.append(time.perf_counter() - start)
    return percentiles(times)


class Contest:
    """The same questions to the same rows, three ways."""

    def __init__(self, home: str, index: Index, users: int, queries: int) -> None:
        words, draw = vocabulary(), random.Random(11)
        self.home, self.index, self.users, self.count = home, index, users, queries
        self.texts = [" ".join(draw.choices(words, k=6)) for _ in range(64)]
        self.encoder = RandomEncoder()
        self.vectors = self.encoder.encode(self.texts)

    def reader(self, encoder: Any | None = None) -> MemoryReader:
        """A reader without anything in its cache."""
        return MemoryReader(open_home(self.home).settings, encoder=encoder or self.encoder)

    def ask(self, reader: MemoryReader, n: int, user: int) -> int:
        """One search; the number of its hits."""
        return len(reader.search(self.texts[n % 64], user_id=f"user-{user:05}", k=10))

    def lance(self, n: int, user: int) -> Any:
        """A bare exact query for the nearest ten, as LanceDB does it."""
        table = self.index.table("memories")
        assert table is not None
        query = (
            table.search(self.vectors[n % 64])
            .bypass_vector_index()
            .where(owned_by(Scope("default", f"user-{user:05}")))
        )
        return query.limit(10).to_arrow()

    def numpy(self, held: npt.NDArray[np.float32], n: int) -> Any:
        """The nearest ten of rows that are in memory."""
        scores = held @ self.vectors[n % 64]
        return np.argsort(-scores)[:10]

    def measure(self) -> dict[str, Any]:
        """All figures of the contest."""
        hot, cold, other = self.reader(), self.reader(), self.reader()
        for n in range(64):
            self.ask(hot, n, 1)  # the user's rows and the vectors of the queries are known now
            self.ask(cold, n, 1)
        rows = self.index.rows("memories", Scope("default", "user-00001"))
        held = np.stack([np.asarray(v, dtype=np.float32) for v in rows["vector"].to_pylist()])
        spread = [2 + n * (self.users - 2) // self.count for n in range(self.count)]
        found: dict[str, Any] = {
            "hot user": timed(lambda n: self.ask(hot, n, 1), 5 * self.count),
            "cold user": timed(lambda n: self.ask(cold, n, spread[n]), self.count),
            "bare LanceDB, other users": timed(lambda n: self.lance(n, spread[n]), self.count),
            "bare LanceDB, one user": timed(lambda n: self.lance(n, 1), self.count),
            "numpy in memory": timed(lambda n: self.numpy(held, n), self.count),
        }
        found["threads"] = self._threads(hot)
        found["asyncio"] = asyncio.run(self._tasks(hot))
        found["200 hot users"] = self._memory(other)
        return found

    def encoding(self) -> dict[str, float]:
        """A hot user's search with the real encoder: every query is new."""
        encoder = open_encoder(open_home(self.home).settings)
        words, draw = vocabulary(), random.Random(12)
        questions = [f"When did I last talk about {draw.choice(words)} and {draw.choice(words)}?" for _ in range(100)]
        encoder.encode(questions[:1])
        return timed(lambda n: encoder.encode([questions[n]]), len(questions))

    def _threads(self, reader: MemoryReader) -> dict[str, float]:
        """Searches a second of one thread and of sixteen, over 16 hot users."""
        for user in range(16):
            self.ask(reader, 0, user)
        found = {}
        for threads in (1, 16):
            start = time.perf_counter()
            with ThreadPoolExecutor(threads) as pool:
                done = sum(pool.map(lambda n: self.ask(reader, n, n % 16) > 0, range(8 * self.count)))
            found[f"{threads}: searches/s"] = round(8 * self.count / (time.perf_counter() - start))
            found[f"{threads}: errors"] = 8 * self.count - done
        return found

    async def _tasks(self, reader: MemoryReader) -> dict[str, float]:
        start = time.perf_counter()
        asked = [reader.asearch(self.texts[n % 64], user_id=f"user-{n % 16:05}", k=10) for n in range(2 * self.count)]
        done = [len(hits) for hits in await asyncio.gather(*asked)]
        return {"searches/s": round(len(done) / (time.perf_counter() - start)), "errors": sum(not n for n in done)}

    def _memory(self, reader: MemoryReader) -> dict[str, float]:
        process = psutil.Process()
        before = process.memory_info().rss
        for user in range(200):
            self.ask(reader, user, 300 + user)
        return {
            "MB more than before": round((process.memory_info().rss - before) / 2**20),
            "MB of the process": round(process.memory_info().rss / 2**20),
            "MB by the cache's account": round(reader._engine.searcher.sources.held["bytes"] / 2**20),
        }


def measure(memories: int = 1_000_000, users: int = 2_000, queries: int = 300) -> dict[str, Any]:
    """Fill an index and hold the contest."""
    with tempfile.TemporaryDirectory() as home:
        index = Index.open(open_home(home).settings, RandomEncoder())
        start = time.perf_counter()
        fill(index, memories, users)
        contest = Contest(home, index, users, queries)
        return {
            "memories": memories,
            "users": users,
            "filled in seconds": round(time.perf_counter() - start),
            **contest.measure(),
            "encoding a query": contest.encoding(),
        }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--memories", type=int, default=1_000_000)
    parser.add_argument("--users", type=int, default=2_000)
    parser.add_argument("--queries", type=int, default=300)
    print(json.dumps(measure(**vars(parser.parse_args())), indent=2))
