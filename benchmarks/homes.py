"""Temporary homes to measure in: the real stages, the builtin models, nothing left behind."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, date, datetime
from functools import cache
from pathlib import Path
from typing import Any

from memory_pipeline.inference.encoder import RememberingEncoder
from memory_pipeline.inference.models import open_encoder
from memory_pipeline.settings import Settings
from memory_pipeline.stages.consolidation.consolidate import consolidate
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.extraction.extract import extract
from memory_pipeline.stages.messages.ingest import IngestReport, ingest

NOW = datetime(2026, 11, 1, 3, tzinfo=UTC)


@contextmanager
def temporary_home(now: datetime = NOW, **settings: Any) -> Iterator[StageContext]:
    """A context over a home of its own, with the encoder of this process."""
    with tempfile.TemporaryDirectory() as folder:
        yield open_home(folder, now, **settings)


def open_home(folder: str, now: datetime = NOW, **settings: Any) -> StageContext:
    """A context over a home that is there or will be."""
    given = {"chat": "builtin", "encoder": "builtin", **settings}
    ctx = StageContext(Settings.load(home=folder, **given), f"benchmark-{now:%d%H%M}", now)
    if given["encoder"] == "builtin":
        ctx.__dict__["encoder"] = _encoder()
    return ctx


@cache
def _encoder() -> RememberingEncoder:
    """One for the process: the same texts are encoded once for all homes."""
    return RememberingEncoder(open_encoder(Settings.load(encoder="builtin")))


def take(ctx: StageContext, lines: Iterable[Mapping[str, Any]]) -> IngestReport:
    """Messages in the landing format into the message log, through the real ingest."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "messages.jsonl"
        file.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
        return ingest(ctx, [file])


def remember(ctx: StageContext, days: Iterable[date] | None = None) -> None:
    """Extract and consolidate some days, or all that have messages."""
    wanted = sorted(days) if days is not None else ctx.lake.days("messages")
    extract(ctx, wanted)
    consolidate(ctx, wanted)
