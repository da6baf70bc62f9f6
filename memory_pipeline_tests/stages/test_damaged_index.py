"""A file of the index is gone or damaged: one clear line, reads go on, and what writes makes the table again."""

from __future__ import annotations

import logging
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from memory_pipeline.cli.operations import doctor
from memory_pipeline.errors import IndexDamaged
from memory_pipeline.retrieval.reader import MemoryReader
from memory_pipeline.stages.operations.index_repair import damages, repair
from memory_pipeline.stages.operations.maintain import maintain
from memory_pipeline.stages.plan import freshness
from memory_pipeline.stages.plan.registry import BY_NAME
from memory_pipeline.storage.vectors.index import TABLES
from memory_pipeline_tests.factories import residence
from memory_pipeline_tests.stages.curated import Home, at, dog


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with memories in two versions of their table."""
    home = Home(tmp_path_factory.mktemp("damaged") / "home")
    home.say(residence("Lisbon", at(0)), dog(1))
    home.say(dog(3, "Has a dog called Rex."))
    ctx, stage = home.context(), BY_NAME["memory_vectors"]
    freshness.record(ctx, stage, freshness.inputs(ctx, stage), ctx.lake.days("memory_versions"), {})
    return home.folder


@pytest.fixture
def home(made: Path, tmp_path: Path) -> Home:
    return Home(Path(shutil.copytree(made, tmp_path / "home")))


def _table(home: Home) -> Path:
    return Path(home.context().index.place("memories"))


def _manifests(home: Home) -> list[Path]:
    return sorted(_table(home).glob("_versions/*.manifest"))  # the newest first


def _cut_manifest(home: Home) -> None:
    os.truncate(_manifests(home)[0], 30)


def _no_manifest(home: Home) -> None:
    _manifests(home)[0].unlink()


def _no_newest_file(home: Home) -> None:
    max(_table(home).glob("data/*"), key=lambda path: path.stat().st_mtime_ns).unlink()


def _no_indexes(home: Home) -> None:
    shutil.rmtree(_table(home) / "_indices")


def _cut_every_file(home: Home) -> None:
    for path in _table(home).glob("data/*"):
        os.truncate(path, 100)


def _flip(home: Home) -> None:
    for path in _table(home).glob("data/*"):
        data = bytearray(path.read_bytes())
        data[60:260] = b"\xff" * 200
        path.write_bytes(data)


def _no_table(home: Home) -> None:
    shutil.rmtree(_table(home))


ALL = [_cut_manifest, _no_manifest, _no_newest_file, _no_indexes, _cut_every_file, _flip, _no_table]
LEAVING_SOMETHING = [_cut_manifest, _no_newest_file, _no_indexes]


def _fresh(home: Home) -> MemoryReader:
    return MemoryReader(home.settings, encoder=home.encoder, clock=lambda: home.now, seed=1)


@pytest.mark.parametrize("harm", ALL)
def test_doctor_names_the_file_and_what_to_do_and_repair_makes_the_table_again(
    home: Home, harm: Callable[[Home], None]
) -> None:
    rows = home.context().index.all("memories", ["memory_id", "version_id", "vector"]).sort_by("memory_id")
    harm(home)
    look = dict(doctor.checks_of(home.context()))["index"]
    ok, detail = look()
    assert not ok and str(_table(home)) in detail and "memory-pipeline run" in detail
    assert list(repair(home.context(), whole=True)) == ["memories"]
    assert dict(doctor.checks_of(home.context()))["index"]()[0] and damages(home.context(), whole=True) == {}
    assert home.context().index.all("memories", rows.column_names).sort_by("memory_id") == rows
    assert repair(home.context(), whole=True) == {}


@pytest.mark.parametrize("harm", LEAVING_SOMETHING)
def test_reads_see_the_last_sound_version_and_say_so(
    home: Home, harm: Callable[[Home], None], caplog: pytest.LogCaptureFixture
) -> None:
    harm(home)
    reader = _fresh(home)
    with caplog.at_level(logging.WARNING):
        found = [item.content for item in reader.search("dog", **home.owner)]
        reader.search("where", **home.owner)
    assert "Has a dog called Max." in found
    told = [r.getMessage() for r in caplog.records if "is damaged" in r.getMessage()]
    assert len(told) == 1 and str(_table(home)) in told[0] and "doctor --repair" in told[0]
    repair(home.context())
    assert "Has a dog called Rex." in [item.content for item in reader.search("dog", **home.owner)]


def test_nothing_that_was_taken_back_since_is_seen_again(home: Home) -> None:
    home.curator.forget(home.id("Has a dog called Max."), **home.owner)
    _cut_manifest(home)
    with pytest.raises(IndexDamaged, match=r"memories\.lance is damaged .*: run `memory-pipeline run`"):
        _fresh(home).search("dog", **home.owner)


def test_where_nothing_is_sound_a_read_fails_in_one_line(home: Home) -> None:
    _cut_every_file(home)
    with pytest.raises(IndexDamaged) as raised:
        _fresh(home).search("dog", **home.owner)
    assert len(str(raised.value).splitlines()) == 1 and str(_table(home)) in str(raised.value)
    assert (raised.value.path, raised.value.table) == (str(_table(home)), "memories") and raised.value.reason


def test_maintenance_makes_a_damaged_table_again_first(home: Home) -> None:
    _no_newest_file(home)
    assert maintain(home.context()).done["damaged index"] == {"memories made again": 1}
    assert damages(home.context(), whole=True) == {}
    assert "Has a dog called Rex." in home.found("dog")


def test_a_sound_index_is_left_alone(home: Home) -> None:
    before = {name: home.context().index.version(name) for name in TABLES}
    assert repair(home.context(), whole=True) == {}
    assert {name: home.context().index.version(name) for name in TABLES} == before
