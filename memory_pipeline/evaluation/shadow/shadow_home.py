"""A temporary home for a candidate that reaches into what is stored: some users' part of the real one, made anew.

The real home is read only, but for what was paid for: replies and their costs are entered there.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import date, datetime

from memory_pipeline.domain.calendar import Grain, period_of
from memory_pipeline.domain.scope import Scope
from memory_pipeline.evaluation.shadow.candidate import Candidate, Reaching, with_values
from memory_pipeline.settings import Settings
from memory_pipeline.stages.context import Progress, StageContext
from memory_pipeline.stages.plan.forecast import Forecast, Span, forecast
from memory_pipeline.stages.plan.freshness import provenance
from memory_pipeline.stages.plan.registry import BY_LEVEL, BY_NAME, STAGES
from memory_pipeline.stages.publication.auditing import ACCEPTABLE
from memory_pipeline.storage.parquet.lake import Lake, scopes_table
from memory_pipeline.storage.parquet.schemas import Cost, Reply
from memory_pipeline.storage.parquet.user_datasets import OF_A_USER
from memory_pipeline.storage.vectors.index import Index

Agree = Callable[[Forecast], bool]
# What tells or states something because of what memories say: in the shadow, where the real home has ever made it.
_DERIVED = {stage.name for stage in STAGES if stage.tells and stage.follows == "memories"}


class Declined(Exception):
    """Somebody was told what it would cost, and would rather not."""


@contextmanager
def shadow_home(
    candidate: Candidate, scopes: Sequence[Scope], now: datetime, agree: Agree, progress: Progress
) -> Iterator[Settings]:
    """Settings of a home in which these users' memories are as the candidate makes them; gone afterwards.

    Raises:
        Declined: ``agree`` was shown what the models would cost, and said no.
        ModelError: a model could not be reached; what was paid for is kept in the real home.
    """
    real = StageContext(candidate.base, "shadow-base", now)
    with tempfile.TemporaryDirectory() as folder:
        own = with_values(candidate.settings, home=folder, chat_batch=False)
        # Nobody is served from it: what its audits would stop is to be seen, not to stop the comparison.
        ctx = StageContext(own, f"shadow-{candidate.digest}", now, progress, frozenset(ACCEPTABLE))
        _copy(real.lake, ctx.lake, scopes, now.date())
        _summary_rows(real, ctx, scopes)
        if candidate.reaching is Reaching.MEMORIES:
            spans = _spans(real, ctx)
            expected = forecast(ctx, spans)
            if expected.calls and not agree(expected):
                raise Declined
            try:
                _made_anew(real, ctx, spans)
            finally:
                _keep_paid(real.lake, ctx.lake)
        _indexed(ctx)
        yield own


def _copy(real: Lake, shadow: Lake, scopes: Sequence[Scope], today: date) -> None:
    wanted = {"wanted": scopes_table(scopes)}
    for dataset in OF_A_USER:
        for day in real.days(dataset):
            rows = real.sql(
                f"SELECT d.* FROM {dataset} d SEMI JOIN wanted USING (tenant_id, user_id)",
                days={dataset: [day]},
                tables=wanted,
            )
            shadow.replace(dataset, day, rows)
    spent = real.read("costs", Cost, days=[today])  # the day's budget holds here, too
    shadow.replace("costs", today, spent)


def _summary_rows(real: StageContext, ctx: StageContext, scopes: Sequence[Scope]) -> None:
    """The summaries that are indexed, with the candidate's vectors; new ones come from their stage."""
    index = Index.open(real.settings, real.encoder)
    for scope in scopes:
        rows = index.rows("summaries", scope, [n for n in index.schema("summaries").names if n != "vector"])
        if rows.num_rows:
            ctx.index.upsert("summaries", rows, ctx.encoder.encode(rows["content"].to_pylist()))


def _indexed(ctx: StageContext) -> None:
    from memory_pipeline.stages.messages.index_messages import index_messages
    from memory_pipeline.stages.publication.publish import index_days

    index_messages(ctx, ctx.lake.days("messages"))
    index_days(ctx, ctx.lake.days("memory_versions"))


def _spans(real: StageContext, ctx: StageContext) -> list[Span]:
    """Every partition of every stage; of what is derived, only where the real home has ever made it."""
    days = ctx.lake.days("messages")
    spans = []
    for grain in Grain:
        of_grain = [stage for stage in STAGES if stage.grain is grain]
        names = tuple(stage.name for stage in of_grain if stage.name not in _DERIVED or provenance(real, stage))
        starts = sorted({period_of(grain, day).start for day in days})
        if names and starts:
            spans.append(Span(grain, names, starts))
    return spans


def _made_anew(real: StageContext, ctx: StageContext, spans: Sequence[Span]) -> None:
    """Every stage from extraction on, as a run would go through them; what is unchanged costs no call."""
    wanted = {name: list(span.partitions) for span in spans for name in span.stages}
    ledger = ctx.lake.days("messages")
    wanted |= {"proposals": ledger, "memories": ledger}
    if "lifecycle" in wanted:
        wanted["lifecycle"] = [max(provenance(real, BY_NAME["lifecycle"]))]
    for stage in BY_LEVEL:
        if stage.tells and stage.name in wanted:
            stage.work(ctx, wanted[stage.name])
    _indexed(ctx)
    BY_NAME["memory_links"].work(ctx, ctx.lake.days("memory_versions"))
    BY_NAME["recall_feedback"].work(ctx, ctx.lake.days("recalls"))


def _keep_paid(real: Lake, shadow: Lake) -> None:
    """Replies and costs into the real home: nothing is paid for twice, and the day's budget counts it."""
    held = set(real.sql("SELECT key FROM replies")["key"].to_pylist())
    real.append("replies", [reply for reply in shadow.read("replies", Reply) if reply.key not in held])
    known = set(real.sql("SELECT call_id FROM costs")["call_id"].to_pylist())
    real.append("costs", [cost for cost in shadow.read("costs", Cost) if cost.call_id not in known])
