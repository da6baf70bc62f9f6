"""Erased rows out of the lake's files: shared partitions are written anew without them, each by one rename.

Every Parquet file under the lake is looked at: partitions, files that were rolled up and wait for their hour, what a
run has staged, the ledger's checkpoint, and what is laid out by user.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.operations.erasure.erased_rows import OWNED, Rows

if TYPE_CHECKING:
    import pyarrow as pa

    from memory_pipeline.storage.erasing.traces import Traces

_LEDGER = "memory_versions"
_TOLD = ("reaching_back",)


def datasets(ctx: StageContext) -> Iterator[tuple[str, str]]:
    """Every Parquet file of the lake that holds rows of users, with its dataset."""
    import pyarrow.fs as pafs

    store = ctx.lake.store
    for info in store.fs.get_file_info(pafs.FileSelector(store.base, recursive=True, allow_not_found=True)):
        if info.type != pafs.FileType.File or not info.path.endswith(".parquet"):
            continue
        parts = PurePosixPath(info.path.removeprefix(f"{store.base}/")).parts
        dataset = _LEDGER if "checkpoint" in parts else next((p for p in parts if p in OWNED), None)
        if dataset is not None:
            yield info.path, dataset


def count(ctx: StageContext, rows: Rows) -> Counter[str]:
    """Rows that would go, by dataset; the checkpoint's are the ledger's once more and do not count."""
    found: Counter[str] = Counter()
    shown = {name: set(ctx.lake.files(name)) for name in OWNED}
    for path, dataset in datasets(ctx):
        if path in shown[dataset]:
            found[dataset] += sum(_touched(ctx, path, dataset, rows))
    return +found


def remove(ctx: StageContext, rows: Rows) -> Counter[str]:
    """Rewrite every file that holds a row to be erased. Returns what was done, by name."""
    done: Counter[str] = Counter()
    for path, dataset in list(datasets(ctx)):
        if any(_touched(ctx, path, dataset, rows)):
            done.update(rewrite(ctx, path, partial(without, rows, dataset)))
    return done


def without(rows: Rows, dataset: str, table: pa.Table) -> pa.Table:
    """A file's rows without the erased ones, in their order."""
    import pyarrow as pa

    gone = pa.array(rows.touched(dataset, table), pa.bool_())
    kept = table.filter(pa.compute.invert(gone)) if table.num_rows else table
    instead = rows.instead(dataset, table.filter(gone)) if table.num_rows else None
    return kept if instead is None else pa.concat_tables([kept, instead])


def rewrite(ctx: StageContext, path: str, change: Callable[[pa.Table], pa.Table]) -> Counter[str]:
    """Change one file's rows while no other process writes; one that is empty then goes.

    The ledger's files and those beside the datasets stay also when they are empty: a note knows them by their names.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    store = ctx.lake.store
    with ctx.lake.fence.rewriting():
        try:
            before = pq.read_table(path, filesystem=store.fs, partitioning=None)
        except FileNotFoundError:
            return Counter()
        after = change(before)
        name = path.removeprefix(f"{store.base}/")
        if after.num_rows or name.startswith((f"{_LEDGER}/", ".notes/")):
            sink = pa.BufferOutputStream()
            table = after.replace_schema_metadata(before.schema.metadata)
            pq.write_table(table, sink, compression="zstd", row_group_size=64_000)
            store.put(name, sink.getvalue().to_pybytes())
        else:
            store.remove(name)
    return Counter({"files rewritten": 1, "rows removed": before.num_rows - after.num_rows})


def _touched(ctx: StageContext, path: str, dataset: str, rows: Rows) -> list[bool]:
    import pyarrow.parquet as pq

    try:
        with ctx.lake.store.fs.open_input_file(path) as file:
            parquet = pq.ParquetFile(file)
            names = [name for name in rows.columns(dataset) if name in parquet.schema_arrow.names]
            return rows.touched(dataset, parquet.read(columns=names)) if "user_id" in names else []
    except FileNotFoundError:  # a spent file that maintenance has removed meanwhile
        return []


def forget_notes(ctx: StageContext, traces: Traces, names: set[str]) -> int:
    """Remove the notes beside the datasets that tell of what was erased: they are made again. Returns how many.

    Args:
        names: user ids that they must not hold.
    """
    import pyarrow.fs as pafs

    store = ctx.lake.store
    removed = 0
    for info in store.fs.get_file_info(pafs.FileSelector(f"{store.base}/.notes", allow_not_found=True)):
        if info.type != pafs.FileType.File or info.base_name == "checkpoint.json":
            continue
        raw = store.note(info.base_name)
        try:
            told = bool(json.loads(raw)["beside"])
        except (ValueError, KeyError, TypeError):
            told = True
        spells = [json.dumps(name).encode() for name in names]
        if told or info.base_name.removesuffix(".json") in _TOLD or traces.count(raw) or any(s in raw for s in spells):
            store.remove(f".notes/{info.base_name}")
            removed += 1
    return removed


def rename_sources(ctx: StageContext, pseudonyms: Mapping[str, str]) -> int:
    """Put pseudonyms in place of users' names in the names of the files that were taken. Returns how many were.

    Args:
        pseudonyms: by user id.
    """
    import pyarrow as pa

    def renamed(text: str) -> str:
        for name, pseudonym in pseudonyms.items():
            text = re.sub(rf"(?<![^\W_]){re.escape(name)}(?![^\W_])", pseudonym, text, flags=re.IGNORECASE)
        return text

    changed = 0
    for path in ctx.lake.files("sources") if pseudonyms else ():
        names = ctx.lake.columns("sources", [path], ["path"])["path"].to_pylist()
        if count := sum(renamed(name) != name for name in names):
            column = pa.array([*map(renamed, names)], pa.string())
            rewrite(ctx, path, partial(_with, name="path", column=column))
            changed += count
    return changed


def _with(table: pa.Table, name: str, column: pa.Array) -> pa.Table:
    return table.set_column(table.schema.get_field_index(name), table.schema.field(name), column)
