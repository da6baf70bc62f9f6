"""``memory-pipeline diff``: what a run would make of memories, rehearsed by the stages on top of the lake.

Nothing below changes but what was paid for: replies are kept, and the run that follows finds them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any

from memory_pipeline.domain.plain import Plain
from memory_pipeline.orchestration.runs.look_ahead import LookAhead, look_ahead
from memory_pipeline.orchestration.runs.plan import ENOUGH, due, plan
from memory_pipeline.settings import Settings

if TYPE_CHECKING:
    from memory_pipeline.stages.context import Progress, StageContext
    from memory_pipeline.stages.plan.diff import Difference
    from memory_pipeline.storage.parquet.overlay import OverlayLake

Agree = Callable[[LookAhead], bool]


class Declined(Exception):
    """Somebody was told what it would cost, and would rather not."""


@dataclass
class DiffReport(Plain):
    """What would come of a run (the JSON shape of ``diff --json``).

    Attributes:
        run_id: of the rehearsal; its calls stand under it in the cost ledger.
        partitions: how many of each stage would be made.
        counts: memories ``added``, ``changed``, ``retired`` and left ``unchanged`` on the days that would be made.
        by_type, by_day: the first three.
        memories: each of them, in order of day.
        summaries: texts that would be others.
        forecast: what was expected beforehand; the JSON shape of ``run --dry-run``.
        used: what it really took: ``calls``, ``cached``, ``tokens``, ``usd``, and ``models`` by task.
        failed: partitions of which a reply did not fit, by stage: a run would ask again.
        refused: audits that would stop the run, with their rule.
        later_days: after the last day asked for, on which the same users' memories would be made anew, because they
            rest on what changed before.
    """

    run_id: str
    partitions: dict[str, int] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    by_type: dict[str, dict[str, int]] = field(default_factory=dict)
    by_day: dict[str, dict[str, int]] = field(default_factory=dict)
    memories: list[Difference] = field(default_factory=list)
    summaries: list[Difference] = field(default_factory=list)
    forecast: dict[str, Any] = field(default_factory=dict)
    used: dict[str, Any] = field(default_factory=dict)
    failed: dict[str, int] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    later_days: int = 0


def diff(
    settings: Settings,
    first: date | None = None,
    last: date | None = None,
    *,
    agree: Agree,
    progress: Progress,
) -> DiffReport:
    """What a run over some days would add, change, retire and cost, by what is in force now.

    Args:
        first, last: both included; None = unbounded.
        agree: asked before models that cost something are, with the forecast.

    Raises:
        Declined: the answer was no; nothing was asked.
        ModelError: a model cannot be reached, or the day's budget is spent; what was paid for is kept.
    """
    with rehearsal(settings, "diff", progress) as (ctx, lake):
        return _rehearsed(ctx, lake, first, last, agree, Counter())


def rollback_diff(settings: Settings, run_ids: Sequence[str], *, agree: Agree, progress: Progress) -> DiffReport:
    """What rolling back some runs would come to; see :func:`diff`.

    Raises:
        RollbackError: it cannot be done.
    """
    from memory_pipeline.stages.operations.rollback import prepare, write
    from memory_pipeline.stages.plan.freshness import stale
    from memory_pipeline.stages.plan.registry import STAGES

    with rehearsal(settings, "rollback", progress) as (ctx, lake):
        found = prepare(ctx, run_ids)
        before = Counter({(stage.name, day): ENOUGH for stage in STAGES for day in stale(ctx, stage)})
        write(ctx, found)
        return _rehearsed(ctx, lake, None, None, agree, before)


@contextmanager
def rehearsal(settings: Settings, name: str, progress: Progress) -> Iterator[tuple[StageContext, OverlayLake]]:
    """Surroundings of a run that leave no trace but in the reply cache and the cost ledger."""
    from memory_pipeline.stages.context import StageContext
    from memory_pipeline.stages.publication.auditing import ACCEPTABLE, accepting
    from memory_pipeline.storage.parquet.lake import Lake
    from memory_pipeline.storage.parquet.overlay import on_top_of
    from memory_pipeline.storage.vectors.read_only_index import UnwrittenIndex

    now = datetime.now(UTC)
    with on_top_of(Lake(settings.path("lake"))) as lake:
        ctx = StageContext(settings, f"{name}-{now:%Y%m%dT%H%M%S%f}", now, progress, accepting(ACCEPTABLE))
        ctx.lake = lake
        ctx.index = UnwrittenIndex.open(settings, ctx.encoder)
        yield ctx, lake


def _rehearsed(
    ctx: StageContext,
    lake: OverlayLake,
    first: date | None,
    last: date | None,
    agree: Agree,
    done: Counter[tuple[str, date]],
) -> DiffReport:
    from memory_pipeline.stages.plan.making import make
    from memory_pipeline.stages.plan.registry import BY_NAME, TELLING

    report = DiffReport(ctx.run_id)
    steps = plan(ctx, first, last, TELLING)
    ahead = look_ahead(ctx, [step for step in steps if _open(step, done)])
    report.forecast = ahead.to_dict()
    if ahead.forecast.calls and ctx.settings.chat != "builtin" and not agree(ahead):
        raise Declined
    days: set[date] = set()
    later: set[date] = set()
    while steps := due(ctx, first, last, TELLING, done):
        for step in steps:
            for name, partitions in step.partitions.items():
                made = make(ctx, BY_NAME[name], list(partitions))
                report.partitions[name] = report.partitions.get(name, 0) + len(partitions)
                if made.failed:
                    report.failed[name] = report.failed.get(name, 0) + len(made.failed)
                report.refused |= made.refused
                days |= set(partitions) if name == "memories" else set()
                later |= made.later
                done.update((name, day) for day in partitions)
    report.later_days = len(later - days)
    _compare(ctx, lake, report, days)
    return report


def _open(step: Any, done: Counter[tuple[str, date]]) -> bool:
    return any(done[name, day] < ENOUGH for name, days in step.partitions.items() for day in days)


def _compare(ctx: StageContext, lake: OverlayLake, report: DiffReport, days: set[date]) -> None:
    from memory_pipeline.stages.plan.diff import KINDS, counts_by, memories_apart, standing_on, summaries_apart
    from memory_pipeline.storage.queries.costs import by_task, of_runs

    report.memories, report.summaries = memories_apart(lake.below, lake), summaries_apart(lake.below, lake)
    kinds = Counter(d.kind for d in report.memories)
    report.counts = {kind: kinds[kind] for kind in KINDS}
    report.counts["unchanged"] = len(standing_on(lake.below, days) - {d.before_id or d.id for d in report.memories})
    report.by_type, report.by_day = counts_by(report.memories, "type"), counts_by(report.memories, "day")
    since = ctx.now.date()
    spent = of_runs(lake, [ctx.run_id], since)
    report.used = {name: spent[name] for name in ("calls", "cached", "tokens", "usd")}
    report.used["models"] = by_task(lake, [ctx.run_id], since)
