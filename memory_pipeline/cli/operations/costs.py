"""Command: costs."""

from __future__ import annotations

from datetime import UTC, datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memory_pipeline.cli.output import note, print_json, print_table
from memory_pipeline.cli.reads.reading import AsJson, Limit
from memory_pipeline.cli.runs.writing import day_of

if TYPE_CHECKING:
    from memory_pipeline.settings import Settings
    from memory_pipeline.storage.parquet.lake import Lake

app = typer.Typer()


class By(StrEnum):
    """What the ledger is summed up by; the same names as ``storage.queries.costs.GROUPINGS``."""

    DAY = "day"
    EVENT_DAY = "event-day"
    STAGE = "stage"
    MODEL = "model"
    USER = "user"
    RUN = "run"


@app.command()
def costs(
    by: Annotated[
        By, typer.Option(help="day: the UTC day it was spent on; event-day: the day of the messages it was spent for.")
    ] = By.DAY,
    first: Annotated[str | None, typer.Option("--from", help="First day of spending.", show_default=False)] = None,
    last: Annotated[str | None, typer.Option("--to", help="Last day of spending.", show_default=False)] = None,
    user: Annotated[str | None, typer.Option("--user", "-u", help="Only this user.")] = None,
    tenant: Annotated[str | None, typer.Option("--tenant", "-t", help="Only this tenant.")] = None,
    limit: Limit = None,
    as_json: AsJson = False,
) -> None:
    """What model calls took: calls, tokens, money, and what kept replies saved."""
    from memory_pipeline.inference.prices import prices, where_prices_come_from
    from memory_pipeline.settings import Settings
    from memory_pipeline.storage.parquet.lake import Lake
    from memory_pipeline.storage.queries.costs import spending

    settings = Settings.load()
    lake = Lake(settings.path("lake"))
    rows, total = spending(lake, by, first=day_of(first), last=day_of(last), tenant=tenant, user=user)
    rows, budget = rows[:limit], today(lake, settings)
    if as_json:
        print_json({"by": by, "rows": rows, "total": total, "budget": budget, "prices": prices(settings)})
        return
    if not rows:
        note("No model was asked for anything yet.")
        return
    _print(by, rows, total)
    note(where_prices_come_from(settings))
    note(spending_sentence(budget))


def today(lake: Lake, settings: Settings) -> dict[str, Any]:
    """The day's spending and its limit: ``day`` (UTC), ``spent``, ``limit`` and ``left`` (None without a limit)."""
    from memory_pipeline.storage.queries.costs import spent_on

    day = datetime.now(UTC).date()
    spent, limit = spent_on(lake, day), settings.budget_usd_per_day
    return {"day": day, "spent": spent, "limit": limit, "left": None if limit is None else max(limit - spent, 0.0)}


def spending_sentence(budget: dict[str, Any]) -> str:
    """The day's spending in a sentence."""
    if budget["limit"] is None:
        return f"Today (UTC): {budget['spent']:.4f} USD; no limit (MEMORY_PIPELINE_BUDGET_USD_PER_DAY sets one)."
    return f"Today (UTC): {budget['spent']:.4f} of {budget['limit']:g} USD (MEMORY_PIPELINE_BUDGET_USD_PER_DAY)."


_FIGURES = ("calls", "cached", "prompt_tokens", "cached_tokens", "completion_tokens", "usd", "saved_usd")


def _print(by: By, rows: list[dict[str, Any]], total: dict[str, Any]) -> None:
    groups = [name for name in rows[0] if name not in total]
    print_table(
        "",
        (
            *(name.replace("_", " ").removesuffix(" id") for name in groups),
            *("calls", "from kept replies", "prompt tokens", "cached there", "completion tokens", "USD", "USD saved"),
        ),
        [
            *((*(_group(row[name]) for name in groups), *_figures(row)) for row in rows),
            *([("total", *[""] * (len(groups) - 1), *_figures(total))] if len(rows) > 1 else []),
        ],
        figures=range(len(groups), len(groups) + len(_FIGURES)),
    )
    if total["cached"]:
        note(
            f"Kept replies answered {total['cached']:,} requests: {total['saved_tokens']:,} tokens and "
            f"{total['saved_usd']:.4f} USD were not spent again."
        )


def _group(value: Any) -> str:
    return str(value) or "(no one's)"


def _figures(row: dict[str, Any]) -> list[str]:
    return [f"{row[name]:.4f}" if name.endswith("usd") else f"{row[name]:,}" for name in _FIGURES]
