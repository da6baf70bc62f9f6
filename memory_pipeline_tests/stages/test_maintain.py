"""Store maintenance makes the stores smaller and changes nothing that they say."""

from __future__ import annotations

import os
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from memory_pipeline.domain.ids import content_hash
from memory_pipeline.domain.ledger.memory import Cause, Change, Status
from memory_pipeline.domain.message import Message
from memory_pipeline.domain.scope import Scope
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.links.link import link
from memory_pipeline.stages.operations.maintain import Grace, maintain
from memory_pipeline.storage.parquet.files import PARTIAL
from memory_pipeline.storage.parquet.layouts.checkpoint import LEDGER, files_of
from memory_pipeline.storage.queries.ledger import CURRENT
from memory_pipeline.storage.vectors import index_upkeep
from memory_pipeline.storage.vectors.index import vectors_of
from memory_pipeline_tests.store import NOW, Store

DAY = timedelta(days=1)
NONE = Grace(timedelta(0), timedelta(0), timedelta(0))
DAYS, CHECKPOINT = "roll up closed days", "checkpoint of the ledger"


@pytest.fixture
def home(tmp_path: Path) -> Store:
    """Four turns and four memories, written one by one, and what time made of one of them."""
    store = Store(tmp_path)
    for n, town in enumerate(("Lisbon", "Porto", "Graz", "Riga")):
        store.message(f"I was in {town}.", at=NOW - 10 * DAY + n * timedelta(minutes=1))
        held = store.memory(f"Was in {town}.", at=NOW - 10 * DAY + n * timedelta(minutes=1), entities=(town,))
    store.change(held, Change.STALE, status=Status.STALE, cause=Cause.LIFECYCLE)
    return store


def context(home: Store, now: datetime = datetime(2026, 12, 1, tzinfo=UTC)) -> StageContext:
    ctx = StageContext(home.settings, "run-m", now)
    ctx.encoder = home.encoder
    return ctx


def fragments(home: Store) -> set[int]:
    table = context(home).index.table("messages")
    assert table is not None
    return {fragment.fragment_id for fragment in table.to_lance().get_fragments()}


def said(home: Store) -> list[object]:
    """Everything that the stores say."""
    ctx = context(home)
    index = ctx.index.all("memories", ["memory_id", "version_id", "vector"]).sort_by("memory_id")
    return [
        ctx.lake.read("messages", Message),
        ctx.lake.sql(f"{CURRENT} ORDER BY memory_id").to_pylist(),
        index.drop_columns("vector").to_pylist(),
        np.round(vectors_of(index), 6).tolist(),
    ]


def test_nothing_is_said_otherwise(home: Store) -> None:
    before = said(home)
    done = maintain(context(home), NONE).done
    assert done[DAYS]["days rolled up"] == 2 and done[CHECKPOINT]["parts written"] == 1
    assert said(home) == before
    assert len(home.lake.files("messages")) == 1
    assert len(files_of(home.lake, None)) == 1 < len(home.lake.files(LEDGER))
    assert home.lake.store.note("due.json")
    again = maintain(context(home), NONE)
    assert again.done[DAYS] == {"days rolled up": 0, "files removed": 8}
    assert again.after.total.files <= again.before.total.files - 8
    assert said(home) == before
    last = maintain(context(home), NONE)
    assert last.done[DAYS] == {"days rolled up": 0, "files removed": 0} and last.done[CHECKPOINT]["parts written"] == 0


def test_what_may_still_grow_is_left_alone(home: Store) -> None:
    done = maintain(context(home, NOW - 9 * DAY)).done
    assert done[DAYS]["days rolled up"] == 0 and len(home.lake.files("messages")) == 4


def test_files_stay_for_whoever_has_listed_them(home: Store) -> None:
    maintain(context(home))
    assert maintain(context(home)).done[DAYS]["files removed"] == 0


def test_an_edit_after_it_is_found(home: Store) -> None:
    maintain(context(home), NONE)
    (first, *rest) = home.lake.read("messages", Message)
    edited = replace(first, content="edited", content_hash=content_hash("user", "edited"))
    home.lake.amend("messages", [edited], ("message_id",))
    maintain(context(home), NONE)
    assert {m.content for m in home.lake.read("messages", Message)} == {"edited", *(m.content for m in rest)}


