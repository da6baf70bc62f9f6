"""Summaries → lake and index. Rows that say the same stay as they are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, replace
from datetime import date, timedelta

from memory_pipeline.domain.calendar import Period
from memory_pipeline.domain.classification import STRICTEST
from memory_pipeline.domain.derived.summary import Summary, SummaryGrain
from memory_pipeline.domain.scope import Classification, Scope
from memory_pipeline.inference.vector_cache import OwnedText
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.engines.encoding import encoded
from memory_pipeline.stages.publication.one_writer import SUMMARIES, alone


def _unchanged(new: Summary, old: Summary | None) -> bool:
    return old is not None and replace(new, run_id=old.run_id, recorded_at=old.recorded_at) == old


def _kept(new: Summary, old: Mapping[str, Summary]) -> Summary:
    there = old.get(new.summary_id)
    return there if there is not None and _unchanged(new, there) else new


def store(ctx: StageContext, periods: Sequence[Period], made: Iterable[Summary]) -> None:
    """Replace the summaries of some periods of one grain.

    The index lets go of what is no more before the lake forgets that it existed, so a crash leaves nothing behind.
    """
    if not periods:
        return
    grain = str(periods[0].grain)
    with alone(ctx.settings, SUMMARIES):
        old = _held(ctx, grain, (p.start for p in periods))
        kept: dict[date, list[Summary]] = {p.start: [] for p in periods}
        for summary in made:
            kept[summary.start].append(_kept(summary, old))
        ctx.index.delete("summaries", old.keys() - {s.summary_id for rows in kept.values() for s in rows})
        for start, rows in kept.items():
            ctx.lake.replace("summaries", start, rows, part=grain)
    index_summaries(ctx, [s for rows in kept.values() for s in rows])


def store_sessions(ctx: StageContext, days: Iterable[date], touched: Iterable[str], made: Sequence[Summary]) -> None:
    """Replace the summaries of some sessions: one row a session, in the partition of its last message.

    They are for whoever goes on with the session; the index and so the search do not hold them.

    Args:
        days: where rows of these sessions may stand now; further back than ``session_days`` they are not looked for.
        touched: ids of the summaries that are made anew, or are to be gone.
    """
    with alone(ctx.settings, SUMMARIES):
        _store_sessions(ctx, days, touched, made)


def _store_sessions(ctx: StageContext, days: Iterable[date], touched: Iterable[str], made: Sequence[Summary]) -> None:
    reach = ctx.policy.summary.session_days
    span = {day - timedelta(days=n) for day in days for n in range(reach + 1)} | {s.start for s in made}
    rows = _held(ctx, SummaryGrain.SESSION, span & set(ctx.lake.days("summaries")) | {s.start for s in made})
    gone = set(touched)
    stays = [s for i, s in rows.items() if i not in gone] + [_kept(s, rows) for s in made]
    after: dict[date, list[Summary]] = {}
    for summary in stays:
        after.setdefault(summary.start, []).append(summary)
    before: dict[date, list[Summary]] = {}
    for summary in rows.values():
        before.setdefault(summary.start, []).append(summary)
    for day in sorted(before.keys() | after.keys()):
        if _by_id(before.get(day, ())) != _by_id(after.get(day, ())):
            ctx.lake.replace("summaries", day, after.get(day, []), part=SummaryGrain.SESSION)


def raise_class(
    ctx: StageContext, scope: Scope, classification: Classification, tells: Callable[[Summary], bool]
) -> None:
    """Give those of a user's summaries that may tell of something at least its class, until they are made anew.

    Args:
        tells: says which.
    """
    with alone(ctx.settings, SUMMARIES):
        own = ctx.lake.read(
            "summaries",
            Summary,
            where="tenant_id = $tenant AND user_id = $user",
            params={"tenant": scope.tenant_id, "user": scope.user_id},
        )
        raised = {
            s.summary_id: replace(s, classification=classification)
            for s in own
            if classification.level > (s.classification or STRICTEST).level and tells(s)
        }
        for grain, start in sorted({(str(s.grain), s.start) for s in raised.values()}):
            rows = _held(ctx, grain, [start]).values()
            ctx.lake.replace("summaries", start, [raised.get(s.summary_id, s) for s in rows], part=grain)
    index_summaries(ctx, [s for s in raised.values() if s.grain is not SummaryGrain.SESSION])


def _by_id(rows: Iterable[Summary]) -> list[Summary]:
    return sorted(rows, key=lambda s: s.summary_id)


def _held(ctx: StageContext, grain: str, starts: Iterable[date]) -> dict[str, Summary]:
    found = ctx.lake.read("summaries", Summary, days=set(starts), where="grain = $grain", params={"grain": grain})
    return {s.summary_id: s for s in found}


def index_summaries(ctx: StageContext, summaries: Sequence[Summary]) -> None:
    """Bring the index rows of some periods' summaries up to the lake; those that say the same stay as they are."""
    import numpy as np

    from memory_pipeline.storage.parquet.arrow_rows import from_table, to_table
    from memory_pipeline.storage.vectors.index import IndexedSummary
    from memory_pipeline.storage.vectors.projection import indexed_summary

    there = ctx.index.lookup("summaries", [s.summary_id for s in summaries], [f.name for f in fields(IndexedSummary)])
    indexed = {row.summary_id: row for row in from_table(there, IndexedSummary)}
    rows = [row for row in map(indexed_summary, summaries) if indexed.get(row.summary_id) != row]
    if rows:
        starts = {s.summary_id: s.start for s in summaries}
        texts = [OwnedText(Scope(r.tenant_id, r.user_id), starts[r.summary_id], r.content) for r in rows]
        ctx.index.upsert("summaries", to_table(rows, IndexedSummary), np.concatenate(list(encoded(ctx, texts))))
