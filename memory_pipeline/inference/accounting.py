"""Calls → the cost ledger: a paid one is entered at once, what costs nothing is summed up until it is written."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from datetime import date
from typing import TYPE_CHECKING, Any

from memory_pipeline.domain.scope import Scope
from memory_pipeline.inference.chat import ChatRequest, Usage

if TYPE_CHECKING:
    from memory_pipeline.inference.budget import Budget
    from memory_pipeline.storage.parquet.lake import Lake


@dataclass
class _Free:
    """Requests that cost nothing: the builtin model's, and those that kept replies answer."""

    calls: int = 0
    cached: int = 0
    saved_tokens: int = 0
    saved_usd: float = 0.0
    unfit: int = 0


@dataclass
class Accounts:
    """The ledger as one run writes it."""

    lake: Lake
    budget: Budget
    model: str
    run_id: str
    _free: dict[tuple[Scope, date, str], _Free] = field(default_factory=lambda: defaultdict(_Free))

    def called(
        self, request: ChatRequest[Any], members: Sequence[ChatRequest[Any]], usage: Usage, unfit: int = 0
    ) -> None:
        """Enter a call, shared out over the event days of the requests that it answers.

        Args:
            unfit: of its calls, those whose reply was of no use.
        """
        if not paid(usage):
            free = self._free[request.scope, request.day, request.task]
            free.calls += usage.calls
            free.unfit += unfit
            return
        from memory_pipeline.storage.queries.costs import entry

        by_day: dict[date, list[Usage]] = defaultdict(list)
        for n, member in enumerate(members):
            by_day[member.day].append(share(usage, n, len(members)))
        at = self.budget.clock()
        made = [
            entry(
                request.scope,
                day,
                request.task,
                self.model,
                self.run_id,
                at,
                calls=sum(s.calls for s in shares),
                prompt_tokens=sum(s.prompt_tokens for s in shares),
                cached_tokens=sum(s.cached_tokens for s in shares),
                completion_tokens=sum(s.completion_tokens for s in shares),
                usd=sum(s.usd for s in shares),
                unfit=0 if n else unfit,
            )
            for n, (day, shares) in enumerate(by_day.items())
        ]
        self.lake.append("costs", made)
        self.budget.note(made)

    def answered(self, request: ChatRequest[Any], tokens: int, usd: float) -> None:
        """Count a request that a kept reply answers, and what that reply had taken."""
        free = self._free[request.scope, request.day, request.task]
        free.cached += 1
        free.saved_tokens += tokens
        free.saved_usd += usd

    def flush(self) -> None:
        """Write what has cost nothing so far."""
        from memory_pipeline.storage.queries.costs import entry

        free, self._free = self._free, defaultdict(_Free)
        at = self.budget.clock()
        self.lake.append(
            "costs",
            [
                entry(scope, day, task, self.model, self.run_id, at, **asdict(sums))
                for (scope, day, task), sums in free.items()
            ],
        )


def paid(usage: Usage) -> bool:
    """Whether a call took anything."""
    return bool(usage.prompt_tokens or usage.completion_tokens or usage.usd)


def share(usage: Usage, n: int, of: int) -> Usage:
    """The n-th of equal parts of a usage, which add up to it."""

    def part(total: int) -> int:
        return total // of + (n < total % of)

    return Usage(
        part(usage.prompt_tokens),
        part(usage.cached_tokens),
        part(usage.completion_tokens),
        usage.usd / of,
        part(usage.calls),
    )
