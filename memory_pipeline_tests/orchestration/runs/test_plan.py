"""As few runs as can be for what is stale, and nothing else in them."""

from __future__ import annotations

from datetime import date

from memory_pipeline.domain.calendar import Grain
from memory_pipeline.orchestration.runs.plan import Step, _steps

FIRST, SECOND, THIRD = date(2026, 3, 2), date(2026, 3, 9), date(2026, 11, 30)


def test_partitions_far_apart_are_one_run() -> None:
    (step,) = _steps({"lifecycle": {THIRD, FIRST}})
    assert step == Step(Grain.DAY, {"lifecycle": (FIRST, THIRD)})
    assert (step.first, step.last, step.stages) == (FIRST, THIRD, ("lifecycle",))


def test_stages_share_a_run_where_it_begins_and_ends_alike_and_keep_their_own_partitions() -> None:
    wanted = {
        "memory_links": {FIRST, SECOND, THIRD},
        "memory_vectors": {FIRST, THIRD},
        "daily_summaries": {FIRST, SECOND},
    }
    assert _steps(wanted) == [
        Step(Grain.DAY, {"memory_vectors": (FIRST, THIRD), "memory_links": (FIRST, SECOND, THIRD)}),
        Step(Grain.DAY, {"daily_summaries": (FIRST, SECOND)}),
    ]


def test_days_come_before_weeks_and_what_rests_on_something_after_it() -> None:
    wanted = {"weekly_summaries": {FIRST}, "reflections": {FIRST, SECOND}, "patterns": {SECOND}, "memories": {THIRD}}
    assert [(step.grain, step.stages) for step in _steps(wanted)] == [
        (Grain.DAY, ("memories",)),
        (Grain.WEEK, ("patterns",)),
        (Grain.WEEK, ("reflections",)),
        (Grain.WEEK, ("weekly_summaries",)),
    ]
