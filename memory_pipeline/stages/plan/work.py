"""What each stage does to some of its partitions, in one shape: by day or period in, rows by partition out.

A stage's module is imported when it works: the plan, which asks the registry alone, stays light.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from memory_pipeline.domain.calendar import Grain, Period
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.publication.audit_result import Audit


@dataclass(frozen=True)
class StageOutcome:
    """What a stage made.

    Attributes:
        rows: by partition, where the stage counts them.
        failed: partitions that stay stale, because a reply did not fit.
        audits: what was found before anything was published.
        later: partitions after the last of those asked for, that changed because they rest on them.
        report: the stage's own, with what is particular to it.
    """

    rows: Mapping[date, int] = field(default_factory=dict)
    failed: frozenset[date] = frozenset()
    audits: tuple[Audit, ...] = ()
    later: frozenset[date] = frozenset()
    report: Any = None

    @property
    def refused(self) -> dict[str, str]:
        """Audits that did not pass, with their rule."""
        return {audit.name: audit.detail for audit in self.audits if not audit.ok}


Work = Callable[[StageContext, Sequence[date]], StageOutcome]


def index_turns(ctx: StageContext, days: Sequence[date]) -> StageOutcome:
    """Fill the index's table of messages."""
    from memory_pipeline.stages.messages.index_messages import index_messages

    return StageOutcome(index_messages(ctx, days))


def extract(ctx: StageContext, days: Sequence[date], *, keep_former: bool = True) -> StageOutcome:
    """Make proposals.

    Args:
        keep_former: keep those that were there, so that versions that rest on them can still be explained.
    """
    from memory_pipeline.stages.extraction.extract import extract as work

    report = work(ctx, days, keep_former=keep_former)
    return StageOutcome(report.proposals, _with_any(report.failed), report=report)


def consolidate(ctx: StageContext, days: Sequence[date]) -> StageOutcome:
    """Judge proposals and state memories."""
    from memory_pipeline.stages.consolidation.consolidate import consolidate as work

    report = work(ctx, days)
    rows = {day: found.total() for day, found in report.changes.items()}
    return StageOutcome(rows, frozenset(report.failed), tuple(report.audits), frozenset(report.replayed), report)


def age(ctx: StageContext, days: Sequence[date]) -> StageOutcome:
    """Let time pass."""
    from memory_pipeline.stages.operations.age import age as work

    report = work(ctx, days)
    return StageOutcome(report.rows(), audits=tuple(report.audits), report=report)


def find_patterns(ctx: StageContext, weeks: Sequence[date]) -> StageOutcome:
    """Join alike memories."""
    from memory_pipeline.stages.insight.patterns import find_patterns as work

    report = work(ctx, _periods(Grain.WEEK, weeks))
    return StageOutcome(report.made, _with_any(report.failed), tuple(report.audits), report=report)


def reflect(ctx: StageContext, weeks: Sequence[date]) -> StageOutcome:
    """Draw insights."""
    from memory_pipeline.stages.insight.reflect import reflect as work

    report = work(ctx, _periods(Grain.WEEK, weeks))
    return StageOutcome(report.made, _with_any(report.failed), tuple(report.audits), report=report)


def index_memories(ctx: StageContext, days: Sequence[date]) -> StageOutcome:
    """Fill the index's table of memories."""
    from memory_pipeline.stages.publication.publish import index_days

    return StageOutcome(report=index_days(ctx, days))


def link(ctx: StageContext, days: Sequence[date]) -> StageOutcome:
    """Make links and entities."""
    from memory_pipeline.stages.links.link import link as work

    report = work(ctx, days)
    return StageOutcome(report.links, report=report)


def summarise(grain: Grain) -> Work:
    """What makes the summaries of a grain, with days those of sessions."""

    def work(ctx: StageContext, starts: Sequence[date]) -> StageOutcome:
        from memory_pipeline.stages.summaries.summarize import summarize

        report = summarize(ctx, _periods(grain, starts))
        rows = {start: sum(s.session_id is None for s in found) for start, found in report.made.items()}
        return StageOutcome(rows, _with_any(report.failed), report=report)

    return work


def collect_recalls(ctx: StageContext, days: Sequence[date]) -> StageOutcome:
    """Fold the recall log into the lake."""
    from memory_pipeline.stages.operations.feedback import collect

    return StageOutcome(collect(ctx, days))


def _periods(grain: Grain, starts: Iterable[date]) -> list[Period]:
    return [Period(grain, start) for start in starts]


def _with_any(failed: Mapping[date, int]) -> frozenset[date]:
    return frozenset(start for start, n in failed.items() if n)
