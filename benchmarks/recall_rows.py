"""The index that recall is timed on: generated memories of many users, written as a night leaves them.

Facts of 8 to 14 words with random unit vectors. A third name one of the user's 30 acquaintances, in the text and in the
list of entities; most have slots, an eighth of them for people and places; each user has 20 sessions.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from lancedb.index import Bitmap, BTree

from memory_pipeline.storage.vectors.index import Index

DIMENSIONS = 384
PEOPLE = 30
_START = datetime(2026, 1, 1, tzinfo=UTC)
_MINUTES = 400_000
_SESSIONS = 20
_AT_ONCE = 100  # users whose rows are generated together
_TYPES = ("profile_fact", "preference", "episodic_event", "open_loop", "finding", "decision")
_ATTRIBUTES = ("friend", "visited", "likes", "habit", "event", "plan", "hobby", "goal", "skill", *(None,) * 7)
_OF_NAMES = 2  # so many of them hold a name
_NEVER_NULL = {"tenant_id": "default", "classification": "internal", "status": "active", "timezone": "UTC"}
_NEVER_NULL |= {"surface": "speak", "change": "add"}


def unit(draw: np.random.Generator, count: int) -> npt.NDArray[np.float32]:
    """Random vectors of length 1, shape (count, 384)."""
    made = draw.standard_normal((count, DIMENSIONS), dtype=np.float32)
    return made / np.linalg.norm(made, axis=1, keepdims=True)


@cache
def vocabulary() -> list[str]:
    """20,000 words that look like words."""
    draw = random.Random(3)
    parts = [c + v for c in "bcdfghjklmnprstvw" for v in "aeiou"]
    return ["".join(draw.choices(parts, k=draw.choice((2, 2, 3, 3, 4)))) for _ in range(20_000)]


def acquaintance(user: int, number: int) -> str:
    """Name of somebody whom a user knows; every user knows others."""
    first, last = vocabulary()[(user * 7 + number) % 2000], vocabulary()[(user * 13 + 5 * number) % 2000]
    return f"{first.title()} {last.title()}"


def fill(index: Index, memories: int, users: int, fragment_rows: int) -> None:
    """Write the rows and their scalar indexes, then compact as a night would."""
    table = index.table("memories", create=True)
    assert table is not None
    for part in _tables(index.schema("memories"), memories // users, users):
        table.add(part)
    for column, config in (("tenant_id", Bitmap()), ("user_id", BTree()), ("memory_id", BTree())):
        table.create_index(column, config=config)
    index.optimize(timedelta(0), fragment_rows)


def _tables(schema: pa.Schema, each: int, users: int) -> Iterator[pa.Table]:
    """The rows of all users, sorted as the index keeps them."""
    draw = np.random.default_rng(5)
    for first in range(0, users, _AT_ONCE):
        owners = np.repeat(np.arange(first, min(first + _AT_ONCE, users)), each)
        given = _columns(draw, owners)
        yield pa.table({field.name: _column(given, field, len(owners)) for field in schema}).cast(schema)


def _columns(draw: np.random.Generator, owners: npt.NDArray[np.int64]) -> dict[str, Any]:
    """Columns by name; a plain value is that of every row.

    Args:
        owners: number of each row's user.
    """
    count = len(owners)
    ids = pa.array([f"mem_{owner}_{n}" for n, owner in enumerate(owners.tolist())])
    at = pa.array(draw.integers(0, _MINUTES, count) * 60_000_000 + int(_START.timestamp()) * 1_000_000)
    lengths = draw.integers(7, 14, count)
    said = pa.array(vocabulary()).take(pa.array(draw.integers(0, 20_000, int(lengths.sum()))))
    facts = pc.binary_join(pa.ListArray.from_arrays(np.concatenate([[0], lengths.cumsum()]), said), " ").to_pylist()
    who = np.where(draw.random(count) < 1 / 3, draw.integers(0, PEOPLE, count), -1)
    names = [acquaintance(o, n) if n >= 0 else None for o, n in zip(owners.tolist(), who.tolist(), strict=True)]
    contents = [f"{name or 'likes'} {fact}" for name, fact in zip(names, facts, strict=True)]
    attributes = draw.integers(0, len(_ATTRIBUTES), count)
    return {
        **_NEVER_NULL,
        "memory_id": ids,
        "version_id": ids,
        "lineage_id": ids,
        "user_id": pa.array([f"user-{owner:05}" for owner in owners.tolist()]),
        "session_id": pa.array([f"s-{n}" for n in draw.integers(0, _SESSIONS, count).tolist()]),
        "version": 1,
        "type": pa.array(_TYPES).take(pa.array(draw.integers(0, len(_TYPES), count))),
        "content": contents,
        "subject": "user",
        "attribute": pa.array(_ATTRIBUTES, pa.string()).take(pa.array(attributes)),
        "value": [
            acquaintance(o, n % PEOPLE) if slot < _OF_NAMES else fact.rpartition(" ")[2]
            for n, (o, slot, fact) in enumerate(zip(owners.tolist(), attributes.tolist(), facts, strict=True))
        ],
        "entities": pa.array([[name] if name else [] for name in names], pa.list_(pa.string())),
        "evidence": pa.array([[f"m-{n}"] for n in range(count)]),
        "reinforcements": 0,
        "observed_at": at,
        "referenced_at": at,
        "vector": pa.FixedSizeListArray.from_arrays(pa.array(unit(draw, count).ravel()), DIMENSIONS),
    }


def _column(given: dict[str, Any], field: pa.Field, count: int) -> pa.Array:
    value = given.get(field.name)
    if isinstance(value, (pa.Array, pa.ChunkedArray, list)):
        return value if not isinstance(value, list) else pa.array(value, field.type)
    if value is not None:
        return pa.repeat(pa.scalar(value, field.type), count)
    if pa.types.is_boolean(field.type):
        return pa.repeat(pa.scalar(False), count)
    if pa.types.is_floating(field.type):
        return pa.repeat(pa.scalar(0.5, field.type), count)
    if pa.types.is_list(field.type):
        return pa.array([[]] * count, field.type)
    return pa.nulls(count, field.type)
