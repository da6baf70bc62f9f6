"""The protocol of an engine (a function and what it is to be applied to, results in order), and the local one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from memory_pipeline.settings import Settings
    from memory_pipeline.stages.context import StageContext

T = TypeVar("T")
R = TypeVar("R")


class Engine(Protocol):
    """Anything that applies a stage's function to many things.

    Attributes:
        buckets: into how many buckets of users the work on some days is best split.
    """

    @property
    def buckets(self) -> int: ...

    def map(self, ctx: StageContext, function: Callable[[StageContext, T], R], items: Iterable[T]) -> Iterator[R]:
        """Results of a function for some items, in their order. The next items are asked for while it works on others.

        Args:
            function: of a module, not a closure. It may run more than once for an item, in a process that ends at any
                moment, with surroundings like ``ctx``; what it writes must come to the same each time.

        Raises:
            MemoryPipelineError: what the function raises; nothing more is begun.
        """
        ...

    def close(self) -> None:
        """Let go of what the engine holds; it may be used again."""
        ...

    def describe(self) -> str:
        """What it is and where, in a few words.

        Raises:
            SettingsError, EngineError: it cannot be used.
        """
        ...


class LocalEngine:
    """One item after another, in this process."""

    @property
    def buckets(self) -> int:
        return 1

    def map(self, ctx: StageContext, function: Callable[[StageContext, T], R], items: Iterable[T]) -> Iterator[R]:
        """See :meth:`Engine.map`."""
        return (function(ctx, item) for item in items)

    def close(self) -> None:
        """It holds nothing."""

    def describe(self) -> str:
        """See :meth:`Engine.describe`."""
        return "local: in the process of the run"


LOCAL = LocalEngine()


def open_engine(settings: Settings) -> Engine:
    """The engine of ``MEMORY_PIPELINE_ENGINE``; Ray is looked for when it is first asked.

    Requests that go through a Batch API are sent by one process: it waits for a provider, and not for processors.
    """
    if settings.engine == "local" or settings.chat_batch:
        return LOCAL
    from memory_pipeline.stages.engines.ray_engine import RayEngine

    return RayEngine(settings)
