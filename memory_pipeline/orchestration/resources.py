"""What the assets need from outside: settings, and the surroundings of a stage for this run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import dagster as dg

from memory_pipeline import telemetry
from memory_pipeline.orchestration.processes.marks import alive
from memory_pipeline.orchestration.processes.stage_contexts import stage_context
from memory_pipeline.settings import Settings

if TYPE_CHECKING:
    from memory_pipeline.stages.context import StageContext


class Pipeline(dg.ConfigurableResource):  # type: ignore[type-arg]
    """Opens the stores and models that the settings name; one set of them for all steps of a run."""

    home: str | None = None
    chat_batch: bool = False
    accept: list[str] = []  # audits that may fail: see ``memory-pipeline run --accept``

    @contextmanager
    def yield_for_execution(self, context: dg.InitResourceContext) -> Iterator[Pipeline]:
        """The resource of a run, or of a sensor's tick. While a run has it, the run counts as alive."""
        if context.run is None:
            yield self
            return
        with alive(self.settings(), context.run.run_id):
            try:
                yield self
            finally:
                telemetry.flush()

    def settings(self) -> Settings:
        """Settings from the environment, with this resource's home, and the Batch API, where it names them."""
        return Settings.load(home=self.home, chat_batch=self.chat_batch or None)

    def stage_context(self, run_id: str) -> StageContext:
        """Surroundings of a run; steps of one process share them, and so the encoder and its vectors."""
        return stage_context(run_id, self.home, self.chat_batch, self.accept)
