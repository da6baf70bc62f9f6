"""The surroundings of a stage for the runs of this process, and who listens to their progress."""

from __future__ import annotations

import atexit
import gc
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from memory_pipeline.settings import Settings

if TYPE_CHECKING:
    from memory_pipeline.stages.context import StageContext

Listener = Callable[[str, int, int | None], None]
_LISTENERS: list[Listener] = []
_OPEN: dict[tuple[str | bool | None, ...], StageContext] = {}


def listen(listener: Listener) -> Callable[[], None]:
    """Have the progress of runs in this process told to a listener. Returns what stops it."""
    _LISTENERS.append(listener)
    return lambda: _LISTENERS.remove(listener)


def _tell(label: str, done: int, total: int | None) -> None:
    for listener in _LISTENERS:
        listener(label, done, total)


def stage_context(run_id: str, home: str | None, chat_batch: bool = False, accept: Sequence[str] = ()) -> StageContext:
    """Surroundings of a run; steps of one process share them, and so the encoder and its vectors.

    Args:
        home: in place of that of the environment.
        chat_batch: ask through the Batch API, whatever the environment says.
        accept: audits that may fail.
    """
    from memory_pipeline.stages.context import StageContext
    from memory_pipeline.stages.engines.engine import open_engine

    key = (run_id, home, chat_batch, *accept)
    if key not in _OPEN:
        settings = Settings.load(home=home, chat_batch=chat_batch or None)
        accepted = _accepting(accept)
        _OPEN.clear()
        _OPEN[key] = StageContext(settings, run_id, datetime.now(UTC), _tell, accepted, open_engine(settings))
    return _OPEN[key]


def _accepting(names: Sequence[str]) -> frozenset[str]:
    if not names:  # the audits are as heavy to load as what they look at
        return frozenset()
    from memory_pipeline.stages.publication.auditing import accepting

    return accepting(names)


@atexit.register
def _let_go() -> None:
    """Engines must be gone before the interpreter takes their modules apart, or they complain on stderr."""
    _OPEN.clear()
    gc.collect()  # the traceback of a failed step is a cycle that holds them, too
