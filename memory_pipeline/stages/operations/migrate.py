"""Older files and index tables → the present versions: what readers do with every read, done once and for all.

A file at a time takes the place of the one of its name, so whoever is stopped here goes on where he was, and readers
never see half of anything. No model is called.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memory_pipeline.domain.message import Message
from memory_pipeline.stages.context import StageContext

if TYPE_CHECKING:
    import pyarrow as pa

_TRIES = 3


@dataclass(frozen=True, slots=True)
class Pending:
    """What a dataset or an index table still needs.

    Attributes:
        name: of the dataset; ``index: memories`` for a table of the index.
        files: how many are of which older version; none of a table.
        version: what they will be of; None of a table, whose columns are told apart by name.
        steps: what will be done to them, in words.
    """

    name: str
    files: dict[int, int]
    version: int | None
    steps: tuple[str, ...]

    @property
    def told(self) -> str:
        """In words."""
        files = ", ".join(f"{n} files of version {version}" for version, n in self.files.items())
        return f"{self.name}{f' ({files})' if files else ''} {', then '.join(self.steps)}"


def pending(ctx: StageContext) -> list[Pending]:
    """What ``migrate`` would do; nothing is changed.

    Raises:
        SchemaTooNew: a newer release has written to this home.
    """
    return [*_pending_files(ctx), *_pending_tables(ctx)]


def migrate(ctx: StageContext) -> list[Pending]:
    """Bring every file and every index table of an older version to the present one. Returns what was done.

    A file that somebody replaces meanwhile is looked at again; one that is gone stays gone.

    Raises:
        SchemaTooNew: a newer release has written to this home.
        IndexMismatch: an index table cannot be brought up to date without encoding.
    """
    from memory_pipeline.storage.parquet.schemas import DATASETS

    done = _pending_files(ctx)
    for entry in done:
        _rewrite(ctx, entry.name, sum(entry.files.values()))
    for name in DATASETS.keys() - {entry.name for entry in done}:
        if ctx.lake.versions.span(name).oldest < DATASETS[name].version:
            ctx.lake.versions.raised(name)  # no file is behind: none need be asked from now on
    tables = _pending_tables(ctx)
    for entry in tables:
        _fill(ctx, entry.name.removeprefix(_TABLE))
    return [*done, *tables]


# -- the lake


def _pending_files(ctx: StageContext) -> list[Pending]:
    from memory_pipeline.storage.parquet.migrations import steps
    from memory_pipeline.storage.parquet.schemas import DATASETS

    found = []
    for name, dataset in DATASETS.items():
        oldest = ctx.lake.versions.span(name).oldest
        if oldest == dataset.version:
            continue
        of_files = ctx.lake.versions.of_files(name, _files(ctx, name))
        counts = dict(sorted(Counter(v for v in of_files.values() if v < dataset.version).items()))
        if counts:
            told = tuple(step.what for step in steps(name, min(counts)))
            found.append(Pending(name, counts, dataset.version, told))
    return found


def _files(ctx: StageContext, dataset: str) -> list[str]:
    """Every file of a dataset, those that hold its rows once more included."""
    from memory_pipeline.storage.parquet.layouts.by_user import files_of
    from memory_pipeline.storage.parquet.layouts.checkpoint import LEDGER, load

    held = load(ctx.lake) if dataset == LEDGER else None
    parts = [ctx.lake.store.beside(path) for path, _ in held.parts.values()] if held else []
    return [*ctx.lake.files(dataset), *parts, *files_of(ctx.lake, dataset)]


def _rewrite(ctx: StageContext, dataset: str, total: int) -> None:
    from memory_pipeline.storage.parquet.schemas import DATASETS

    versions, label, done = ctx.lake.versions, f"migrating {dataset}", 0
    versions.writing(dataset)
    for _ in range(_TRIES):
        of_files = versions.of_files(dataset, _files(ctx, dataset))
        behind = [path for path, version in of_files.items() if version < DATASETS[dataset].version]
        if not behind:
            versions.raised(dataset)
            return
        for path in behind:
            ctx.progress(label, done, max(total, done))
            _rewrite_file(ctx, dataset, path)
            done += 1
        ctx.progress(label, done, max(total, done))


def _rewrite_file(ctx: StageContext, dataset: str, path: str) -> None:
    """Replace a file under its own name, unless another has taken its place since it was read."""
    from memory_pipeline.storage.parquet.files import ROLLED, replaced_by

    store = ctx.lake.store
    before = store.mark(path)
    if not before:
        return
    names = replaced_by(store.fs, path)
    table = ctx.lake.upgraded(dataset, [path])
    data = ctx.lake.encoded(dataset, table, {ROLLED: "\n".join(sorted(names))} if names else None)
    if store.mark(path) == before:
        store.put(path.removeprefix(f"{store.base}/"), data)


# -- the index

_TABLE = "index: "


def _pending_tables(ctx: StageContext) -> list[Pending]:
    from memory_pipeline.storage.vectors.index import TABLES

    found = []
    for name in TABLES:
        columns = ctx.index.lacking(name).names
        if columns:
            found.append(Pending(_TABLE + name, {}, None, (f"adds {', '.join(columns)} from the lake",)))
    return found


def _fill(ctx: StageContext, name: str) -> None:
    """Add the columns that a table lacks, with what the lake says of its rows."""
    from memory_pipeline.errors import IndexMismatch
    from memory_pipeline.storage.vectors.index import TABLES

    columns = ctx.index.lacking(name)
    there = _current(ctx, name, columns)
    if there is None:
        raise IndexMismatch(
            f"the index table {name!r} at {ctx.index.uri} lacks {', '.join(columns.names)}: remove that folder and "
            "run `memory-pipeline run --only memory_vectors,message_vectors` to rebuild it from the lake",
            path=ctx.index.uri,
            table=name,
            lacking=tuple(columns.names),
        )
    at = {key: n for n, key in enumerate(there[TABLES[name].key].to_pylist())}

    def values(ids: Sequence[str]) -> pa.Table:
        return _rows(there, [at.get(i) for i in ids], columns)

    ctx.index.add_columns(name, columns, values)


def _current(ctx: StageContext, name: str, columns: pa.Schema) -> pa.Table | None:
    """What the lake says now of the rows of a table of the index: key and some columns; None where it does not."""
    from memory_pipeline.stages.messages.classes import classifier
    from memory_pipeline.stages.messages.index_messages import indexed_messages
    from memory_pipeline.stages.messages.redaction import for_readers
    from memory_pipeline.storage.parquet.arrow_rows import to_table
    from memory_pipeline.storage.parquet.schemas import DATASETS
    from memory_pipeline.storage.queries.ledger import CURRENT, ledger_files
    from memory_pipeline.storage.vectors.index import TABLES, IndexedMessage

    if name == "messages":
        messages = for_readers(ctx.lake.read("messages", Message), ctx.policy.gate)
        rows = indexed_messages(messages, ctx.policy.retrieval, classifier(ctx))
        return to_table([row for row, _ in rows], IndexedMessage)
    noted = {
        "memories": set(DATASETS["memory_versions"].schema.names) - {"evidence"},
        "summaries": {"classification", "domains", "agent_ids"},
    }
    if not set(columns.names) <= noted[name]:
        return None
    listed = ", ".join(f'"{column}"' for column in (TABLES[name].key, *columns.names))
    if name == "summaries":
        return ctx.lake.sql(f"SELECT {listed} FROM summaries")
    return ctx.lake.sql(f"SELECT {listed} FROM ({CURRENT})", files=ledger_files(ctx.lake, None))


def _rows(current: pa.Table, places: Sequence[int | None], columns: pa.Schema) -> pa.Table:
    """Some rows of a table, in that order; what is not known is empty: such a row is about to be removed or remade."""
    import pyarrow as pa

    taken = current.take(pa.array(places, pa.int64()))
    filled = {}
    for field in columns:
        values = taken[field.name].to_pylist()
        empty = None if field.nullable else _empty(field.type)
        filled[field.name] = pa.array([empty if v is None else v for v in values], field.type)
    return pa.table(filled, schema=columns)


def _empty(of_type: Any) -> Any:
    import pyarrow as pa

    if pa.types.is_list(of_type):
        return []
    return "" if pa.types.is_string(of_type) else of_type.to_pandas_dtype()()
