"""A store of as many memories as wanted, written straight into lake and index: Arrow tables, no stage, no model.

Every memory has the message that it rests on and a link to the one before it; memory and message have their row in the
index, and the days are noted as made, so that a night after them finds them fresh. A few users are the same in every
store; others make it as large as it is to be.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from memory_pipeline.domain.calendar import period_of
from memory_pipeline.domain.ids import content_hash
from memory_pipeline.domain.ledger.memory import Cause, Change, MemoryVersion, Status
from memory_pipeline.domain.links import LinkKind
from memory_pipeline.domain.message import Message, Role
from memory_pipeline.domain.proposal import Evidence, MemoryType, Surface
from memory_pipeline.domain.scope import Classification
from memory_pipeline.inference.token_vectors import DIMENSIONS
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.plan import freshness, registry
from memory_pipeline.storage.parquet.arrow_rows import arrow_schema, to_table
from memory_pipeline.storage.parquet.schemas import Link, PartitionRecord
from memory_pipeline.storage.vectors.index import TABLES, Index

TENANT = "default"
OWN = 100  # memories of each of the users that are the same in every store
OF_OTHERS = 250
DAYS = 730
_VECTORS = 4096
_TOKENS = 30  # that are parts of words, in a turn
_SEED = 11


def fill(ctx: StageContext, memories: int, users: list[str], last: date) -> dict[str, int]:
    """Fill an empty home.

    Args:
        memories: in the whole store.
        users: those that are the same in every store.
        last: the newest day that holds any.

    Returns:
        How many of each there are.
    """
    rows = _assignment(memories, users)
    before = _before(*rows)
    vectors = _vectors(ctx.encoder.dimensions)
    count = {"memories": 0, "users": len(set(rows[0])), "days": DAYS}
    for day, part in _by_day(rows, last):
        owners, numbers = part
        versions, messages, links = _tables(owners, numbers, before[numbers], day)
        for dataset, table in (("memory_versions", versions), ("messages", messages), ("links", links)):
            if table.num_rows:
                _put(ctx, dataset, day, table)
        _add(ctx.index, "memories", _indexed_memories(versions, ctx.index), vectors[numbers % _VECTORS])
        _add(ctx.index, "messages", _indexed_messages(messages, ctx.index), vectors[(numbers + 1) % _VECTORS])
        count["memories"] += versions.num_rows
    _flush(ctx.index)
    _note_as_made(ctx)
    return count


def _assignment(memories: int, users: list[str]) -> tuple[npt.NDArray[np.str_], npt.NDArray[np.int64]]:
    """Owner and number of each memory; a number stands for the same memory in every store."""
    own = np.repeat(np.array(users), OWN)
    rest = max(0, memories - len(own))
    names = np.array([f"other-{n:06}" for n in range(-(-rest // OF_OTHERS))] or ["none"])
    owners = np.concatenate([own, np.repeat(names, OF_OTHERS)[:rest]])
    return owners[:memories], np.arange(min(memories, len(owners)))


def _by_day(
    rows: tuple[npt.NDArray[np.str_], npt.NDArray[np.int64]], last: date
) -> Iterator[tuple[date, tuple[npt.NDArray[np.str_], npt.NDArray[np.int64]]]]:
    owners, numbers = rows
    place = _day_number(numbers)
    order = np.argsort(place, kind="stable")
    bounds = np.searchsorted(place[order], np.arange(DAYS + 1))
    for n in range(DAYS):
        chosen = order[bounds[n] : bounds[n + 1]]
        if len(chosen):
            yield last - timedelta(days=DAYS - 1 - n), (owners[chosen], numbers[chosen])


def _day_number(numbers: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    return (numbers * 2654435761 % 2**32) * DAYS // 2**32  # spread evenly, and the same in every store


def _before(owners: npt.NDArray[np.str_], numbers: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Of each memory the one that the same user told of before it; -1 of the first."""
    order = np.lexsort((numbers, _day_number(numbers), owners))
    found = np.full(len(numbers), -1)
    same = owners[order[1:]] == owners[order[:-1]]
    found[order[1:][same]] = order[:-1][same]
    return found


def _vectors(dimensions: int) -> npt.NDArray[np.float32]:
    drawn = np.random.default_rng(_SEED).normal(size=(_VECTORS, dimensions)).astype(np.float32)
    return np.asarray(drawn / np.linalg.norm(drawn, axis=1, keepdims=True), dtype=np.float32)


