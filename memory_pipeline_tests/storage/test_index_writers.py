"""Two writers of one new key: a home without locks keeps the row once."""

from __future__ import annotations

import multiprocessing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from memory_pipeline.storage.parquet.arrow_rows import to_table
from memory_pipeline.storage.vectors.index import Index, IndexedSummary

_ROUNDS = 12


def _summary(number: int) -> IndexedSummary:
    return IndexedSummary(
        summary_id=f"s{number}",
        tenant_id="default",
        user_id="ann",
        grain="day",
        label=f"2026-03-{number:02}",
        content=f"Ann was at the dentist {number} times.",
        observed_at=datetime(2026, 3, 1, tzinfo=UTC),
        message_ids=(),
        memory_ids=(),
        classification="internal",
        domains=None,
        agent_ids=None,
    )


def _write(uri: str, barrier: Any) -> None:
    index = Index(uri, "words", 4)
    for number in range(_ROUNDS):
        rows = to_table([_summary(number)], IndexedSummary)
        barrier.wait(timeout=60)
        index.upsert("summaries", rows, np.ones((1, 4), dtype=np.float32))


def test_two_writers_of_one_new_key_leave_it_once_where_nothing_locks(tmp_path: Path) -> None:
    uri = (tmp_path / "index").as_uri()
    Index(uri, "words", 4).upsert("summaries", to_table([_summary(99)], IndexedSummary), np.ones((1, 4), np.float32))
    spawn = multiprocessing.get_context("spawn")
    barrier = spawn.Barrier(2)
    writers = [spawn.Process(target=_write, args=(uri, barrier)) for _ in range(2)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(timeout=120)
    assert [writer.exitcode for writer in writers] == [0, 0]
    dataset = Index(uri, "words", 4).dataset("summaries")
    assert dataset is not None
    keys = dataset.to_table(columns=["summary_id"])["summary_id"].to_pylist()
    assert sorted(keys) == sorted({f"s{n}" for n in range(_ROUNDS)} | {"s99"})
