"""One budget and one number of calls under way for all workers of a run, in an actor of the cluster.

On one machine these live in the process that asks. The ledger of costs, which several processes share, tells what was
spent and not what is under way; a file with locks would be asked before every call, by machines that may have nothing
in common but object storage. Ray has a place for just that: an actor, which lives as long as the run and answers in
turn.
"""

from __future__ import annotations

import asyncio
import os
from collections import defaultdict
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from memory_pipeline.errors import BudgetExceeded
from memory_pipeline.inference.budget import Budget
from memory_pipeline.stages.engines.ray_task import Surroundings

if TYPE_CHECKING:
    from datetime import date

    from memory_pipeline.storage.parquet.schemas import Cost


class ModelDesk:
    """The actor. A task that is begun again gives back what its first attempt still held."""

    def __init__(self, given: Surroundings) -> None:
        from memory_pipeline.stages.context import StageContext

        os.environ.update(given.environment)
        ctx = StageContext(given.settings, given.run_id, given.now)
        self._ctx = ctx
        self._slots = asyncio.Semaphore(given.settings.chat_concurrency)
        self._held: dict[str, dict[str, AsyncExitStack]] = defaultdict(dict)

    async def attempt(self, task: str, at: Any) -> None:
        """Begin a task, or begin it again."""
        self._ctx.set_clock(at)
        await self._release(task)

    async def begin(self, task: str, call: str, usd: float | None) -> BudgetExceeded | None:
        """Wait for a place, and for money where a call costs any. Returns why the call may not be made."""
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(self._slots)
            try:
                await stack.enter_async_context(self._ctx.budget.reserved(usd))
            except BudgetExceeded as error:
                return error
            self._held[task][call] = stack.pop_all()
        return None

    async def end(self, task: str, call: str) -> None:
        """Give back the place and the rest of the money."""
        held = self._held[task].pop(call, None)
        if held is not None:
            await held.aclose()

    async def release_all(self) -> None:
        """Give back everything: the tasks were stopped."""
        for task in list(self._held):
            await self._release(task)

    async def spent(self) -> float:
        """See :meth:`Budget.spent`."""
        return self._ctx.budget.spent()

    async def check(self, usd: float) -> BudgetExceeded | None:
        """Why a call of at most so much may not start now."""
        try:
            self._ctx.budget.check(usd)
        except BudgetExceeded as error:
            return error
        return None

    async def note(self, entries: Sequence[Cost]) -> None:
        """See :meth:`Budget.note`."""
        self._ctx.budget.note(entries)

    async def _release(self, task: str) -> None:
        for held in self._held.pop(task, {}).values():
            await held.aclose()


class DeskBudget(Budget):
    """The budget of a worker: it asks the actor."""

    _desk: Any = None
    _task: str = ""
    _hosted: bool = True

    def attend(self, desk: Any, task: str, *, hosted: bool) -> None:
        """Ask in the name of a task from now on.

        Args:
            hosted: whether chat requests leave the machine; the embedded model's wait for nobody.
        """
        import ray

        self._desk, self._task, self._hosted = desk, task, hosted
        ray.get(desk.attempt.remote(task, self.clock()))

    def spent(self) -> float:
        import ray

        found: float = ray.get(self._desk.spent.remote())
        return found

    def note(self, entries: Iterable[Cost]) -> None:
        import ray

        ray.get(self._desk.note.remote(list(entries)))

    def check(self, usd: float) -> None:
        import ray

        _raise(ray.get(self._desk.check.remote(usd)))

    @asynccontextmanager
    async def reserved(self, usd: float | None) -> AsyncIterator[None]:
        if not self._hosted:
            yield
            return
        call = uuid4().hex
        _raise(await self._desk.begin.remote(self._task, call, usd))
        try:
            yield
        finally:
            await self._desk.end.remote(self._task, call)

    def exceeded(self, usd: float = 0.0, still_open: int = 0) -> BudgetExceeded:
        self._day, self._spent = self._today(), self.spent()
        return super().exceeded(usd, still_open)

    def _today(self) -> date:
        return self.clock().date()


def _raise(error: BudgetExceeded | None) -> None:
    if error is not None:
        raise error
