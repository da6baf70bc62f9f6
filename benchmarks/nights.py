"""One night after another: a day's messages come in, and everything that the schedules would make of it is made.

The plain stage functions stand in for Dagster, whose own time does not depend on the store: the plan (which partitions
are stale), the stages, the note of what was made from what, the audits, and store maintenance.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

from benchmarks.homes import take
from memory_pipeline.domain.calendar import period_of
from memory_pipeline.inference.encoder import Encoder, RememberingEncoder
from memory_pipeline.inference.models import open_encoder
from memory_pipeline.settings import Settings
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.operations.maintain import Grace, maintain
from memory_pipeline.stages.plan import freshness, registry
from memory_pipeline.stages.publication.audit import OF_PARTITIONS
from memory_pipeline.storage.queries.ledger import CURRENT

START = date(2025, 6, 2)


class Clock:
    """CPU seconds of this process, by name."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = defaultdict(float)

    @contextmanager
    def measuring(self, name: str) -> Iterator[None]:
        """Add what the block takes."""
        before = time.process_time()
        try:
            yield
        finally:
            self.seconds[name] += time.process_time() - before


def night(home: str, day: date, lines: Sequence[Mapping[str, Any]], encoder: Encoder | None = None) -> dict[str, float]:
    """Take a day's messages at the end of it and make what is missing. Returns CPU seconds by stage.

    Args:
        encoder: in place of the builtin one.
    """
    clock = Clock()
    with clock.measuring("open"):
        ctx = context(home, day, encoder)
    with clock.measuring("ingest"):
        take(ctx, lines)
    for stage in registry.STAGES:
        name = stage.name
        ended = period_of(stage.grain, day + timedelta(days=1)).start - timedelta(days=1)
        with clock.measuring("plan"):
            stale = freshness.stale(ctx, stage, last=ended)
        if not stale:
            continue
        with clock.measuring("plan"):
            made_from = freshness.inputs(ctx, stage)
        with clock.measuring(name):
            stage.work(ctx, stale)
        with clock.measuring("plan"):
            freshness.record(ctx, stage, made_from, stale, {})
        with clock.measuring("audits"):
            _audit(ctx, name, stale)
    with clock.measuring("maintenance"):
        maintain(ctx, Grace(timedelta(0), timedelta(0), timedelta(0)))
    return dict(clock.seconds)


def context(home: str, day: date, encoder: Encoder | None = None) -> StageContext:
    """That of the run in the night after a day, with nothing remembered of the one before."""
    now = datetime.combine(day + timedelta(days=1), datetime.min.time(), UTC) + timedelta(minutes=90)
    ctx = StageContext(Settings.load(home=home, chat="builtin", encoder="builtin"), f"night-{day}", now)
    ctx.__dict__["encoder"] = RememberingEncoder(encoder or _builtin())
    return ctx


@cache
def _builtin() -> Encoder:
    return open_encoder(Settings.load(encoder="builtin"))


def _audit(ctx: StageContext, name: str, days: Sequence[date]) -> None:
    for check in OF_PARTITIONS.get(name, ()) if name != "memories" else ():  # those audit themselves
        found = check(ctx, days)
        if not found.ok:
            raise SystemExit(f"{name} {days[0]}…{days[-1]}: {found.name}: {found.detail}: {found.examples[:2]}")


def sizes(home: str) -> dict[str, Any]:
    """Bytes and files of the lake, by dataset, and of the index, by table."""
    found: dict[str, Any] = {}
    for store in ("lake", "index"):
        places = _folders(Path(home) / store, depth=1 if store == "lake" else 2)
        by_name = {place.name: _weigh(place) for place in places}
        found[store] = {
            "bytes": sum(b for b, _ in by_name.values()),
            "files": sum(n for _, n in by_name.values()),
            "by_name": {name: {"bytes": b, "files": n} for name, (b, n) in sorted(by_name.items())},
        }
    return found


def weight(home: str, day: date) -> tuple[int, int]:
    """Bytes of lake and index, and how many of them are live (``storage.parquet.size``)."""
    from memory_pipeline.storage.parquet.size import size_of

    ctx = context(home, day)
    found = size_of(ctx.lake, ctx.index)
    return found.total.bytes, found.live_bytes


def _folders(root: Path, depth: int) -> list[Path]:
    found = [root]
    for _ in range(depth):
        found = [inner for folder in found if folder.is_dir() for inner in folder.iterdir() if inner.is_dir()]
    return found


def _weigh(folder: Path) -> tuple[int, int]:
    sizes_ = [path.stat().st_size for path in folder.rglob("*") if path.is_file()]
    return sum(sizes_), len(sizes_)


def memories(home: str, day: date) -> dict[str, dict[str, int]]:
    """Memories of each user as they stand, by status."""
    table = context(home, day).lake.sql(
        f"SELECT user_id, status, count(*) AS n FROM ({CURRENT}) GROUP BY ALL ORDER BY ALL"
    )
    found: dict[str, dict[str, int]] = defaultdict(dict)
    for row in table.to_pylist():
        found[row["user_id"]][row["status"]] = row["n"]
    return dict(found)


def mean(values: Iterable[float]) -> float:
    """0 for no values."""
    held = list(values)
    return sum(held) / len(held) if held else 0.0
