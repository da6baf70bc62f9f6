"""A dataset once more, laid out by user: a few users' rows are read without those of everybody's days.

Partitions are days, so that what somebody has said over a year lies in as many files as the year has days, between the
rows of all others. The layout holds the same rows in a file for each bucket of users. What a partition has become
since counts, not what the layout holds of it; a few partitions may differ before the layout is brought up to them. It
can be made again from the dataset at any time.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date, timedelta

import pyarrow as pa

from memory_pipeline.domain.scope import Scope
from memory_pipeline.storage.parquet.lake import Lake, scopes_in, scopes_table
from memory_pipeline.storage.parquet.layouts.bucket_files import Bucketed, BucketFiles
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


def rows_of(lake: Lake, dataset: str, scopes: Iterable[Scope]) -> pa.Table:
    """Every row of some users, in any order.

    Args:
        dataset: one of :data:`LAID_OUT`.
    """
    wanted = set(scopes)
    layout = _layout(lake, dataset)
    held = _load(layout)
    return _read(
        lake,
        dataset,
        f"SELECT * FROM {_ROWS.format(dataset=dataset)} SEMI JOIN wanted USING (tenant_id, user_id)",
        layout.paths(held, {held.bucket(scope) for scope in wanted}),
        _loose(held, lake.store.states(dataset)),
        wanted=scopes_table(wanted),
    )


def refresh(lake: Lake, dataset: str, kept: timedelta = timedelta(0), loose: int = _LOOSE) -> int:
    """Bring the layout up to the dataset, if it is time to. Returns how many of its files were written.

    Args:
        kept: see :meth:`BucketFiles.sweep`.
        loose: as many partitions may differ from the layout.
    """
    layout = _layout(lake, dataset)
    held = _load(layout)
    layout.sweep(held, kept)
    states = {day: state for day, state in lake.store.states(dataset).items() if state}
    moved = _loose(held, states)
    if len(moved) <= loose:
        return 0
    made = _remade(layout, held, moved, states)
    layout.write(made)
    return len(set(made.parts.values()) - set(held.parts.values()))


def files_of(lake: Lake, dataset: str) -> list[str]:
    """Paths of the files of a dataset's layout."""
    layout = _layout(lake, dataset)
    return layout.paths(_load(layout)) if dataset in LAID_OUT else []


def _loose(held: Bucketed, states: Mapping[date, str]) -> set[date]:
    """Partitions of which the layout does not say what they say now."""
    gone = held.states.keys() - states.keys()
    return gone | {day for day, state in states.items() if not state or held.states.get(day) != state}


def _remade(layout: BucketFiles, held: Bucketed, loose: Collection[date], states: Mapping[date, str]) -> Bucketed:
    """The layout after some partitions have become others.

    A partition that changes while this reads has another state than the one given, and counts as loose from then on.
    """
    lake, dataset = layout.lake, layout.dataset
    query = _DIFFERENT.format(dataset=dataset, columns=", ".join(DATASETS[dataset].schema.names))
    touched = scopes_in(_read(lake, dataset, query, layout.paths(held), loose))
    rows = f"SELECT * FROM {_ROWS.format(dataset=dataset)}"
    buckets, parts = layout.remade(held, touched, lambda files: _read(lake, dataset, rows, files, loose))
    return Bucketed(states=states, buckets=buckets, parts=parts)


def _read(
    lake: Lake, dataset: str, query: str, files: Sequence[str], loose: Collection[date], **tables: pa.Table
) -> pa.Table:
    """Run a query in which ``held`` are rows of the layout, and the dataset is what the loose partitions hold."""
    days = pa.table({"day": sorted(loose)}, schema=pa.schema([("day", pa.date32())]))
    return lake.sql(
        query, days={dataset: sorted(loose)}, files={"held": (dataset, files)}, tables={"loose": days, **tables}
    )


def _layout(lake: Lake, dataset: str) -> BucketFiles:
    return BucketFiles(lake, dataset, f"{FOLDER}/{dataset}", _FORM)


def _load(layout: BucketFiles) -> Bucketed:
    """The layout; an empty one where there is none that can be used."""
    return layout.read(lambda note: Bucketed(**Bucketed.fields_of(note))) or Bucketed()
