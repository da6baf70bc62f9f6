"""``migrate`` brings files and index tables of older releases to the present versions, without a model."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import lancedb
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from memory_pipeline.cli import app
from memory_pipeline.domain.ledger.memory import MemoryVersion
from memory_pipeline.errors import IndexMismatch
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.operations.migrate import migrate, pending
from memory_pipeline.storage.parquet.files import ROLLED, replaced_by
from memory_pipeline.storage.parquet.lake import Lake
from memory_pipeline.storage.parquet.layouts import checkpoint
from memory_pipeline.storage.parquet.schemas import Link
from memory_pipeline.storage.vectors.index import TABLES, Index
from memory_pipeline_tests import factories
from memory_pipeline_tests.storage.older import first_version, written
from memory_pipeline_tests.storage.test_migrations import LINK
from memory_pipeline_tests.store import Store, WordEncoder


class Mute(WordEncoder):
    """An encoder that must not be asked."""

    def encode(self, texts: object) -> None:  # type: ignore[override]
        pytest.fail("something was encoded")


def context(home: Path, encoder: WordEncoder | None = None) -> StageContext:
    ctx = StageContext(Store(home).settings, "run-m", factories.NOON)
    ctx.encoder = encoder or Mute()
    return ctx


def links(count: int) -> list[Link]:
    """One for each of several days."""
    return [replace(LINK, link_id=f"lnk_{n}", day=LINK.day + timedelta(days=n)) for n in range(count)]


def test_files_take_their_own_place(tmp_path: Path) -> None:
    """Names stay (the checkpoint and rolled-up files know them); so does what the metadata says besides."""
    lake = str(tmp_path / "lake")
    (link,) = links(1)
    path = written(lake, "links", [link], f"{ROLLED}-1")
    table = pq.read_table(path, partitioning=None)
    pq.write_table(table.replace_schema_metadata({**table.schema.metadata, ROLLED: "a.parquet"}), path)
    ctx = context(tmp_path)
    assert [(p.name, p.files) for p in pending(ctx)] == [("links", {1: 1})]
    assert [(p.name, p.files) for p in migrate(ctx)] == [("links", {1: 1})]
    assert pq.read_schema(path).metadata[b"memory_pipeline.schema_version"] == b"2"
    assert replaced_by(ctx.lake.store.fs, str(path)) == {"a.parquet"}
    assert [p.name for p in path.parent.iterdir()] == [path.name]
    assert migrate(context(tmp_path)) == pending(context(tmp_path)) == []
    assert context(tmp_path).lake.versions.span("links").oldest == 2


def test_what_was_stopped_goes_on(tmp_path: Path) -> None:
    for link in links(4):
        written(str(tmp_path / "lake"), "links", [link])
    ctx = context(tmp_path)

    def stop(label: str, done: int, total: int | None) -> None:
        if done == 2:
            raise KeyboardInterrupt

    ctx.progress = stop
    with pytest.raises(KeyboardInterrupt):
        migrate(ctx)
    wanted = [replace(link, reason="", source_words="", target_words="") for link in links(4)]
    assert context(tmp_path).lake.read("links", Link, order="link_id") == wanted
    (entry,) = migrate(context(tmp_path))
    assert entry.files == {1: 2}
    assert context(tmp_path).lake.read("links", Link, order="link_id") == wanted


def test_a_file_that_was_replaced_meanwhile_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (link,) = links(1)
    written(str(tmp_path / "lake"), "links", [link])
    newer = replace(link, reason="words", target_id="mem_9")
    ctx = context(tmp_path)
    encoded = Lake.encoded

    def raced(lake: Lake, *given: object) -> bytes:
        monkeypatch.setattr(Lake, "encoded", encoded)
        Lake(lake.root).replace("links", link.day, [newer])
        return encoded(lake, *given)  # type: ignore[arg-type]

    monkeypatch.setattr(Lake, "encoded", raced)
    migrate(ctx)
    assert context(tmp_path).lake.read("links", Link) == [newer]


def test_the_checkpoint_is_brought_along(tmp_path: Path) -> None:
    store = Store(tmp_path)
    version = store.memory("Lives in Lisbon.")
    (path,) = (tmp_path / "lake" / "memory_versions").rglob("*.parquet")
    assert checkpoint.refresh(store.lake, date(2027, 1, 1)) == 1
    (held,) = (tmp_path / "lake" / ".notes" / "checkpoint").iterdir()
    for old in (path, held):
        pq.write_table(first_version("memory_versions", [version]), old)
    (tmp_path / "lake" / ".notes" / "versions.json").unlink()
    (entry,) = migrate(context(tmp_path))
    assert entry.files == {1: 2}
    assert pq.read_schema(held).metadata[b"memory_pipeline.schema_version"] == b"2"
    assert context(tmp_path).lake.read("memory_versions", MemoryVersion) == [version]


def older_index(store: Store) -> None:
    """The index of homes from before memories had these columns in it."""
    table = lancedb.connect(store.index.uri).open_table("memories")
    table.drop_columns(["timezone", "taken_back"])


def test_an_older_index_gets_its_columns_from_the_lake(tmp_path: Path) -> None:
    """A clear error until then; afterwards the same rows, the same vectors, and new rows fit in."""
    store = Store(tmp_path)
    store.memory("Lives in Lisbon.", timezone="Europe/Lisbon")
    store.memory("Has a cat.", taken_back=("m-1",))
    before = store.index.all("memories", store.index.schema("memories").names).sort_by("memory_id")
    older_index(store)
    with pytest.raises(IndexMismatch, match=r"lacks taken_back, timezone: run `memory-pipeline migrate`"):
        Store(tmp_path).reader().search("Lisbon", user_id="alice")
    ctx = context(tmp_path)
    assert [p.name for p in pending(ctx)] == ["index: memories"]
    migrate(ctx)
    assert pending(context(tmp_path)) == []
    after = Index.open(store.settings, WordEncoder())
    assert after.all("memories", before.column_names).sort_by("memory_id").to_pydict() == before.to_pydict()
    again = Store(tmp_path)
    again.memory("Likes tea.", memory_id="mem_9")
    found = again.reader().search("Lisbon tea", user_id="alice")
    assert {"Lives in Lisbon.", "Likes tea."} <= {item.content for item in found}


def test_turns_and_summaries_of_an_older_index_get_their_classes(tmp_path: Path) -> None:
    """Those of turns follow from the log; a summary that its release has not classified is of the strictest class."""
    store = Store(tmp_path)
    store.messages(
        [("I live in Lisbon.", {}), ("I sue my landlord.", {"metadata": '{"classification": "restricted"}'})]
    )
    store.summary("Moved to Lisbon.", date(2026, 3, 2), classification=None, domains=None, agent_ids=None)
    store.summary("Went to the beach.", date(2026, 3, 3), domains=("leisure",))
    before = {n: store.index.all(n, store.index.schema(n).names).sort_by(TABLES[n].key) for n in TABLES}
    tables = lancedb.connect(store.index.uri)
    tables.open_table("messages").drop_columns(["classification"])
    tables.open_table("summaries").drop_columns(["classification", "domains", "agent_ids"])
    with pytest.raises(IndexMismatch, match=r"lacks classification: run `memory-pipeline migrate`"):
        Store(tmp_path).reader().search("Lisbon", user_id="alice")
    ctx = context(tmp_path)
    assert [p.name for p in pending(ctx)] == ["index: messages", "index: summaries"]
    migrate(ctx)
    after = Index.open(store.settings, WordEncoder())
    turns = after.all("messages", before["messages"].column_names).sort_by("message_key")
    assert turns.to_pydict() == before["messages"].to_pydict()
    reader = Store(tmp_path).reader()
    everything = ["episodic", "narrative"]
    found = reader.search("Lisbon landlord beach", user_id="alice", layers=everything)
    assert {item.content for item in found} == {"I live in Lisbon.", "Went to the beach."}
    found = reader.search(
        "Lisbon landlord beach", user_id="alice", layers=everything, max_classification="confidential"
    )
    assert len(found) == 4
    assert not reader.search("beach", user_id="alice", layers=["narrative"], domain="work")


def test_an_index_of_before_standings_gets_them_from_the_lake(tmp_path: Path) -> None:
    """In view of the turns around them, as they would be indexed now; the vectors stay."""
    store = Store(tmp_path)
    store.conversation(
        ("user", "I will send you a letter to translate."),
        ("assistant", "Sure, go ahead."),
        ("user", "I live in Camelot."),
    )
    store.conversation(("user", "I live in Lisbon. Where is Porto?"), session_id="s-2")
    columns = store.index.schema("messages").names
    before = store.index.all("messages", columns).sort_by("message_key")
    lancedb.connect(store.index.uri).open_table("messages").drop_columns(["spans"])
    with pytest.raises(IndexMismatch, match=r"lacks spans: run `memory-pipeline migrate`"):
        Store(tmp_path).reader().search("Lisbon", user_id="alice")
    ctx = context(tmp_path)
    assert [p.name for p in pending(ctx)] == ["index: messages"]
    migrate(ctx)
    assert pending(context(tmp_path)) == []
    after = Index.open(store.settings, WordEncoder()).all("messages", columns).sort_by("message_key")
    assert after.to_pydict() == before.to_pydict()
    said = {row["content"]: [span["standing"] for span in row["spans"]] for row in after.to_pylist()}
    assert said["I live in Camelot."] == ["foreign"]
    assert said["I live in Lisbon. Where is Porto?"] == ["own", "question"]


def test_an_index_of_a_newer_release_is_refused(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.memory("Lives in Lisbon.")
    lancedb.connect(store.index.uri).open_table("memories").add_columns({"mood": "'fine'"})
    with pytest.raises(IndexMismatch, match=r"does not know \(mood\): install the newer release") as refused:
        Store(tmp_path).reader().search("Lisbon", user_id="alice")
    assert (refused.value.table, refused.value.unknown, refused.value.lacking) == ("memories", ("mood",), ())


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORY_PIPELINE_HOME", str(tmp_path))
    (link,) = links(1)
    written(str(tmp_path / "lake"), "links", [link])
    run = CliRunner()
    assert '"files": {\n        "1": 1\n      }' in run.invoke(app, ["migrate", "--dry-run", "--json"]).stdout
    assert "links" in run.invoke(app, ["migrate"]).stdout
    assert "Everything is of this release." in run.invoke(app, ["migrate"]).stdout
