"""Command: rates."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

import typer

from memory_pipeline.cli.output import note, print_json, print_table
from memory_pipeline.cli.reads.reading import AsJson
from memory_pipeline.cli.runs.writing import day_of

app = typer.Typer()
_SHOWN_DAYS = 14


@app.command()
def rates(
    first: Annotated[str | None, typer.Option("--from", help="First day; by default the last 14.")] = None,
    last: Annotated[str | None, typer.Option("--to", help="Last day, included.")] = None,
    limit: Annotated[int, typer.Option("--limit", min=1, help="Days, when no first one is named.")] = _SHOWN_DAYS,
    as_json: AsJson = False,
) -> None:
    """What became of the windows, and how much was junk, repeated, echoed, secret, stale or unreadable, by day."""
    from memory_pipeline.domain.rates import Rate, total, trend
    from memory_pipeline.settings import Settings
    from memory_pipeline.stages.context import StageContext
    from memory_pipeline.stages.plan.freshness import provenance
    from memory_pipeline.stages.plan.registry import BY_NAME
    from memory_pipeline.storage.queries.rate_queries import WindowOutcomes, span_before, window_outcomes
    from memory_pipeline.storage.queries.rate_queries import rates as counted

    settings = Settings.load()
    ctx = StageContext(settings, "rates", datetime.now(UTC))
    lake, policy = ctx.lake, settings.policies.rates
    start, end = day_of(first), day_of(last)
    names = ("messages", "verdicts", "costs", "memory_versions")
    every = sorted({d for name in names for d in lake.days(name) if (start or d) <= d <= (end or d)})
    days = every if start is not None else every[-limit:]
    before = span_before(days, policy.trailing_days)
    found, windows = counted(lake, [*before, *days]), window_outcomes(lake, days)
    waiting = set(lake.days("messages")) - provenance(ctx, BY_NAME["proposals"]).keys()
    trends = {rate: trend(rate, total(found[rate], days), total(found[rate], before), policy) for rate in Rate}
    if as_json:
        print_json(
            {
                "days": [
                    {
                        "day": day,
                        "answered": day not in waiting,
                        "windows": windows.get(day, WindowOutcomes()),
                        "rates": {rate: found[rate][day].share for rate in Rate if day in found[rate]},
                    }
                    for day in days
                ],
                "rates": {
                    rate: {"rate": t.now.share, "before": t.before.share, "counted": t.now.whole, "ok": t.ok}
                    for rate, t in trends.items()
                },
            }
        )
        return
    if not days:
        note("Nothing has been judged yet.")
        return
    print_table(
        "",
        ("day", "windows", "empty", "rejected", *Rate),
        [
            (
                day,
                "waiting" if day in waiting else (w := windows.get(day, WindowOutcomes())).windows,
                *(("", "") if day in waiting else (w.nothing_to_keep, w.all_rejected)),
                *(f"{found[rate][day].share:.1%}" if day in found[rate] else "" for rate in Rate),
            )
            for day in days
        ],
        figures=range(1, 4 + len(Rate)),
    )
    told = "empty: windows with nothing to keep; rejected: the gate let nothing of them pass; waiting: unanswered"
    note(told)
    for rate, judged in trends.items():
        note(f"{'     ' if judged.ok else 'WARN '}{rate}: {judged.told}")
