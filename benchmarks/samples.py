"""The sample transcripts as messages."""

from __future__ import annotations

import tempfile
from datetime import datetime
from pathlib import Path

from memory_pipeline.domain.message import Message
from memory_pipeline.settings import Settings, shipped
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.messages.ingest import ingest


def sample_messages(now: datetime) -> list[Message]:
    """Every message of the sample, through the real ingest."""
    with tempfile.TemporaryDirectory() as home:
        ctx = StageContext(Settings.load(home=home), "sample", now)
        ingest(ctx, sorted(Path(shipped("data/sample")).glob("*.jsonl")))
        return ctx.lake.read("messages", Message)
