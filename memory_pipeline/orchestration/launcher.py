"""Dagster's run launcher, which also notices runs whose process has died together with the code server."""

from __future__ import annotations

from dagster import DagsterRun
from dagster._core.launcher import CheckRunHealthResult, DefaultRunLauncher, WorkerStatus

from memory_pipeline.orchestration.processes.marks import has_died
from memory_pipeline.settings import Settings


class WatchedRunLauncher(DefaultRunLauncher):
    """Launches runs in the code server, as Dagster's default does. The default cannot tell run monitoring whether a
    run's process is there: when the server itself goes down (a container is restarted), its runs stay "started"."""

    @property
    def supports_check_run_worker_health(self) -> bool:
        return True

    def check_run_worker_health(self, run: DagsterRun) -> CheckRunHealthResult:
        """Failed when the run's process is known to be gone, else running: also where nothing is known of it."""
        died = has_died(Settings.load(), run.run_id)
        return CheckRunHealthResult(
            WorkerStatus.FAILED if died else WorkerStatus.RUNNING, "its process has died" if died else None
        )
