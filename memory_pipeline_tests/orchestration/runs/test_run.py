"""A run that finds nothing to do says so without loading what makes things."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from memory_pipeline.orchestration.processes.stage_contexts import stage_context
from memory_pipeline.settings import Settings
from memory_pipeline.stages.messages.index_messages import index_messages
from memory_pipeline.stages.plan import freshness
from memory_pipeline.stages.plan.registry import BY_NAME, STAGES
from memory_pipeline_tests.factories import message
from memory_pipeline_tests.orchestration.processes.test_liveness import AT

IDLE = """
import sys
from memory_pipeline.orchestration.runs.run import run
from memory_pipeline.settings import Settings
report = run(Settings.load(home=sys.argv[1]))
print(report.run_ids, report.told)
print(*sorted({"dagster", "lancedb", "spacy"} & sys.modules.keys()))
"""


def test_a_run_with_nothing_to_do_loads_neither_dagster_nor_what_the_stages_work_with(tmp_path: Path) -> None:
    settings = Settings.load(home=str(tmp_path))
    ctx = stage_context("test", str(tmp_path))
    ctx.lake.append("messages", [message("I live in Lisbon.", AT)])
    index_messages(ctx, ctx.lake.days("messages"))
    for stage in STAGES:  # as a run leaves them
        there = freshness.inputs(ctx, stage)
        freshness.record(ctx, stage, there, list(there), {})
    assert not [stage.name for stage in STAGES if freshness.stale(ctx, BY_NAME[stage.name])]
    done = subprocess.run(
        [sys.executable, "-c", IDLE, settings.home], capture_output=True, text=True, timeout=120, check=True
    )
    told, loaded = done.stdout.splitlines()
    assert told == "[] Nothing was stale: nothing was made, and no model was called."
    assert loaded == ""
