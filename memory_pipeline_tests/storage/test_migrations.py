"""Files of older versions are read as the present one has them; what is newer is refused, never guessed at."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from memory_pipeline.domain.derived.summary import Summary, SummaryGrain
from memory_pipeline.domain.proposal import Outcome, Verdict
from memory_pipeline.errors import SchemaTooNew
from memory_pipeline.storage.parquet.arrow_rows import from_table, to_table
from memory_pipeline.storage.parquet.files import NOTES
from memory_pipeline.storage.parquet.lake import Lake
from memory_pipeline.storage.parquet.migrations import MIGRATIONS, steps, upgraded
from memory_pipeline.storage.parquet.schemas import DATASETS, KeptVector, Link, Recall
from memory_pipeline.storage.parquet.versions import NOTE, Versions
from memory_pipeline.storage.queries.costs import entry
from memory_pipeline_tests import factories
from memory_pipeline_tests.storage.older import LATER, first_version, written

DAY = factories.NOON.date()
LINK = Link("lnk_1", "t", "u", DAY, "mem_1", "mem_2", "related", 0.5, "words", "aa", "bb")
SUMMARY = Summary(
    "sum_1", "t", "u", SummaryGrain.DAY, DAY, "A day.", ("m",), (), "h", factories.NOON, "p", "x", "r", factories.NOON
)
RECALL = Recall(
    "rec_1", "t", "u", DAY, "search", "q", "mem_1", "semantic", 0, 0.5, None, None, "default", "x", 1.0, factories.NOON
)
ROWS: dict[str, Any] = {
    "proposals": factories.proposal(),
    "verdicts": Verdict("vdt_1", "prp_1", "t", "u", DAY, Outcome.ACCEPTED, "add", (), "mem_1"),
    "memory_versions": factories.memory(),
    "links": LINK,
    "costs": entry(None, None, "extract", "m", "r", factories.NOON, calls=1),
    "recalls": RECALL,
    "summaries": SUMMARY,
    "messages": factories.message(),
    "message_revisions": factories.message(),
    "vectors": KeptVector("k", "t", "u", DAY, "m", b"\0\0\0\0"),
}
# What a step makes of it, where that is not what the present release would write.
MADE = {
    "links": {"reason": "", "source_words": "", "target_words": ""},
    "costs": {"event_day": DAY, "saved_tokens": None, "saved_usd": None, "unfit": None},
}


def test_every_version_has_its_step() -> None:
    """A version without a step would leave files that nobody can read; each step leads one version further."""
    for name, dataset in DATASETS.items():
        assert [m.version for m in MIGRATIONS if m.dataset == name] == list(range(2, dataset.version + 1)), name
    assert {m.dataset for m in MIGRATIONS} == LATER.keys()


@pytest.mark.parametrize("dataset", sorted(LATER))
def test_a_step_leads_to_the_present_columns(dataset: str) -> None:
    old = first_version(dataset, [ROWS[dataset]])
    new = upgraded(dataset, old, 1)
    assert set(new.column_names) == set(DATASETS[dataset].schema.names)
    assert old.column_names == [n for n in DATASETS[dataset].schema.names if n not in LATER[dataset]]  # left alone
    wanted = replace(ROWS[dataset], **MADE.get(dataset, {}))
    assert from_table(new, DATASETS[dataset].noun) == [wanted]
    assert upgraded(dataset, new, DATASETS[dataset].version) is new


def test_a_column_that_came_before_its_version_is_kept() -> None:
    """Summaries of sessions were written for a time under version 1, with their column."""
    table = DATASETS["summaries"].schema.empty_table()
    assert upgraded("summaries", table, 1).column_names == table.column_names


def test_a_staged_file_of_an_older_release_is_read_beside_files_of_today(tmp_path: Path) -> None:
    """The note speaks of published files only, and says of them that none is behind."""
    lake, row = Lake(str(tmp_path)), ROWS["proposals"]
    lake.append("proposals", [replace(row, proposal_id="prp_new", reply_key="k")])
    staged = str(written(str(tmp_path / ".staged" / "run" / "00001"), "proposals", [row], "old"))
    assert lake.versions.uniform("proposals", lake.files("proposals"))
    found = lake.sql(
        "SELECT proposal_id, reply_key FROM proposals ORDER BY proposal_id",
        files={"proposals": ("proposals", [*lake.files("proposals"), staged])},
    )
    assert dict(zip(found["proposal_id"].to_pylist(), found["reply_key"].to_pylist(), strict=True)) == {
        row.proposal_id: None,
        "prp_new": "k",
    }


@pytest.mark.parametrize("dataset", ["links", "costs", "proposals"])
def test_every_way_of_reading_sees_old_files_as_new_ones(tmp_path: Path, dataset: str) -> None:
    """Beside files of today, through SQL, as columns and when rows are amended."""
    row, noun = ROWS[dataset], DATASETS[dataset].noun
    key = next(name for name in DATASETS[dataset].key if name.endswith("_id") and name not in ("tenant_id", "user_id"))
    newer = replace(row, **{key: "zz"})
    old = written(str(tmp_path), dataset, [row], "old")
    Lake(str(tmp_path)).append(dataset, [newer])
    lake = Lake(str(tmp_path))
    wanted = replace(row, **MADE.get(dataset, {}))
    assert sorted(lake.read(dataset, noun), key=lambda r: getattr(r, key) == "zz") == [wanted, newer]
    found = lake.columns(dataset, lake.files(dataset), DATASETS[dataset].schema.names)
    assert {getattr(r, key): r for r in from_table(found, noun)} == {getattr(row, key): wanted, "zz": newer}
    only = lake.sql(f"SELECT * FROM given_{dataset}", files={f"given_{dataset}": (dataset, [str(old)])})
    assert from_table(only.select(DATASETS[dataset].schema.names), noun) == [wanted]
    amended = replace(wanted, tenant_id="other")
    lake.amend(dataset, [amended], [key])
    assert pq.read_schema(old).metadata[b"memory_pipeline.schema_version"] == str(DATASETS[dataset].version).encode()
    assert amended in lake.read(dataset, noun)


def test_a_lake_of_the_present_version_asks_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lake = Lake(str(tmp_path))
    lake.append("links", [LINK])
    monkeypatch.setattr(Versions, "of_files", lambda *_: pytest.fail("a file's metadata was read"))
    assert Lake(str(tmp_path)).read("links", Link) == lake.read("links", Link) == [LINK]
    assert Lake(str(tmp_path)).versions.span("links").oldest == 2 and steps("links", 1)


def test_a_lake_of_a_newer_release_is_refused_at_once(tmp_path: Path) -> None:
    """By processes that opened it before, too; for reading and for writing."""
    lake = Lake(str(tmp_path))
    lake.append("links", [LINK])
    place = tmp_path / NOTES / NOTE
    note = json.loads(place.read_text())
    note["written_by"] = "9.1.0"
    note["datasets"]["links"]["newest"] = 3
    place.unlink()
    place.write_text(json.dumps(note))
    for opened in (lake, Lake(str(tmp_path))):
        for _ in range(2):  # not the first time only
            with pytest.raises(
                SchemaTooNew, match=r"version 3 of links; .*install memory-pipeline 9\.1\.0 or newer"
            ) as refused:
                opened.read("links", Link)
            assert (refused.value.written_by, refused.value.version) == ("9.1.0", 3)
            with pytest.raises(SchemaTooNew):
                opened.append("links", [LINK])
    assert len(list((tmp_path / "links").rglob("*.parquet"))) == 1


def test_a_newer_file_without_a_note_is_refused(tmp_path: Path) -> None:
    path = written(str(tmp_path), "links", [LINK])
    table = pq.read_table(path, partitioning=None)
    pq.write_table(table.replace_schema_metadata({"memory_pipeline.schema_version": "3"}), path)
    with pytest.raises(SchemaTooNew, match="version 3 of links") as refused:
        Lake(str(tmp_path)).read("links", Link)
    known = refused.value
    assert (known.dataset, known.version, known.supported) == ("links", 3, DATASETS["links"].version)
    assert known.path is not None and known.path.endswith(".parquet") and known.written_by is None


@pytest.mark.parametrize("note", [b"", b"{", b"[]", b'{"form": 1}', b'{"form": 1, "datasets": {"links": 3}}'])
def test_a_damaged_note_is_as_none(tmp_path: Path, note: bytes) -> None:
    written(str(tmp_path), "links", [LINK])
    (tmp_path / NOTES).mkdir()
    (tmp_path / NOTES / NOTE).write_bytes(note)
    lake = Lake(str(tmp_path))
    assert [link.reason for link in lake.read("links", Link)] == [""]
    lake.append("links", [replace(LINK, link_id="lnk_2")])
    assert (lake.versions.span("links").oldest, lake.versions.span("links").newest) == (1, 2)


def test_an_old_file_that_is_replaced_or_removed_while_it_is_read_is_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By maintenance, which rolls it up, or by a migration, which writes it anew under its name."""
    old = written(str(tmp_path), "links", [LINK], "old")
    lake, wanted = Lake(str(tmp_path)), replace(LINK, **MADE["links"])
    read_schema, read_table = pq.read_schema, pq.read_table

    def gone(path: str, **given: Any) -> Any:
        monkeypatch.setattr(pq, "read_schema", read_schema)
        old.rename(old.with_name("other.parquet"))
        return read_schema(path, **given)

    monkeypatch.setattr(pq, "read_schema", gone)
    assert lake.read("links", Link) == [wanted] and not old.exists()

    newer = replace(LINK, reason="said together", source_words="a", target_words="b")
    place = old.with_name("other.parquet")

    def raised(path: str, **given: Any) -> Any:
        monkeypatch.setattr(pq, "read_table", read_table)
        place.write_bytes(lake.encoded("links", to_table([newer], Link)))
        return read_table(path, **given)

    monkeypatch.setattr(pq, "read_table", raised)
    found = lake.columns("links", [str(place)], DATASETS["links"].schema.names)
    assert from_table(found, Link) == [newer]
    monkeypatch.setattr(pq, "read_table", read_table)

    place.unlink()
    place = written(str(tmp_path), "links", [LINK], "third")

    def removed(path: str, **given: Any) -> Any:
        monkeypatch.setattr(pq, "read_table", read_table)
        place.rename(place.with_name("fourth.parquet"))
        return read_table(path, **given)

    monkeypatch.setattr(pq, "read_table", removed)
    assert lake.read("links", Link) == [wanted] and not place.exists()