def test_late_versions_are_not_hidden_by_the_checkpoint(home: Store) -> None:
    maintain(context(home), NONE)
    late = home.memory("Was in Turin.", at=NOW - 10 * DAY)
    before = said(home)
    maintain(context(home), NONE)
    assert said(home) == before
    rows = home.lake.sql(CURRENT, files={LEDGER: (LEDGER, files_of(home.lake, None))})
    assert late.memory_id in rows["memory_id"].to_pylist()


def test_a_full_fragment_of_the_index_is_not_written_again(home: Store) -> None:
    def compact() -> None:
        context(home).index.optimize(timedelta(0), fragment_rows=4)

    for _ in range(2):  # what is indexed and what is not yet are not put together
        compact()
    (full,) = fragments(home)
    home.message("I was in Turin.")
    compact()
    assert full in fragments(home) and len(fragments(home)) == 2


def test_new_rows_are_indexed_beside_the_bulk_until_they_are_many(home: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def segments_after_a_night(town: str) -> set[int]:
        home.message(f"I was in {town}.")
        context(home).index.optimize(timedelta(0), fragment_rows=4)
        table = context(home).index.table("messages")
        assert table is not None
        dataset = table.to_lance()
        stats = [dataset.stats.index_stats(index.name) for index in dataset.describe_indices()]
        assert stats and all(of["num_unindexed_rows"] == 0 for of in stats)
        return {of["num_segments"] for of in stats}

    monkeypatch.setattr(index_upkeep, "_LATER", 1_000)
    assert [segments_after_a_night(town) for town in ("Turin", "Oslo", "Ghent")] == [{2}, {2}, {2}]
    monkeypatch.setattr(index_upkeep, "_LATER", 0.125)
    assert segments_after_a_night("Cork") == {1}
    held = context(home).index.rows("messages", Scope(**home.owner), ["content"])["content"].to_pylist()
    towns = ("Lisbon", "Porto", "Graz", "Riga", "Turin", "Oslo", "Ghent", "Cork")
    assert sorted(held) == sorted(f"I was in {town}." for town in towns)


def test_what_a_killed_process_left_is_removed_once_it_is_old(home: Store) -> None:
    left = Path(home.settings.path("lake", PARTIAL, "abc.tmp"))
    left.parent.mkdir(parents=True, exist_ok=True)
    left.write_bytes(b"half")
    maintain(context(home))
    assert left.exists()
    day_old = left.stat().st_mtime - 2 * DAY.total_seconds()
    os.utime(left, (day_old, day_old))
    assert maintain(context(home)).done["unfinished files"] == {"files removed": 1}
    assert not left.exists()


def test_a_tag_does_not_keep_an_old_version(home: Store) -> None:
    table = context(home).index.table("messages")
    assert table is not None
    dataset = table.to_lance()
    dataset.tags.create("staged", 1)
    home.message("I was in Turin.")
    context(home).index.optimize(timedelta(0), fragment_rows=8192)
    dataset = context(home).index.table("messages").to_lance()  # type: ignore[union-attr]
    assert not dataset.tags.list() and len(dataset.versions()) == 1


def test_the_stores_are_weighed(home: Store) -> None:
    maintain(context(home), NONE)
    found = maintain(context(home), NONE).after
    folder = Path(home.settings.path())
    files = [
        f
        for store in ("lake", "index")
        for f in (folder / store).rglob("*")
        if f.is_file() and f.suffix != ".lock" and f.parent.name != ".locks"
    ]
    assert found.total == (sum(f.stat().st_size for f in files), len(files))
    assert 0 < found.live_bytes < found.total.bytes


def test_what_time_does_to_memories_makes_no_links_anew(home: Store) -> None:
    ctx = context(home)
    link(ctx, ctx.lake.days(LEDGER))
    entities = ctx.lake.sql("SELECT * FROM entities ORDER BY entity_id").to_pylist()
    assert {row["day"] for row in entities} == {(NOW - 10 * DAY).date()}
    report = link(ctx, [(NOW - 9 * DAY).date()])
    assert not report.entities and not report.others
    assert ctx.lake.sql("SELECT * FROM entities ORDER BY entity_id").to_pylist() == entities
