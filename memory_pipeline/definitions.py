"""What Dagster loads."""

from __future__ import annotations

import dagster as dg

from memory_pipeline.orchestration.alerts.sensors import SENSORS
from memory_pipeline.orchestration.assets import evaluation, isolation, maintenance, session_summaries, transcripts
from memory_pipeline.orchestration.assets.checks import all_checks
from memory_pipeline.orchestration.assets.freshness_policies import watched
from memory_pipeline.orchestration.assets.rate_checks import rate_checks
from memory_pipeline.orchestration.assets.stages import ASSETS
from memory_pipeline.orchestration.automation import JOBS, SCHEDULES, inbox_sensor
from memory_pipeline.orchestration.metadata.panel_links import with_panel_link
from memory_pipeline.orchestration.processes.waiting import wait_patiently
from memory_pipeline.orchestration.resources import Pipeline

wait_patiently()
defs = dg.Definitions(
    assets=[
        asset.map_asset_specs(watched).map_asset_specs(with_panel_link)
        for asset in (
            transcripts.transcripts,
            *ASSETS,
            session_summaries.session_summaries,
            evaluation.evaluation,
            isolation.isolation,
            maintenance.maintenance,
        )
    ],
    asset_checks=[
        *all_checks(),
        *rate_checks(),
        evaluation.fixtures_are_good_enough,
        maintenance.store_size,
        maintenance.file_count,
    ],
    jobs=JOBS,
    schedules=SCHEDULES,
    sensors=[inbox_sensor, *SENSORS],
    resources={"pipeline": Pipeline()},
    # A step costs five seconds in a process of its own and a twentieth of one in the run's process (measured).
    executor=dg.in_process_executor,
)
