"""How long stages took in earlier runs, as Dagster has measured it: what a forecast of time rests on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import dagster as dg

from memory_pipeline.settings import Settings

if TYPE_CHECKING:
    from memory_pipeline.storage.parquet.lake import Lake

_RUNS = 20  # the latest: prompts, models and the machine change


@dataclass(frozen=True, slots=True)
class Durations:
    """Seconds for a partition, by stage.

    Attributes:
        runs: how many runs they were measured in.
    """

    seconds: Mapping[str, float] = field(default_factory=dict)
    runs: int = 0


def measured(settings: Settings, lake: Lake) -> Durations:
    """What the latest runs of a home took; nothing where none has left its times. Nothing is written."""
    from memory_pipeline.orchestration.dagster_home.instance import folder, instance

    if settings.postgres_url is None and not (folder(settings) / "dagster.yaml").exists():
        return Durations()
    with instance(settings) as dagster:
        records = dagster.get_run_records(dg.RunsFilter(statuses=[dg.DagsterRunStatus.SUCCESS]), limit=_RUNS)
        ids = [record.dagster_run.run_id for record in records]
        taken = {
            run_id: {
                s.step_key: (s.end_time or 0.0) - (s.start_time or 0.0) for s in dagster.get_run_step_stats(run_id)
            }
            for run_id in ids
        }
    rows = lake.sql(
        "SELECT run_id, stage, count(*) AS partitions FROM made WHERE run_id IN (SELECT unnest($runs)) GROUP BY ALL",
        {"runs": ids},
    ).to_pylist()
    return per_partition(taken, ((row["run_id"], row["stage"], row["partitions"]) for row in rows))


def per_partition(taken: Mapping[str, Mapping[str, float]], made: Iterable[tuple[str, str, int]]) -> Durations:
    """Seconds for a partition, by stage.

    Args:
        taken: seconds by run and stage.
        made: run, stage, and how many partitions it made of it.
    """
    seconds: dict[str, float] = {}
    partitions, runs = Counter[str](), set()
    for run_id, stage, count in made:
        if stage in taken.get(run_id, {}):
            seconds[stage] = seconds.get(stage, 0.0) + max(taken[run_id][stage], 0.0)
            partitions[stage] += count
            runs.add(run_id)
    return Durations({stage: seconds[stage] / partitions[stage] for stage in partitions}, len(runs))
