"""A dataset once more, laid out by user: a few users' rows are read without those of everybody's days.

Partitions are days, so that what somebody has said over a year lies in as many files as the year has days, between the
rows of all others. The layout holds the same rows in a file for each bucket of users. What a partition has become
since counts, not what the layout holds of it; a few partitions may differ before the layout is brought up to them. It
can be made again from the dataset at any time.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

import pyarrow as pa

from memory_pipeline.domain.scope import Scope
from memory_pipeline.storage.parquet.buckets import bucket_of, by_bucket, enough
from memory_pipeline.storage.parquet.files import NOTES
from memory_pipeline.storage.parquet.lake import Lake, scopes_in, scopes_table
from memory_pipeline.storage.parquet.schemas import DATASETS

LAID_OUT = ("links",)
"""Datasets that are laid out by user: those of which a few users' rows are read of every day."""
FOLDER = "by_user"
_FORM = 1  # raised when what is kept changes
_LOOSE = 30  # partitions that may differ from the layout before it is brought up to them
_ROWS = "(FROM held ANTI JOIN loose USING (day) UNION ALL BY NAME FROM {dataset})"
# Users of whom a partition does not say what the layout says of it.
_DIFFERENT = """
WITH before AS (SELECT {columns} FROM held SEMI JOIN loose USING (day)), now AS (SELECT {columns} FROM {dataset})
SELECT DISTINCT tenant_id, user_id FROM (
    (FROM before EXCEPT ALL FROM now) UNION ALL (FROM now EXCEPT ALL FROM before)
)
"""


@dataclass(frozen=True, slots=True)
class Layout:
    """What the note says.

    Attributes:
        states: of the partitions that it holds (``Files.states``).
        parts: path and rows of each bucket.
    """

    states: Mapping[date, str]
    buckets: int
    parts: Mapping[int, tuple[str, int]]

    def bucket(self, scope: Scope) -> int:
        """Where a user's rows are."""
        return bucket_of(scope, self.buckets)


_NOTHING = Layout({}, 1, {})


def rows_of(lake: Lake, dataset: str, scopes: Iterable[Scope]) -> pa.Table:
    """Every row of some users, in any order.

    Args:
        dataset: one of :data:`LAID_OUT`.
    """
    wanted = set(scopes)
    held = _load(lake, dataset)
    return _read(
        lake,
        dataset,
        f"SELECT * FROM {_ROWS.format(dataset=dataset)} SEMI JOIN wanted USING (tenant_id, user_id)",
        _paths(lake, held, {held.bucket(scope) for scope in wanted}),
        _loose(held, lake.store.states(dataset)),
        wanted=scopes_table(wanted),
    )


def refresh(lake: Lake, dataset: str, kept: timedelta = timedelta(0), loose: int = _LOOSE) -> int:
    """Bring the layout up to the dataset, if it is time to. Returns how many of its files were written.

    New files come first, then the note that names them; those that it no longer names go the next time. Whoever reads
    meanwhile, or after a crash, finds a layout that is whole. Only one process may do it at a time.

    Args:
        kept: how long whoever has read the note of before may take to read the files that it names.
        loose: as many partitions may differ from the layout.
    """
    held = _load(lake, dataset)
    noted = lake.store.noted_at(_note(dataset))
    if noted is None or abs(time.time() - noted) >= kept.total_seconds():
        lake.store.keep_only(_folder(dataset), {path for path, _ in held.parts.values()})
    states = {day: state for day, state in lake.store.states(dataset).items() if state}
    moved = _loose(held, states)
    if len(moved) <= loose:
        return 0
    made = _remade(lake, dataset, held, moved, states)
    _keep(lake, dataset, made)
    return len(set(made.parts.values()) - set(held.parts.values()))


def files_of(lake: Lake, dataset: str) -> list[str]:
    """Paths of the files of a dataset's layout."""
    return _paths(lake, _load(lake, dataset)) if dataset in LAID_OUT else []


def _loose(held: Layout, states: Mapping[date, str]) -> set[date]:
    """Partitions of which the layout does not say what they say now."""
    gone = held.states.keys() - states.keys()
    return gone | {day for day, state in states.items() if not state or held.states.get(day) != state}


def _remade(lake: Lake, dataset: str, held: Layout, loose: Collection[date], states: Mapping[date, str]) -> Layout:
    """The layout after some partitions have become others.

    A partition that changes while this reads has another state than the one given, and counts as loose from then on.
    """
    columns, whole = ", ".join(DATASETS[dataset].schema.names), _ROWS.format(dataset=dataset)
    query = _DIFFERENT.format(dataset=dataset, columns=columns)
    touched = scopes_in(_read(lake, dataset, query, _paths(lake, held), loose))
    counted = _read(lake, dataset, f"SELECT count(*) AS n FROM {whole}", _paths(lake, held), loose)
    buckets = enough(held.buckets, counted["n"][0].as_py())
    again = held.parts.keys() if buckets != held.buckets else {held.bucket(scope) for scope in touched}
    rows = _read(lake, dataset, f"SELECT * FROM {whole}", _paths(lake, held, again), loose)
    parts = {place: part for place, part in held.parts.items() if place not in again}
    for place, table in by_bucket(rows, buckets).items():
        if place in parts:  # of its users the loose partitions say what the layout says
            continue
        data = lake.encoded(dataset, table)
        path = f"{_folder(dataset)}/{place:05}-{hashlib.sha256(data).hexdigest()[:24]}.parquet"
        lake.store.put(path, data)
        parts[place] = (path, table.num_rows)
    return Layout(states, buckets, parts)


def _read(
    lake: Lake, dataset: str, query: str, files: Sequence[str], loose: Collection[date], **tables: pa.Table
) -> pa.Table:
    """Run a query in which ``held`` are rows of the layout, and the dataset is what the loose partitions hold."""
    days = pa.table({"day": sorted(loose)}, schema=pa.schema([("day", pa.date32())]))
    return lake.sql(
        query, days={dataset: sorted(loose)}, files={"held": (dataset, files)}, tables={"loose": days, **tables}
    )


# -- the note


def _note(dataset: str) -> str:
    return f"{FOLDER}.{dataset}.json"


def _folder(dataset: str) -> str:
    return f"{NOTES}/{FOLDER}/{dataset}"


def _paths(lake: Lake, held: Layout, places: Collection[int] | None = None) -> list[str]:
    chosen = held.parts.keys() if places is None else held.parts.keys() & set(places)
    return [lake.store.beside(held.parts[place][0]) for place in sorted(chosen)]


def _load(lake: Lake, dataset: str) -> Layout:
    """The layout; an empty one where there is none that can be used."""
    try:
        note = json.loads(lake.store.note(_note(dataset)))
        if note["form"] != _FORM:
            return _NOTHING
        return Layout(
            {date.fromisoformat(day): state for day, state in note["states"].items()},
            note["buckets"],
            {int(place): (path, rows) for place, (path, rows) in note["parts"].items()},
        )
    except (ValueError, KeyError, TypeError, AttributeError):
        return _NOTHING


def _keep(lake: Lake, dataset: str, layout: Layout) -> None:
    if lake.fence.crossed:  # what was read before an erasure may hold what is no more
        return
    note: dict[str, Any] = {
        "form": _FORM,
        "beside": None,
        "states": {day.isoformat(): state for day, state in sorted(layout.states.items())},
        "buckets": layout.buckets,
        "parts": {str(place): part for place, part in sorted(layout.parts.items())},
    }
    lake.store.write_note(_note(dataset), json.dumps(note, separators=(",", ":")).encode())
