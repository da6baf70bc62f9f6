"""Files as older releases wrote them: the columns that a dataset's first version had not."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from memory_pipeline.storage.parquet.arrow_rows import to_table
from memory_pipeline.storage.parquet.schemas import DATASETS

LATER = {
    "proposals": ("reply_key",),
    "verdicts": ("reply_key",),
    "memory_versions": ("own_words", "taken_back", "apart"),
    "links": ("reason", "source_words", "target_words"),
    "costs": ("event_day", "saved_tokens", "saved_usd", "unfit"),
    "recalls": ("asked",),
    "summaries": ("session_id", "classification", "domains", "agent_ids", "refused"),
    "messages": ("language",),
    "message_revisions": ("language",),
    "vectors": ("tokens",),
}


def first_version(dataset: str, rows: Sequence[Any]) -> pa.Table:
    """Rows as the first version had them."""
    table = to_table(rows, DATASETS[dataset].noun).drop_columns(list(LATER[dataset]))
    metadata = {"memory_pipeline.dataset": dataset, "memory_pipeline.schema_version": "1"}
    return table.replace_schema_metadata(metadata)


def written(lake: str, dataset: str, rows: Sequence[Any], name: str = "part") -> Path:
    """A file of the first version in a lake's folder; all rows are of one day."""
    folder = Path(lake, dataset, f"day={rows[0].day}")
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.parquet"
    pq.write_table(first_version(dataset, rows), path, compression="zstd")
    return path
