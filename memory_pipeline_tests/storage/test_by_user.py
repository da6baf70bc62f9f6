"""The layout by user gives the rows that the dataset holds, whatever has happened to it since."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import date, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_pipeline.domain.ids import identifier
from memory_pipeline.domain.scope import Scope
from memory_pipeline.storage.parquet.lake import Lake
from memory_pipeline.storage.parquet.layouts import buckets
from memory_pipeline.storage.parquet.layouts.by_user import files_of, refresh, rows_of
from memory_pipeline.storage.parquet.overlay import on_top_of
from memory_pipeline.storage.parquet.schemas import Link
from memory_pipeline_tests.factories import NOON

USERS = tuple(Scope("t", f"user-{n}") for n in range(7))
FIRST = NOON.date()


def link(user: Scope, day: int, weight: float) -> Link:
    ends = (f"mem_{user.user_id}_{day}", f"mem_{weight}")
    born = FIRST + timedelta(days=day)
    return Link(
        identifier("lnk", *ends), user.tenant_id, user.user_id, born, *ends, "related", weight, "similarity", "a", "b"
    )


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return Lake(str(tmp_path / "lake"))


def put(lake: Lake, day: int, links: Sequence[Link], age: int = 0) -> None:
    """Write a partition, as if it had been an hour and so many seconds ago."""
    lake.replace("links", FIRST + timedelta(days=day), links)
    settle(lake, FIRST + timedelta(days=day), age)


def settle(lake: Lake, day: date, age: int = 0) -> None:
    folder = Path(lake.store.base) / "links" / f"day={day}"
    if folder.exists():
        then = folder.stat().st_mtime - 3600 - age
        os.utime(folder, (then, then))


def stored(lake: Lake, users: Sequence[Scope] = USERS) -> list[tuple[object, ...]]:
    wanted = {scope.user_id for scope in users}
    rows = lake.sql("SELECT * FROM links").to_pylist()
    return sorted(tuple(row.values()) for row in rows if row["user_id"] in wanted)


def laid_out(lake: Lake, users: Sequence[Scope] = USERS) -> list[tuple[object, ...]]:
    columns = lake.sql("SELECT * FROM links LIMIT 0").schema.names
    return sorted(tuple(row.values()) for row in rows_of(lake, "links", users).select(columns).to_pylist())


writes = st.lists(
    st.one_of(
        st.tuples(
            st.integers(0, 5), st.dictionaries(st.integers(0, 6), st.sampled_from([0.25, 0.5, 0.75]), max_size=5)
        ),
        st.integers(0, 4),  # the layout is brought up to the dataset where more partitions than that differ
    ),
    max_size=12,
)


@settings(max_examples=25, deadline=None)
@given(writes)
def test_it_gives_what_the_dataset_holds(tmp_path_factory: pytest.TempPathFactory, steps: list[object]) -> None:
    lake = Lake(str(tmp_path_factory.mktemp("home") / "lake"))
    for n, step in enumerate(steps):
        if isinstance(step, int):
            refresh(lake, "links", loose=step)
        else:
            day, weights = step  # type: ignore[misc]
            put(lake, day, [link(USERS[user], day, weight) for user, weight in weights.items()], n)
        assert laid_out(lake) == stored(lake)
        assert laid_out(lake, USERS[:2]) == stored(lake, USERS[:2])


def test_only_files_of_users_that_changed_are_written(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(buckets, "_ROWS", 2)
    for day in range(4):
        put(lake, day, [link(user, day, 0.5) for user in USERS])
    assert refresh(lake, "links", loose=3) == len(files_of(lake, "links")) > 3
    put(lake, 2, [link(user, 2, 0.25 if user == USERS[3] else 0.5) for user in USERS], age=60)
    assert refresh(lake, "links", loose=0) == 1
    assert laid_out(lake) == stored(lake)


def test_a_few_partitions_may_differ(lake: Lake) -> None:
    put(lake, 0, [link(USERS[0], 0, 0.5)])
    assert refresh(lake, "links") == 0
    assert not files_of(lake, "links")


def test_files_of_before_stay_for_their_readers(lake: Lake) -> None:
    put(lake, 0, [link(USERS[0], 0, 0.5)])
    refresh(lake, "links", loose=0)
    (before,) = files_of(lake, "links")
    put(lake, 0, [link(USERS[0], 0, 0.75)], age=60)
    refresh(lake, "links", timedelta(hours=1), loose=0)
    assert Path(before).exists()
    refresh(lake, "links", loose=0)
    assert not Path(before).exists()


@pytest.mark.parametrize("note", [b"", b"{", b'{"form": 0}', b'{"form": 1, "states": []}'])
def test_without_a_note_it_is_made_again(lake: Lake, note: bytes) -> None:
    put(lake, 0, [link(USERS[0], 0, 0.5)])
    refresh(lake, "links", loose=0)
    lake.store.write_note("by_user.links.json", note)
    assert laid_out(lake) == stored(lake)
    refresh(lake, "links", loose=0)
    assert len(files_of(lake, "links")) == 1
    assert laid_out(lake) == stored(lake)


def test_a_lake_on_top_reads_through_it(lake: Lake) -> None:
    for day in range(3):
        put(lake, day, [link(user, day, 0.5) for user in USERS])
    refresh(lake, "links", loose=0)
    with on_top_of(lake) as top:
        assert laid_out(top) == stored(lake)
        top.replace("links", FIRST, [link(USERS[0], 0, 0.25)])
        assert laid_out(top) == stored(top) != stored(lake)
        assert laid_out(lake) == stored(lake)
