"""The day's limit for hosted models: no call starts that could take the day's spending over it.

A day is one of UTC, by the time of the call: a run over midnight goes on with the next day's money. What other
processes spend counts as soon as it is in the ledger, which is looked at every few seconds. A call under way counts
with the most that it may cost; when only such reservations stand in the way, a call waits for them to settle.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from datetime import time as time_of_day
from typing import TYPE_CHECKING, Any

from memory_pipeline.errors import BudgetExceeded

if TYPE_CHECKING:
    from memory_pipeline.storage.parquet.lake import Lake
    from memory_pipeline.storage.parquet.schemas import Cost

_LOOK_AGAIN_S = 3.0
_ROUNDING = 1e-9


@dataclass
class Budget:
    """What hosted calls may still cost today.

    Attributes:
        limit: USD a day; None = no limit, then nothing here costs any time. 0 = no hosted call at all.
        clock: time of the calls, UTC.
    """

    limit: float | None
    lake: Lake
    clock: Callable[[], datetime]
    _day: date = date.min
    _spent: float = 0.0
    _known: set[str] = field(default_factory=set)
    _files: set[str] = field(default_factory=set)
    _looked_at: float = float("-inf")
    _reserved: float = 0.0
    _under_way: int = 0
    _waiting: list[asyncio.Future[None]] = field(default_factory=list)

    def spent(self) -> float:
        """USD spent today, by every process."""
        today = self.clock().astimezone(UTC).date()
        if today != self._day:
            self._day, self._spent, self._looked_at = today, 0.0, float("-inf")
            self._known, self._files = set(), set()
        if time.monotonic() - self._looked_at >= _LOOK_AGAIN_S:
            self._look()
        return self._spent

    def left(self) -> float | None:
        """USD that may still be spent today; None without a limit."""
        return None if self.limit is None else max(self.limit - self.spent(), 0.0)

    def note(self, entries: Iterable[Cost]) -> None:
        """Count entries that this process has made, without waiting for the next look at the ledger."""
        for entry in entries:
            self._count(entry.call_id, entry.day, entry.usd)

    def check(self, usd: float) -> None:
        """Make sure that a call of at most ``usd`` may start now.

        Raises:
            BudgetExceeded: it might take the day's spending over the limit.
        """
        if not self._fits(usd):
            raise self.exceeded(usd)

    @asynccontextmanager
    async def reserved(self, usd: float | None) -> AsyncIterator[None]:
        """Hold ``usd`` for a call; what it really cost must have been noted before this ends.

        Args:
            usd: the most that it may cost; None for a call that costs nothing.

        Raises:
            BudgetExceeded: it might take the day's spending over the limit, and no call under way could change that.
        """
        if self.limit is None or usd is None:
            yield
            return
        while not self._fits(usd):
            if not self._under_way:
                raise self.exceeded(usd)
            await self._something_settles()
        self._reserved += usd
        self._under_way += 1
        try:
            yield
        finally:
            self._under_way -= 1
            self._reserved = self._reserved - usd if self._under_way else 0.0
            self._wake()

    def exceeded(self, usd: float = 0.0, still_open: int = 0) -> BudgetExceeded:
        """The error that says what was spent, the limit, what remains open, and when it goes on.

        Args:
            usd: what the call that may not start could have cost.
            still_open: calls that were not made.
        """
        limit = self.limit or 0.0
        facts: dict[str, Any] = {"usd": usd, "spent_usd": self._spent, "limit_usd": limit, "still_open": still_open}
        name = "MEMORY_PIPELINE_BUDGET_USD_PER_DAY"
        if limit == 0:
            told = f"{name}=0 allows no calls to hosted models: raise it, or use the builtin ones"
            return BudgetExceeded(told, **facts)
        remains = f"; model calls still open: {still_open}" if still_open else ""
        if usd > limit:
            told = f"a model call may take {usd:.4f} USD, more than a whole day's budget of {limit:g}"
            return BudgetExceeded(f"{told}: raise {name}{remains}", **facts)
        told = f"the budget of {self._day} (UTC) is spent: {self._spent:.4f} of {limit:g} USD"
        if self._spent < limit:
            told += f", and the next call may take {usd:.4f}"
        return BudgetExceeded(
            f"{told}{remains}; what was paid for is kept, and a run after 00:00 UTC goes on from there",
            resumes_at=datetime.combine(self._day + timedelta(days=1), time_of_day.min, UTC),
            **facts,
        )

    def _fits(self, usd: float) -> bool:
        if self.limit is None:
            return True
        return self.limit > 0 and self.spent() + self._reserved + usd <= self.limit + _ROUNDING

    def _look(self) -> None:
        """Count what has come into the ledger since the last look."""
        new = [path for path in self.lake.files("costs", [self._day]) if path not in self._files]
        if new:
            found = self.lake.columns("costs", new, ["call_id", "day", "usd"])
            for row in found.to_pylist():
                self._count(row["call_id"], row["day"], row["usd"])
            self._files.update(new)
        self._looked_at = time.monotonic()

    def _count(self, call_id: str, day: date, usd: float) -> None:
        if day == self._day and call_id not in self._known:
            self._known.add(call_id)
            self._spent += max(usd, 0.0)

    async def _something_settles(self) -> None:
        change = asyncio.get_running_loop().create_future()
        self._waiting.append(change)
        await change

    def _wake(self) -> None:
        waiting, self._waiting = self._waiting, []
        for change in waiting:
            if not change.done():
                change.set_result(None)
