"""Workers of a cluster that die: of every stage the first one, in the middle of what it writes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.faults.boundaries import Watch, die, install
from memory_pipeline.settings import Settings
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.engines.ray_engine import RayEngine
from memory_pipeline.storage.parquet.files import Files

_MIDDLE = 3  # of the write boundaries that a worker passes


@dataclass
class Dying:
    """A stage's function whose first worker dies in the middle of what it writes, or at the end of a work that writes
    nothing.

    Attributes:
        notes: folder in which is noted what has died, for the workers that come after.
    """

    function: Callable[[StageContext, Any], Any]
    notes: str

    def __post_init__(self) -> None:
        self.__name__ = self.function.__name__

    def __call__(self, ctx: StageContext, item: Any) -> Any:
        note = Path(self.notes) / self.__name__
        try:
            note.touch(exist_ok=False)
        except FileExistsError:
            return self.function(ctx, item)
        if ctx.settings.remote:
            Files.put = _last(Files.put)  # type: ignore[method-assign]
        else:
            install(Watch(ctx.settings.home, at=_MIDDLE))
        self.function(ctx, item)
        die()


def _last(put: Callable[..., None]) -> Callable[..., None]:
    """An object is written whole or not at all: the worker dies when the first of several is there."""

    def put_and_die(files: Files, path: str, data: bytes) -> None:
        put(files, path, data)
        die()

    return put_and_die


class DyingEngine(RayEngine):
    """Ray, with a worker of every stage killed."""

    def __init__(self, settings: Settings, notes: str) -> None:
        super().__init__(settings)
        self._notes = notes

    def map(
        self, ctx: StageContext, function: Callable[[StageContext, Any], Any], items: Iterable[Any]
    ) -> Iterator[Any]:
        """See :meth:`RayEngine.map`."""
        return super().map(ctx, Dying(function, self._notes), items)
