"""A user's rows as they were at a moment, or as they were known at one: rebuilt from the lake.

The user's own hand reaches back: what has been forgotten since stays hidden, and what has been edited since shows its
corrected words.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from memory_pipeline.domain.ledger.memory import Change, MemoryVersion, fold, standing
from memory_pipeline.domain.policy import RetrievalPolicy
from memory_pipeline.domain.scope import Scope
from memory_pipeline.retrieval.store.user_rows import MEMORIES, UserRows
from memory_pipeline.storage.parquet.arrow_rows import to_table
from memory_pipeline.storage.parquet.lake import Lake
from memory_pipeline.storage.queries.ledger import versions_of
from memory_pipeline.storage.vectors.index import Index, IndexedMemory, vectors_of
from memory_pipeline.storage.vectors.projection import indexed_memory

if TYPE_CHECKING:
    import numpy.typing as npt

    from memory_pipeline.inference.encoder import Encoder

_WORDS = ("content", "subject", "attribute", "value", "negated", "entities", "own_words")


def state_at(rows: Sequence[MemoryVersion], as_of: datetime | None, known_at: datetime | None) -> list[MemoryVersion]:
    """The versions that were current, in order of observation.

    Args:
        rows: of one user, withdrawals included.
        as_of: only what had happened by then; None = all.
        known_at: only what had been recorded by then; None = all.
    """
    known = [row for row in rows if known_at is None or row.recorded_at <= known_at]
    then = [row for row in known if as_of is None or row.changed_at <= as_of]
    return sorted(fold(then).values(), key=lambda v: (v.observed_at, v.memory_id))


def corrected(state: Iterable[MemoryVersion], rows: Sequence[MemoryVersion]) -> list[MemoryVersion]:
    """A past state without what the user has forgotten since, and in the words that the user has put right since."""
    now = fold(rows)
    edits: dict[str, MemoryVersion] = {}
    for row in sorted(standing(rows), key=lambda v: v.version):
        if row.change is Change.EDIT:
            edits[row.memory_id] = row
    kept = []
    for version in state:
        latest, edit = now.get(version.memory_id), edits.get(version.memory_id)
        if latest is not None and latest.forgotten:
            continue
        if edit is not None and edit.version > version.version:
            version = replace(version, **{name: getattr(edit, name) for name in _WORDS})
        kept.append(version)
    return kept


def memories_at(
    lake: Lake,
    index: Index,
    encoder: Encoder,
    policy: RetrievalPolicy,
    scope: Scope,
    as_of: datetime | None,
    known_at: datetime | None,
) -> UserRows:
    """A user's memories at a moment, with vectors: the index's where a text is still the same, else encoded now."""
    ledger = versions_of(lake, [scope])
    state = corrected(state_at(ledger, as_of, known_at), ledger)
    table = to_table([indexed_memory(v) for v in state], IndexedMemory)
    return UserRows(MEMORIES, table, content_vectors(index, encoder, scope, [v.content for v in state]), policy)


def content_vectors(index: Index, encoder: Encoder, scope: Scope, texts: Sequence[str]) -> npt.NDArray[np.float32]:
    """Vectors of texts of a user's memories, shape (texts, dimensions): the index's, else encoded now."""
    current = index.rows(MEMORIES, scope, ["content", "vector"])
    place = {text: n for n, text in enumerate(current["content"].to_pylist())}
    known = vectors_of(current)
    new = [text for text in dict.fromkeys(texts) if text not in place]
    fresh: Mapping[str, npt.NDArray[np.float32]] = dict(zip(new, encoder.encode(new), strict=True)) if new else {}
    found = np.zeros((len(texts), index.dimensions), dtype=np.float32)
    for n, text in enumerate(texts):
        found[n] = fresh[text] if text in fresh else known[place[text]]
    return found


def recorded_by(
    lake: Lake, dataset: str, key: Sequence[str], scope: Scope, known_at: datetime
) -> frozenset[tuple[str, ...]]:
    """Keys of a user's rows of a dataset that had been recorded by a moment."""
    table: pa.Table = lake.sql(
        f"SELECT {', '.join(key)} FROM {dataset} "
        "WHERE tenant_id = $tenant AND user_id = $user AND recorded_at <= $known_at",
        {"tenant": scope.tenant_id, "user": scope.user_id, "known_at": known_at},
    )
    return frozenset(zip(*(column.to_pylist() for column in table.columns), strict=True))
