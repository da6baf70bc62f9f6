"""Two back-fills at once, over days and users that overlap: what they leave is what one leaves."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import dagster as dg
import pytest

from memory_pipeline.definitions import defs
from memory_pipeline.domain.ledger.memory import MemoryVersion, fold
from memory_pipeline.orchestration.dagster_home.instance import instance
from memory_pipeline.orchestration.partitions import range_tags
from memory_pipeline.settings import Settings
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.publication.audit import index_matches_ledger, nothing_but_the_ledger_is_indexed
from memory_pipeline_tests.factories import message

FIRST = datetime(2026, 3, 9, 12, tzinfo=UTC)
SAID = ("I live in Lisbon.", "I have a dog called Max.", "I moved to Porto.", "I live in Porto. I like green tea.")
# As Dagster's queue starts a back-fill: one run over a range of partitions, waiting for its place in the pools.
BACK_FILL = """
import sys
import dagster as dg
from memory_pipeline.definitions import defs
from memory_pipeline.orchestration.dagster_home.instance import instance
from memory_pipeline.orchestration.partitions import range_tags
from memory_pipeline.settings import Settings
from datetime import date

first, last = map(date.fromisoformat, sys.argv[1:])
keys = [dg.AssetKey(name) for name in ("proposals", "memories", "memory_vectors")]
job = defs.resolve_implicit_global_asset_job_def()
with instance(Settings.load()) as dagster:
    print("ready", flush=True)
    sys.stdin.readline()
    done = job.execute_in_process(instance=dagster, asset_selection=keys, tags=range_tags(first, last))
sys.exit(0 if done.success else 1)
"""


def _home(folder: Path) -> Settings:
    settings = Settings(home=str(folder))
    said = [
        message(text, FIRST + timedelta(days=n), message_id=f"{user}-{n}", user_id=user, session_id=f"{user}-{n}")
        for user in ("u", "v")
        for n, text in enumerate(SAID)
    ]
    StageContext(settings, "said", FIRST).lake.append("messages", said)
    return settings


def _back_fills_at_once(settings: Settings, *spans: tuple[int, int]) -> None:
    """Back-fills over days of the tests' March, all begun at the same moment."""
    environment = {**os.environ, "MEMORY_PIPELINE_HOME": settings.home, "DAGSTER_HOME": ""}
    started = [_started(environment, [f"{(FIRST + timedelta(days=n)).date()}" for n in span]) for span in spans]
    for process in started:
        assert process.stdout is not None and process.stdout.readline() == "ready\n"
    for process in started:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    for process in started:
        _, said = process.communicate(timeout=180)
        assert process.returncode == 0, said[-3000:]


def _started(environment: dict[str, str], days: Sequence[str]) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", BACK_FILL, *days]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(command, env=environment, text=True, **pipes)  # type: ignore[call-overload, no-any-return]


def _state(settings: Settings) -> set[tuple[str, str, str, str, int]]:
    ctx = StageContext(settings, "look", FIRST)
    assert index_matches_ledger(ctx, ctx.lake.days("memory_versions")).ok
    assert nothing_but_the_ledger_is_indexed(ctx).ok
    found = fold(ctx.lake.read("memory_versions", MemoryVersion)).values()
    assert len({(v.user_id, v.content) for v in found}) == len(found), "a memory is there twice"
    return {(v.user_id, v.memory_id, v.version_id, str(v.status), v.version) for v in found}


def test_two_back_fills_at_once_leave_what_one_leaves(tmp_path: Path) -> None:
    one, two = _home(tmp_path / "one"), _home(tmp_path / "two")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MEMORY_PIPELINE_HOME", one.home)
        patch.setenv("DAGSTER_HOME", "")
        with instance(one) as dagster:
            tags = range_tags(FIRST.date(), (FIRST + timedelta(days=3)).date())
            job = defs.resolve_implicit_global_asset_job_def()
            keys = [dg.AssetKey(name) for name in ("proposals", "memories", "memory_vectors")]
            assert job.execute_in_process(instance=dagster, asset_selection=keys, tags=tags).success
    _back_fills_at_once(two, (1, 3), (0, 2))
    wanted = _state(one)
    assert {user for user, *_ in wanted} == {"u", "v"} and "superseded" in {status for *_, status, _ in wanted}
    assert _state(two) == wanted
    with dg.DagsterInstance.from_config(two.path("dagster")) as left:
        assert [run.status for run in left.get_runs()] == 2 * [dg.DagsterRunStatus.SUCCESS]
        pool = left.event_log_storage.get_concurrency_info("memories")
        assert pool.slot_count == 1 and not pool.claimed_slots and not pool.pending_steps
