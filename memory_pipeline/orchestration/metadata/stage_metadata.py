"""What each stage tells of its work in Dagster's UI: metadata of the run, and figures of single partitions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING, Any

import dagster as dg

from memory_pipeline.domain.rates import Rate
from memory_pipeline.domain.reasons import meaning
from memory_pipeline.orchestration.metadata.lifecycle_charts import curves, structure
from memory_pipeline.orchestration.metadata.values import table

if TYPE_CHECKING:
    from memory_pipeline.stages.context import StageContext
    from memory_pipeline.stages.plan.registry import Stage
    from memory_pipeline.stages.plan.work import StageOutcome

UNFIT = "of which the reply did not fit"
"""Metadata of a day's proposals: windows that the next run asks about again."""
WHY = "why replies did not fit"
"""Metadata of proposals: the most frequent reason, in the server's words."""
LATER = "later days replayed"
"""Metadata of memories: days after those of the run that changed, because they rest on them."""


@dataclass(frozen=True)
class StageMetadata:
    """What is shown of a stage's work.

    Attributes:
        metadata: of the whole run.
        figures: of single partitions; the UI plots them over the days.
        rows: by partition, in place of those that the stage counted.
        beside: rows written in partitions that were not asked for, by partition: what late input changed there.
    """

    metadata: Mapping[str, Any] = field(default_factory=dict)
    figures: Mapping[date, Mapping[str, int | float]] = field(default_factory=dict)
    rows: Mapping[date, int] | None = None
    beside: Mapping[date, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Work:
    """A stage's work on some partitions.

    Attributes:
        calls, hits: requests that a model answered, and that kept replies answered.
    """

    ctx: StageContext
    starts: list[date]
    made: StageOutcome
    calls: int
    hits: int


def _turns(work: Work) -> StageMetadata:
    statistics = work.ctx.index.statistics().get("messages", {})
    return StageMetadata({"turns in the index": statistics.get("rows", 0), "encoder": work.ctx.encoder.model})


def _proposals(work: Work) -> StageMetadata:
    from memory_pipeline.stages.messages.languages import shares, spoken

    ctx, report = work.ctx, work.made.report
    sample = ctx.lake.sql(
        "SELECT day, user_id, type, operation, content FROM proposals "
        "ORDER BY salience DESC, day, proposal_id LIMIT 12",
        days={"proposals": work.starts},
    )
    return StageMetadata(
        {
            "windows": report.windows.total(),
            "windows with nothing to keep": report.empty.total(),
            "windows whose reply did not fit": report.failed.total(),
            **({WHY: report.why} if report.why else {}),
            "model": ctx.chat.model,
            "model calls": work.calls,
            "replies from the cache": work.hits,
            "languages": shares(spoken(ctx.lake, work.starts)),
            "most salient": table(sample.to_pylist()),
        },
        {
            day: {
                "windows of the day": report.windows[day],
                "of which nothing to keep": report.empty[day],
                UNFIT: report.failed[day],
            }
            for day in work.starts
            if report.windows[day]
        },
    )


def _memories(work: Work) -> StageMetadata:
    report = work.made.report
    reasons = Counter[tuple[str, str]]()
    for day in work.starts:
        reasons.update(report.verdicts.get(day, {}))
    changes = Counter[str]()
    for found in report.changes.values():
        changes.update(found)
    verdicts = [
        {"verdict": o, "reason": r, "proposals": n, "share": f"{n / reasons.total():.1%}", "meaning": meaning(r)}
        for (o, r), n in reasons.most_common()
    ]
    return StageMetadata(
        {
            "verdicts": table(verdicts),
            "changes": table([{"change": c, "versions": n} for c, n in changes.most_common()]),
            "versions withdrawn": report.withdrawn.total(),
            LATER: len(report.replayed),
            "days with a judge's reply that did not fit": len(report.failed),
        },
        _rates(work.ctx, work.starts),
        beside={d: report.changes[d].total() + report.withdrawn[d] for d in {*report.changes, *report.withdrawn}},
    )


def _rates(ctx: StageContext, days: list[date]) -> dict[date, dict[str, float]]:
    """The rates of each day, and its windows from which the gate let nothing pass."""
    from memory_pipeline.storage.queries.rate_queries import rates, window_outcomes

    figures: dict[date, dict[str, float]] = {}
    for day, found in window_outcomes(ctx.lake, days).items():
        figures[day] = {"windows of which all was rejected": found.all_rejected}
    for rate, by_day in rates(ctx.lake, days).items():
        if rate is not Rate.UNFIT:
            for day, counted in by_day.items():
                figures.setdefault(day, {})[f"{rate} rate"] = counted.share
    return figures


def _vectors(work: Work) -> StageMetadata:
    ctx = work.ctx
    statistics = ctx.index.statistics().get("memories", {})
    counts = ctx.lake.sql(
        "SELECT day, count(*) AS versions FROM memory_versions WHERE asserted GROUP BY day",
        days={"memory_versions": work.starts},
    )
    return StageMetadata(
        {"rows written or removed": work.made.report, "memories in the index": statistics.get("rows", 0)},
        rows=dict(zip(counts["day"].to_pylist(), counts["versions"].to_pylist(), strict=True)),
    )


def _links(work: Work) -> StageMetadata:
    report = work.made.report
    kinds = work.ctx.lake.sql(
        "SELECT relation, count(*) AS links FROM links GROUP BY relation ORDER BY links DESC, relation",
        days={"links": work.starts},
    )
    entities = [{"kind": kind, "entities": n} for kind, n in sorted(report.entities.items())]
    return StageMetadata(
        {
            "links by relation": table(kinds.to_pylist()),
            "entities of the users by kind": table(entities),
            "other days written": len(report.others),
        }
    )


def _summaries(work: Work) -> StageMetadata:
    report = work.made.report
    texts = [
        f"**{summary.user_id}, {summary.label}** — {summary.text}"
        for start in sorted(report.made)
        for summary in report.made[start]
    ]
    return StageMetadata(
        {
            "sessions told": sum(s.session_id is not None for found in report.made.values() for s in found),
            "latest": dg.MetadataValue.md("\n\n".join(texts[-3:]) or "no messages"),
            "replies that did not fit": report.failed.total(),
        }
    )


def _stated(kind: str) -> Callable[[Work], StageMetadata]:
    def shown(work: Work) -> StageMetadata:
        rows = work.ctx.lake.sql(
            "SELECT user_id, content FROM memory_versions WHERE type = $kind AND asserted AND version = 1 "
            "ORDER BY day DESC, importance DESC, memory_id LIMIT 8",
            {"kind": kind},
        ).to_pylist()
        text = "\n".join(f"* **{row['user_id']}** — {row['content']}" for row in rows)
        return StageMetadata({"latest": dg.MetadataValue.md(text or "none yet")})

    return shown


def _lifecycle(work: Work) -> StageMetadata:
    changes = sorted(work.made.report.changes.items())
    rows = [{"day": day, "change": c, "memories": n} for day, found in changes for c, n in found.items()]
    return StageMetadata(
        {"transitions": table(rows[-50:]), **curves(work.ctx.policy), **structure(work.ctx, max(work.starts))}
    )


def _recalls(work: Work) -> StageMetadata:
    from memory_pipeline.storage.logs.recall_log import RecallLog

    lost = RecallLog(work.ctx.settings.path("recall")).unreadable()
    return StageMetadata({"lines of spools that cannot be read": lost})


_SHOWN: Mapping[str, Callable[[Work], StageMetadata]] = {
    "message_vectors": _turns,
    "proposals": _proposals,
    "memories": _memories,
    "memory_vectors": _vectors,
    "memory_links": _links,
    "patterns": _stated("pattern"),
    "reflections": _stated("reflection"),
    "lifecycle": _lifecycle,
    "recall_feedback": _recalls,
}


def metadata_of(stage: Stage, work: Work) -> StageMetadata:
    """What is shown of a stage's work; of one that has nothing of its own to tell, its rows."""
    if stage.table == "summaries":
        return _summaries(work)
    tell = _SHOWN.get(stage.name)
    return tell(work) if tell else StageMetadata()
