"""What a run made, what it cost, and how much the models really had to do with it."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

from memory_pipeline.domain.plain import Plain

if TYPE_CHECKING:
    from memory_pipeline.stages.context import StageContext


@dataclass
class RunReport(Plain):
    """What a run made and what it cost (the JSON shape of ``run --json``).

    Attributes:
        models: by task what was asked: ``calls`` that a model really answered, ``cached`` requests that kept replies
            answered, ``tokens``, ``usd``.
        versions: how many versions it wrote: ``added``, ``changed``, ``retired``, ``withdrawn``.
        quarantined: replies, or parts of them, that did not fit and were put aside.
        told: in one sentence how much the models had to do with it.
        forecast: what it would cost, of a dry run.
        windows: what came of the windows of its days: how many there are, in how many nothing was worth keeping, of
            how many the gate let nothing pass, how many got no reply that fits and are asked about again; and on how
            many days nobody was asked.
        later_days: after the last day asked for, on which the same users' memories were made anew, because they rest
            on what changed before.
        unfit: those without a fitting reply, by day.
        why: the most frequent reason of these, in the server's words.
        proposals: what the gate made of the proposals of its days: how many there are, and how many it rejected.
        languages: by code, how many of the user messages of the days that it extracted are in it.
        unread: in one sentence how many of them the embedded default cannot read; empty where it reads all, or a
            hosted model did.
    """

    run_ids: list[str] = field(default_factory=list)
    stages: dict[str, dict[str, float]] = field(default_factory=dict)
    model_calls: int = 0
    model_calls_cached: int = 0
    tokens: int = 0
    usd: float = 0.0
    models: dict[str, dict[str, float]] = field(default_factory=dict)
    versions: dict[str, int] = field(default_factory=dict)
    quarantined: int = 0
    told: str = ""
    planned: list[dict[str, Any]] = field(default_factory=list)
    forecast: dict[str, Any] | None = None
    windows: dict[str, int] = field(default_factory=dict)
    later_days: int = 0
    unfit: dict[str, int] = field(default_factory=dict, repr=False)
    why: str = ""
    proposals: dict[str, int] = field(default_factory=dict)
    languages: dict[str, int] = field(default_factory=dict)
    unread: str = ""

    @property
    def failure(self) -> str:
        """Why nothing at all could be extracted; empty where something was, or nothing was to be."""
        unfit = self.windows.get("unfit", 0)
        if not unfit or unfit < self.windows.get("windows", 0):
            return ""
        return f"nothing could be extracted: no reply fits for any of {unfit:,} windows. {self.why}".strip()


def account(ctx: StageContext, report: RunReport, since: datetime) -> None:
    """Add what the report's runs cost and changed, from the rows that they left since a time."""
    from memory_pipeline.storage.queries.costs import by_task, of_runs
    from memory_pipeline.storage.queries.runs import changes_by, put_aside_since

    spent = of_runs(ctx.lake, report.run_ids, since.date())
    report.model_calls, report.model_calls_cached = spent["calls"], spent["cached"]
    report.tokens, report.usd = spent["tokens"], round(spent["usd"], 6)
    report.models = by_task(ctx.lake, report.run_ids, since.date())
    report.versions = changes_by(ctx.lake, report.run_ids, since)
    report.quarantined = put_aside_since(ctx.lake, since)
    report.told = models_sentence(report)
    _add_windows(ctx, report)
    _add_languages(ctx, report)


def _add_windows(ctx: StageContext, report: RunReport) -> None:
    from memory_pipeline.stages.plan.freshness import provenance
    from memory_pipeline.stages.plan.registry import BY_NAME
    from memory_pipeline.storage.queries.rate_queries import WindowOutcomes, proposal_outcomes, window_outcomes

    days = _days(ctx, report, {"proposals", "memories"})
    report.proposals = proposal_outcomes(ctx.lake, days)
    found = sum(window_outcomes(ctx.lake, days).values(), WindowOutcomes())
    unfit = sum(report.unfit.values())
    not_asked = len(
        set(days) - provenance(ctx, BY_NAME["proposals"]).keys() - {date.fromisoformat(d) for d in report.unfit}
    )
    report.windows = {**asdict(found), "windows": found.windows + unfit, "unfit": unfit, "days_not_asked": not_asked}


def _add_languages(ctx: StageContext, report: RunReport) -> None:
    from memory_pipeline.stages.messages.languages import spoken, unread

    found = spoken(ctx.lake, _days(ctx, report, {"proposals"}))
    report.languages, report.unread = dict(found.most_common()), unread(ctx.settings, found)


def _days(ctx: StageContext, report: RunReport, stages: set[str]) -> list[date]:
    """The days with messages of which the run was to make one of some stages."""
    spans = [s for s in report.planned if stages & set(s["stages"])]
    return [d for d in ctx.lake.days("messages") if any(s["from"] <= d.isoformat() <= s["to"] for s in spans)]


def models_sentence(report: RunReport) -> str:
    """How much the models had to do with a run: no call is never told as if there had been one."""
    if not report.planned:
        return "Nothing was stale: nothing was made, and no model was called."
    if report.model_calls == 0 and report.model_calls_cached:
        return f"0 model calls: all {report.model_calls_cached:,} replies were kept ones."
    if report.model_calls == 0:
        return "0 model calls: nothing that was made had a question for a model."
    return (
        f"{report.model_calls:,} model calls, {report.model_calls_cached:,} answered by kept replies, "
        f"{report.tokens:,} tokens, {report.usd:.4f} USD."
    )
