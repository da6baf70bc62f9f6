"""Each stage by its name, for whoever makes partitions without Dagster."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date

from memory_pipeline.domain.calendar import Grain, Period
from memory_pipeline.stages import freshness
from memory_pipeline.stages.audit_result import Audit
from memory_pipeline.stages.context import StageContext


@dataclass(frozen=True)
class Made:
    """What a stage made.

    Attributes:
        rows: by partition, where the stage counts them.
        failed: partitions that stay stale, because a reply did not fit.
        refused: audits that did not pass, with their rule.
        later: partitions after the last of those asked for, that changed because they rest on them.
    """

    rows: Mapping[date, int] = field(default_factory=dict)
    failed: frozenset[date] = frozenset()
    refused: Mapping[str, str] = field(default_factory=dict)
    later: frozenset[date] = frozenset()


def make(ctx: StageContext, name: str, starts: Sequence[date]) -> Made:
    """Make some partitions of a stage, and note what they were made from.

    Raises:
        ModelError: a model cannot be reached, or may not be asked any more.
    """
    stage = freshness.BY_NAME[name]
    made_from = freshness.inputs(ctx, stage)
    freshness.begin(ctx, stage)
    made = _WORK[name](ctx, starts)
    freshness.record(ctx, stage, made_from, [s for s in starts if s not in made.failed], made.rows)
    return made


def _extract(ctx: StageContext, days: Sequence[date]) -> Made:
    from memory_pipeline.stages.extract import extract

    report = extract(ctx, days)
    return Made(report.proposals, frozenset(day for day, n in report.failed.items() if n))


def _consolidate(ctx: StageContext, days: Sequence[date]) -> Made:
    from memory_pipeline.stages.consolidate import consolidate

    report = consolidate(ctx, days)
    rows = {day: found.total() for day, found in report.changes.items()}
    return Made(rows, frozenset(report.failed), _refused(report.audits), frozenset(report.replayed))


def _age(ctx: StageContext, days: Sequence[date]) -> Made:
    from memory_pipeline.stages.age import age

    report = age(ctx, days)
    return Made(report.rows(), refused=_refused(report.audits))


def _find_patterns(ctx: StageContext, starts: Sequence[date]) -> Made:
    from memory_pipeline.stages.patterns import find_patterns

    report = find_patterns(ctx, _periods(Grain.WEEK, starts))
    return Made(report.made, frozenset(start for start, n in report.failed.items() if n), _refused(report.audits))


def _reflect(ctx: StageContext, starts: Sequence[date]) -> Made:
    from memory_pipeline.stages.reflect import reflect

    report = reflect(ctx, _periods(Grain.WEEK, starts))
    return Made(report.made, frozenset(start for start, n in report.failed.items() if n), _refused(report.audits))


def _refused(audits: Iterable[Audit]) -> dict[str, str]:
    return {audit.name: audit.detail for audit in audits if not audit.ok}


def _summarise(grain: Grain) -> Callable[[StageContext, Sequence[date]], Made]:
    def work(ctx: StageContext, starts: Sequence[date]) -> Made:
        from memory_pipeline.stages.summarize import summarize

        report = summarize(ctx, _periods(grain, starts))
        rows = {start: sum(s.session_id is None for s in found) for start, found in report.made.items()}
        return Made(rows, frozenset(start for start, n in report.failed.items() if n))

    return work


def _periods(grain: Grain, starts: Sequence[date]) -> list[Period]:
    return [Period(grain, start) for start in starts]


_WORK: Mapping[str, Callable[[StageContext, Sequence[date]], Made]] = {
    "proposals": _extract,
    "memories": _consolidate,
    "lifecycle": _age,
    "patterns": _find_patterns,
    "reflections": _reflect,
    "daily_summaries": _summarise(Grain.DAY),
    "weekly_summaries": _summarise(Grain.WEEK),
    "monthly_summaries": _summarise(Grain.MONTH),
}
TELLING = tuple(_WORK)
"""The stages that state or tell something; the others follow from them without a model's reply."""
