"""A process that is killed while it creates a table of the index leaves no table, and the next one creates it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memory_pipeline.settings import Settings
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.plan.freshness import begin
from memory_pipeline.stages.plan.registry import BY_NAME
from memory_pipeline.storage.parquet.arrow_rows import to_table
from memory_pipeline.storage.vectors.index import Index, IndexedMemory
from memory_pipeline.storage.vectors.projection import indexed_memory
from memory_pipeline_tests.factories import NOON, memory

ROWS = to_table([indexed_memory(memory())], IndexedMemory)


class _Killed(BaseException):
    pass


def _index(home: Path) -> Index:
    return Index(str(home / "index"), "test", 2)


def _kept(index: Index) -> None:
    index.upsert("memories", ROWS, np.ones((1, 2), np.float32))
    assert index.all("memories", ["memory_id"]).num_rows == 1
    assert {column for i in index.table("memories").list_indices() for column in i.columns} == {  # type: ignore[union-attr]
        "tenant_id",
        "user_id",
        "memory_id",
    }


@pytest.mark.parametrize("left", [(), ("_transactions/0-a.txn",), ("_versions/.tmp_1.manifest_9", "data/a.lance")])
def test_a_folder_without_a_version_is_no_table(tmp_path: Path, left: tuple[str, ...]) -> None:
    settings = Settings(home=str(tmp_path))
    folder = Path(_index(tmp_path).uri, "memories.lance")
    folder.mkdir(parents=True)
    for name in left:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).touch()
    assert _index(tmp_path).table("memories") is None and _index(tmp_path).version("memories") == 0
    ctx = StageContext(settings, "test", NOON)
    begin(ctx, BY_NAME["memory_vectors"])
    assert ctx.lake.store.note("filled-memories.txt"), "what was noted of the table before counts no more"
    _kept(_index(tmp_path))


def test_a_table_without_its_indexes_gets_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reads of one user would look at every row of everybody for good."""
    import lancedb.table

    def killed(*_: Any, **__: Any) -> None:
        raise _Killed

    with monkeypatch.context() as patch:
        patch.setattr(lancedb.table.LanceTable, "create_index", killed)
        with pytest.raises(_Killed):
            _kept(_index(tmp_path))
    _kept(_index(tmp_path))