# -- rows


def _tables(
    owners: npt.NDArray[np.str_], numbers: npt.NDArray[np.int64], before: npt.NDArray[np.int64], day: date
) -> tuple[pa.Table, ...]:
    size = len(numbers)
    ids = [f"{n:026x}" for n in numbers.tolist()]
    at = pa.array([datetime(day.year, day.month, day.day, 12, tzinfo=UTC)] * size, pa.timestamp("us", tz="UTC"))
    contents = [_content(n) for n in numbers.tolist()]
    message_ids = [f"msg_{i}" for i in ids]
    said = pc.equal(pa.array(numbers % 5), 0)
    versions = _repeated(
        _memory(day),
        size,
        {
            "version_id": [f"ver_{i}" for i in ids],
            "memory_id": [f"mem_{i}" for i in ids],
            "lineage_id": [f"mem_{i}" for i in ids],
            "user_id": owners.tolist(),
            "session_id": [f"s-{i}" for i in ids],
            "content": contents,
            "type": pc.if_else(said, str(MemoryType.PREFERENCE), str(MemoryType.EPISODIC_EVENT)),
            "status": pc.if_else(said, str(Status.ACTIVE), str(Status.ARCHIVED)),
            "change": pc.if_else(said, str(Change.ADD), str(Change.ARCHIVE)),
            "cause": pc.if_else(said, str(Cause.PROPOSAL), str(Cause.LIFECYCLE)),
            "observed_at": at,
            "referenced_at": at,
            "changed_at": at,
            "evidence": [[{"message_id": m, "quote": c}] for m, c in zip(message_ids, contents, strict=True)],
            "proposal_id": [f"prp_{i}" for i in ids],
        },
    )
    messages = _repeated(
        _message(day),
        size,
        {
            "user_id": owners.tolist(),
            "session_id": [f"s-{i}" for i in ids],
            "message_id": message_ids,
            "content": contents,
            "created_at": at,
            "content_hash": [content_hash(Role.USER, c) for c in contents],
        },
    )
    return versions, messages, _links(owners, numbers, before, day)


def _content(number: int) -> str:
    return f"Saw the exhibition number {number} of the {_ADJECTIVES[number % 97 % 8]} {_THINGS[number % 89 % 8]}."


_ADJECTIVES = ("old", "small", "late", "northern", "quiet", "painted", "wooden", "early")
_THINGS = ("bridges", "maps", "boats", "masks", "clocks", "lamps", "gardens", "coins")


def _links(
    owners: npt.NDArray[np.str_], numbers: npt.NDArray[np.int64], before: npt.NDArray[np.int64], day: date
) -> pa.Table:
    """A link from each memory to the one that the user told of before it."""
    from memory_pipeline.stages.links.link_rows import words_of

    made = [
        Link(
            f"lnk_{later:026x}",
            TENANT,
            str(owner),
            day,
            f"mem_{earlier:026x}",
            f"mem_{later:026x}",
            str(LinkKind.RELATED),
            0.4,
            "similarity",
            words_of(_content(earlier)),
            words_of(_content(later)),
        )
        for owner, later, earlier in zip(owners, numbers.tolist(), before.tolist(), strict=True)
        if earlier >= 0
    ]
    return to_table(made, Link)


def _repeated(row: Any, size: int, columns: dict[str, Any]) -> pa.Table:
    """A row so many times, with columns of its own."""
    table = to_table([row], type(row)).take(pa.array(np.zeros(size, dtype=np.int64)))
    for name, values in columns.items():
        place = table.schema.get_field_index(name)
        field = table.schema.field(name)
        array = values if isinstance(values, (pa.Array, pa.ChunkedArray)) else pa.array(values, field.type)
        table = table.set_column(place, field, array.cast(field.type))
    return table


def _memory(day: date) -> MemoryVersion:
    at = datetime(day.year, day.month, day.day, 12, tzinfo=UTC)
    return MemoryVersion(
        version_id="", memory_id="", lineage_id="", tenant_id=TENANT, user_id="", session_id="", agent_id=None,
        domain=None, shared=False, classification=Classification.INTERNAL, version=1, change=Change.ADD,
        cause=Cause.PROPOSAL, reason="add", type=MemoryType.PREFERENCE, status=Status.ACTIVE, content="",
        subject="user", attribute=None, value=None, negated=False, entities=(), confidence=0.8, salience=0.6,
        importance=0.6,
        surface=Surface.SPEAK, pinned=False, reinforcements=0, observed_at=at, referenced_at=at, valid_from=None,
        valid_until=None, due_at=None, changed_at=at, day=day, timezone="UTC", review_on=None,
        evidence=(Evidence("", ""),), derived_from=(), superseded_by=None, proposal_id=None, previous_version_id=None,
        run_id="large-store", asserted=True, recorded_at=at + timedelta(hours=14),
    )  # fmt: skip


