"""What the stores are said to hold."""

from __future__ import annotations

from pathlib import Path

from memory_pipeline.storage.parquet.size import size_of
from memory_pipeline_tests import factories
from memory_pipeline_tests.store import Store


def test_locks_are_no_datasets(tmp_path: Path) -> None:
    home = Store(tmp_path)
    home.lake.append("messages", [factories.message("I live in Lisbon.")])
    before = size_of(home.lake, home.index)
    lake = tmp_path / "lake"
    (lake / ".locks").mkdir(exist_ok=True)
    for name in (".ingest.lock", ".locks/stage-memories.lock", ".locks/ann"):
        (lake / name).touch()
    assert size_of(home.lake, home.index) == before
    assert before.datasets["messages"].files == 1
