"""What must not be found any more: the texts of what is erased, as traces, without what others say too."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memory_pipeline.domain.erasure import Erasure
from memory_pipeline.domain.scope import Scope
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.operations.erasure.erased_rows import Rows
from memory_pipeline.stages.operations.erasure.partitions import datasets

if TYPE_CHECKING:
    import pyarrow as pa

    from memory_pipeline.storage.erasing.traces import Traces

_SAID = {"messages": ("content",), "message_revisions": ("content",)}
_DERIVED = {
    "memory_versions": ("content",),
    "proposals": ("content",),
    "summaries": ("text",),
    "recalls": ("query",),
    "entities": ("name",),
}
_BY_HAND = "manual"
_SPELT_OTHERWISE = r'[^\x20-\x7e]|["\\]'


@dataclass(frozen=True, slots=True)
class Texts:
    """Traces of what is erased.

    Attributes:
        said: of messages and of what was written by hand.
        derived: of what was made of them.
        shared: traces that were left out, because others say the same.
    """

    said: Traces
    derived: Traces
    shared: int


def collect(ctx: StageContext, rows: Rows, salt: bytes, erasure: Erasure) -> Texts:
    """Traces of all that an erasure takes, told apart from what stays."""
    from memory_pipeline.storage.erasing.traces import Traces

    said: set[str] = set()
    derived: set[str] = set()
    for dataset, table, taken in _tables(ctx, rows):
        if any(taken):
            gone = _only(table, taken)
            for column in (*_SAID.get(dataset, ()), *_DERIVED.get(dataset, ())):
                texts = {text for text in gone[column].to_pylist() if text}
                if dataset in _SAID:
                    said |= texts
                else:
                    derived |= texts
    first, second = Traces.of(salt, said), Traces.of(salt, derived - said)
    return narrowed(ctx, rows, erasure, first, second)


def narrowed(ctx: StageContext, rows: Rows, erasure: Erasure, said: Traces, derived: Traces) -> Texts:
    """Traces without what others say too, and what is said, or made of what is said, besides."""
    held_said, held_derived = [], []
    for dataset, table, taken in _tables(ctx, rows):
        kept = _only(table, [not t for t in taken])
        own = None if dataset in _SAID else _own(kept, erasure)
        others = kept if own is None else _only(kept, [not o for o in own])
        for name in kept.schema.names:
            held_derived += [derived.found_in(b) for b in _bytes(kept[name])]
            held_said += [said.found_in(b) for b in _bytes(others[name])]
    rest_said, rest_derived = said.without(held_said), derived.without(held_derived)
    shared = len(said) + len(derived) - len(rest_said) - len(rest_derived)
    return Texts(rest_said, rest_derived, shared)


def _tables(ctx: StageContext, rows: Rows) -> Iterator[tuple[str, pa.Table, list[bool]]]:
    import pyarrow.parquet as pq

    for path, dataset in datasets(ctx):
        table = pq.read_table(path, filesystem=ctx.lake.store.fs, partitioning=None)
        yield dataset, table, rows.touched(dataset, table)


def _own(table: pa.Table, erasure: Erasure) -> list[bool]:
    """Rows that were made of what an erased user said: they prove nothing about what may be found."""
    owners = zip(table["tenant_id"].to_pylist(), table["user_id"].to_pylist(), strict=True)
    causes = table["cause"].to_pylist() if "cause" in table.schema.names else [""] * table.num_rows
    return [
        bool(t and u) and Scope(t, u) in erasure.scopes and cause != _BY_HAND
        for (t, u), cause in zip(owners, causes, strict=True)
    ]


def _only(table: pa.Table, mask: list[bool]) -> pa.Table:
    import pyarrow as pa

    return table.filter(pa.array(mask, pa.bool_()))


def _bytes(column: pa.ChunkedArray) -> Iterator[pa.Buffer | bytes]:
    """The texts of a column, of its lists and structs too: as they are, and as JSON spells those that it spells
    otherwise."""
    import pyarrow.compute as pc

    from memory_pipeline.storage.erasing.traces import spellings

    for leaf in _leaves(column.combine_chunks()):
        yield from (b for b in leaf.buffers() if b is not None and b.size)
        special = leaf.filter(pc.match_substring_regex(leaf, _SPELT_OTHERWISE).fill_null(False))
        texts = pc.unique(special).to_pylist() if len(special) else []
        if texts:
            yield b"\0".join(spelling for text in texts for spelling in spellings(text))


def _leaves(array: pa.Array) -> Iterator[pa.Array]:
    import pyarrow as pa

    if pa.types.is_string(array.type) or pa.types.is_large_string(array.type):
        yield array
    elif pa.types.is_list(array.type) or pa.types.is_struct(array.type):
        parts = [array.flatten()] if pa.types.is_list(array.type) else array.flatten()
        for part in parts:
            yield from _leaves(part)