def _message(day: date) -> Message:
    at = datetime(day.year, day.month, day.day, 12, tzinfo=UTC)
    return Message(
        TENANT, "", "", "", Role.USER, None, "", at, day, "UTC", 0, "", None, None, "{}", "large-store", at
    )  # fmt: skip


def _put(ctx: StageContext, dataset: str, day: date, table: pa.Table) -> None:
    ctx.lake.store.put(f"{dataset}/day={day.isoformat()}/large-store.parquet", ctx.lake.encoded(dataset, table))


# -- the index


_waiting: dict[str, list[pa.Table]] = {name: [] for name in TABLES}
_AT_ONCE = 50_000


def _indexed_memories(versions: pa.Table, index: Index) -> pa.Table:
    columns = {name: versions[name] for name in arrow_schema(TABLES["memories"].noun).names if name != "evidence"}
    ids = pc.struct_field(pc.list_flatten(versions["evidence"]), "message_id")
    offsets = pa.array(np.arange(versions.num_rows + 1, dtype=np.int32))
    columns["evidence"] = pa.ListArray.from_arrays(offsets, ids.combine_chunks())
    return pa.table(columns)


def _indexed_messages(messages: pa.Table, index: Index) -> pa.Table:
    from memory_pipeline.stages.messages.index_messages import message_key
    from memory_pipeline.storage.parquet.arrow_rows import from_table

    keys = [message_key(m) for m in from_table(messages, Message)]
    held = {
        name: messages[name] for name in arrow_schema(TABLES["messages"].noun).names if name in messages.column_names
    }
    made = {"message_key": keys, "previous": [""] * len(keys), "classification": ["internal"] * len(keys)}
    if "tokens" in index.schema("messages").names:
        made["tokens"] = _tokens(len(keys))
    return pa.table(held | made | {"spans": [[]] * len(keys)})


def _tokens(rows: int) -> list[bytes]:
    """Packed token vectors of as many turns, of the size that a turn's have in life."""
    drawn = np.random.default_rng(_SEED).integers(-127, 128, size=(_VECTORS, _TOKENS * DIMENSIONS), dtype=np.int8)
    return [drawn[n % _VECTORS].tobytes() for n in range(rows)]


def _add(index: Index, name: str, rows: pa.Table, vectors: npt.NDArray[np.float32]) -> None:
    schema = index.schema(name)
    flat = pa.FixedSizeListArray.from_arrays(pa.array(vectors.ravel()), index.dimensions)
    _waiting[name].append(rows.append_column("vector", flat).select(schema.names).cast(schema))
    if sum(t.num_rows for t in _waiting[name]) >= _AT_ONCE:
        _write(index, name)


def _write(index: Index, name: str) -> None:
    if _waiting[name]:
        table = index.table(name, create=True)
        assert table is not None
        rows = pa.concat_tables(_waiting[name]).sort_by([("tenant_id", "ascending"), ("user_id", "ascending")])
        table.add(rows)
        _waiting[name].clear()


def _flush(index: Index) -> None:
    """Write what waits, and make the scalar indexes that :meth:`Index.upsert` makes of a fresh table."""
    from lancedb.index import Bitmap, BTree

    for name in ("memories", "messages"):
        _write(index, name)
        table = index.table(name)
        assert table is not None
        for column, config in (("tenant_id", Bitmap()), ("user_id", BTree()), (TABLES[name].key, BTree())):
            table.create_index(column, config=config)


# -- what a plan goes by


def _note_as_made(ctx: StageContext) -> None:
    rows: list[PartitionRecord] = []
    for stage in registry.STAGES:
        code = freshness.code_version(ctx.settings, ctx.prompts, stage)
        rows += [
            PartitionRecord(stage.name, period_of(stage.grain, start).start, made_from, code, 0, ctx.run_id, ctx.now)
            for start, made_from in freshness.inputs(ctx, stage).items()
        ]
    ctx.lake.append("made", rows)
