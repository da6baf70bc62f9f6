"""What the assets need from outside: settings, and the surroundings of a stage for this run."""

from __future__ import annotations

import atexit
import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import dagster as dg

from memory_pipeline import telemetry
from memory_pipeline.orchestration.liveness import alive
from memory_pipeline.settings import Settings

if TYPE_CHECKING:
    from memory_pipeline.stages.context import StageContext

Listener = Callable[[str, int, int | None], None]
_LISTENERS: list[Listener] = []


def listen(listener: Listener) -> Callable[[], None]:
    """Have the progress of runs in this process told to a listener. Returns what stops it."""
    _LISTENERS.append(listener)
    return lambda: _LISTENERS.remove(listener)


def _tell(label: str, done: int, total: int | None) -> None:
    for listener in _LISTENERS:
        listener(label, done, total)


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
        from memory_pipeline.stages.context import StageContext
        from memory_pipeline.stages.publication.auditing import accepting

        key = (run_id, self.home, self.chat_batch, *self.accept)
        if key not in _OPEN:
            accepted = accepting(self.accept)
            _OPEN.clear()
            _OPEN[key] = StageContext(self.settings(), run_id, datetime.now(UTC), _tell, accepted)
        return _OPEN[key]


_OPEN: dict[tuple[str | bool | None, ...], StageContext] = {}


@atexit.register
def _let_go() -> None:
    """Engines must be gone before the interpreter takes their modules apart, or they complain on stderr."""
    _OPEN.clear()
    gc.collect()  # the traceback of a failed step is a cycle that holds them, too
