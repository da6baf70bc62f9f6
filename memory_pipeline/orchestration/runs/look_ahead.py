"""What a run would make and cost, told before it starts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memory_pipeline.domain.policy.forecast import ForecastPolicy
    from memory_pipeline.orchestration.runs.plan import Step
    from memory_pipeline.settings import Settings
    from memory_pipeline.stages.context import StageContext
    from memory_pipeline.stages.plan.forecast import Forecast, Span


FOLLOWS = "what it rests on is made anew"


@dataclass(frozen=True, slots=True)
class LookAhead:
    """A plan with its forecast.

    Attributes:
        steps: the runs, in order.
        left: USD that today's budget still has; None without a limit.
        waiting: files of the inbox that have not been read yet: what they hold is not in the plan.
        seconds: how long it takes, about.
        measured_runs: how many earlier runs that goes by; 0 where it goes by the figures of the policy.
        reasons: by stage for how many of its partitions which reason holds.
    """

    steps: tuple[Step, ...]
    forecast: Forecast
    left: float | None
    waiting: int
    reasons: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    seconds: float = 0.0
    measured_runs: int = 0

    @property
    def over_budget(self) -> bool:
        return self.left is not None and self.forecast.usd > self.left

    def to_dict(self) -> dict[str, Any]:
        """The JSON shape of ``run --dry-run --json`` under ``forecast``."""
        found = self.forecast
        return {
            "stages": [asdict(task) for task in found.tasks],
            "calls": found.calls,
            "cached": found.cached,
            "tokens": found.tokens,
            "usd": round(found.usd, 6),
            "exact": all(task.exact for task in found.tasks),
            "budget_left": self.left,
            "over_budget": self.over_budget,
            "inbox_files": self.waiting,
            "seconds": round(self.seconds, 1),
            "measured_runs": self.measured_runs,
            "reasons": {stage: dict(found) for stage, found in self.reasons.items()},
        }


def look_ahead(ctx: StageContext, steps: Iterable[Step]) -> LookAhead:
    """A plan's forecast. No model is asked, and nothing is written."""
    from memory_pipeline.orchestration.runs.durations import measured
    from memory_pipeline.stages.messages.ingest import pending_inbox
    from memory_pipeline.stages.plan.forecast import Span, forecast

    planned = tuple(steps)
    spans = [Span(step.grain, (name,), days) for step in planned for name, days in step.partitions.items()]
    waiting = pending_inbox(ctx.settings, ctx.lake, {})
    cost, durations = forecast(ctx, spans), measured(ctx.settings, ctx.lake)
    seconds = time_of(spans, durations.seconds, cost.calls, ctx.settings, ctx.policy.forecast)
    return LookAhead(planned, cost, ctx.budget.left(), len(waiting), _reasons(ctx, planned), seconds, durations.runs)


def time_of(
    spans: Iterable[Span], known: Mapping[str, float], calls: int, settings: Settings, policy: ForecastPolicy
) -> float:
    """Seconds that making some partitions takes, one stage after another.

    Args:
        known: seconds for a partition by stage, as measured here; the policy has figures for the others.
        calls: of hosted models. What was measured has them in it.
    """
    found, waits = 0.0, False
    for span in spans:
        for stage in span.stages:
            waits |= stage not in known
            found += len(span.partitions) * known.get(stage, policy.seconds.get(stage, policy.seconds["other"]))
    return found + (calls * policy.seconds_of_call / settings.chat_concurrency if waits else 0.0)


def _reasons(ctx: StageContext, steps: Iterable[Step]) -> dict[str, Counter[str]]:
    from memory_pipeline.stages.plan.freshness import why
    from memory_pipeline.stages.plan.registry import BY_NAME

    found: dict[str, Counter[str]] = {}
    for name, starts in ((name, starts) for step in steps for name, starts in step.partitions.items()):
        changed = why(ctx, BY_NAME[name], min(starts), max(starts))
        found.setdefault(name, Counter()).update(
            str(reason) for start in starts for reason in changed.get(start, (FOLLOWS,))
        )
    return found
