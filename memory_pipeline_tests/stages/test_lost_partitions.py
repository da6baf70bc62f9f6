"""What somebody removes behind the pipeline's back is noticed by the plan, and made again as it was."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from datetime import UTC, date, datetime
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from benchmarks.faults.scenario import run_stages
from benchmarks.faults.state import compare, state
from memory_pipeline.cli.operations import doctor
from memory_pipeline.domain.ledger.memory import MemoryVersion
from memory_pipeline.orchestration.dagster_home.broken_databases import broken, put_aside
from memory_pipeline.settings import Settings
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.plan import freshness, registry
from memory_pipeline.storage.parquet.schemas import DATASETS
from memory_pipeline.storage.vectors.index import Index
from memory_pipeline_tests.factories import message
from memory_pipeline_tests.store import WordEncoder

DAYS = [date(2026, 3, 2 + n) for n in range(3)]
SAID = ("I live in Lisbon.", "I work as a nurse.", "I moved to Porto.")
ENCODER = WordEncoder()


def _context(home: Path) -> StageContext:
    ctx = StageContext(Settings.load(home=str(home)), "again", datetime(2026, 4, 20, tzinfo=UTC))
    ctx.encoder = ENCODER
    return ctx


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home in which everything is made."""
    home = tmp_path_factory.mktemp("made")
    ctx = _context(home)
    for n, (day, text) in enumerate(zip(DAYS, SAID, strict=True)):
        at = datetime(day.year, day.month, day.day, 9, tzinfo=UTC)
        ctx.lake.append("messages", [message(text, at, message_id=f"m{n}", session_id=f"s{n}")])
    run_stages(ctx)
    return home


@pytest.fixture
def home(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "home"))


def _stale(home: Path) -> dict[str, list[date]]:
    ctx = _context(home)
    return {stage.name: days for stage in registry.STAGES if (days := freshness.stale(ctx, stage))}


def _dying(work: Callable[..., None], after: int) -> Callable[..., None]:
    calls = count()

    def upsert(*args: Any) -> None:
        if next(calls) == after:
            raise KeyboardInterrupt
        work(*args)

    return upsert


@pytest.mark.parametrize(
    ("dataset", "first"),
    [("windows", "proposals"), ("proposals", "proposals"), ("verdicts", "memories"), ("memory_versions", "memories")],
)
def test_a_partition_that_is_gone_is_noticed(home: Path, dataset: str, first: str) -> None:
    assert _stale(home) == {}
    shutil.rmtree(home / "lake" / dataset / f"day={DAYS[1]}")
    assert _stale(home)[first] == [DAYS[1]]


def test_a_file_of_several_that_is_gone_is_noticed(home: Path) -> None:
    """A ledger's day has a file for each run that added to it."""
    ctx = _context(home)
    (row, *_) = ctx.lake.read("memory_versions", MemoryVersion, days=[DAYS[1]])
    ctx.lake.append("memory_versions", [replace(row, recorded_at=ctx.now)])
    stage = registry.BY_NAME["memories"]
    freshness.record(ctx, stage, freshness.inputs(ctx, stage), DAYS, {})
    assert "memories" not in _stale(home)
    Path(ctx.lake.files("memory_versions", [DAYS[1]])[0]).unlink()
    assert _stale(home)["memories"] == [DAYS[1]]


def test_what_is_gone_is_made_again(home: Path) -> None:
    before = state(_context(Path(shutil.copytree(home, home.with_name("before")))))
    shutil.rmtree(home / "index")
    shutil.rmtree(home / "lake" / "memory_versions")
    shutil.rmtree(home / "lake" / "proposals" / f"day={DAYS[2]}")
    stale = _stale(home)
    assert stale["proposals"] == [DAYS[2]] and stale["memories"] == DAYS
    assert stale["message_vectors"] == stale["memory_vectors"] == DAYS
    with pytest.MonkeyPatch.context() as patch:  # it dies while it fills the index, and the next run goes on
        patch.setattr(Index, "upsert", _dying(Index.upsert, after=2))
        with pytest.raises(KeyboardInterrupt):
            run_stages(_context(home))
    run_stages(_context(home))
    assert _stale(home) == {}
    difference = compare(before, state(_context(home)))
    assert not difference, difference


@pytest.mark.parametrize(
    ("dataset", "check", "told"),
    [
        ("proposals", "partitions", "proposals: 2026-03-03"),
        ("links", "partitions", "memory_links: 2026-03-0"),
        ("summaries", "partitions", "daily_summaries: 2026-03-0"),
        ("replies", "replies", "kept replies are gone of 2026-03-0"),
    ],
)
def test_doctor_names_what_is_gone(home: Path, dataset: str, check: str, told: str) -> None:
    looks = dict(doctor.checks_of(_context(home)))
    assert looks[check]()[0]
    for day in home.glob(f"lake/{dataset}/day=*" if dataset != "proposals" else f"lake/{dataset}/day={DAYS[1]}"):
        shutil.rmtree(day)
    ok, detail = dict(doctor.checks_of(_context(home)))[check]()
    assert not ok and told in detail and ("doctor --repair" in detail or "from a backup" in detail)


def test_broken_databases_of_runs_are_named_and_put_aside(tmp_path: Path) -> None:
    settings = Settings.load(home=str(tmp_path))
    runs, index = (tmp_path / "dagster" / "history" / name for name in ("runs.db", "index.db"))
    runs.parent.mkdir(parents=True)
    with closing(sqlite3.connect(index)) as sound:
        sound.execute("CREATE TABLE a (b)")
    runs.write_bytes(b"no database, whatever its name says")
    ok, detail = dict(doctor.checks_of(_context(tmp_path)))["Dagster's storage"]()
    assert not ok and detail.startswith(f"{runs} cannot be read") and "doctor --repair" in detail
    assert put_aside(settings, datetime(2026, 4, 20, tzinfo=UTC)) == [runs]
    assert sorted(path.name for path in runs.parent.iterdir()) == ["index.db", "runs.db.broken-20260420T000000"]
    assert broken(settings) == []


def test_what_is_counted_exists() -> None:
    """A dataset that is renamed must not make the plan blind."""
    for stage in registry.STAGES:
        for name in stage.holds:
            assert freshness.HELD[name].split(" FROM ")[1].split()[0] in DATASETS
