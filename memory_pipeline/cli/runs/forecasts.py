"""What a run is going to cost: the account of ``run --dry-run``, and what is said or asked before a real one."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING, Any

import typer

from memory_pipeline.cli.output import confirm, console, print_account

if TYPE_CHECKING:
    from memory_pipeline.settings import Settings

NEVER_MADE = "never made"


def print_plan(settings: Settings, planned: Sequence[Mapping[str, Any]], forecast: Mapping[str, Any]) -> None:
    """The plan, then the forecast."""
    from memory_pipeline.inference.prices import where_prices_come_from

    if forecast.get("inbox_files"):
        console().print(f"{forecast['inbox_files']} files of the inbox are not read yet and come on top.")
    if not planned:
        console().print("Everything is up to date.")
        return
    print_account("", ("from", "to", "partitions of stages"), [(p["from"], p["to"], _counted(p)) for p in planned])
    print_reasons(forecast.get("reasons", {}))
    console().print()
    console().print(_time(forecast), markup=False)
    if settings.chat == settings.encoder == "builtin":
        console().print("It costs nothing: the builtin models answer in this process, and nothing leaves the machine.")
        return
    if not forecast["stages"]:
        console().print("No hosted model needs to be asked: it costs nothing.")
        return
    print_account(
        "",
        ("stage", "calls", "from kept replies", "prompt tokens", "completion tokens", "USD", "how it is known"),
        [_row(task) for task in forecast["stages"]],
        figures=range(1, 6),
    )
    exact = "" if forecast["exact"] else "about "
    console().print(
        f"Together {exact}{forecast['calls']:,} calls, {forecast['tokens']:,} tokens, {forecast['usd']:.4f} USD; "
        f"{forecast['cached']:,} requests are answered by kept replies.",
        markup=False,
    )
    console().print(where_prices_come_from(settings), markup=False, style="dim")
    if forecast["over_budget"]:
        console().print(_too_much(forecast["usd"], forecast["budget_left"], settings), markup=False)


def print_reasons(reasons: Mapping[str, Mapping[str, int]]) -> None:
    """Why partitions are made, by stage; of those that were never made nothing needs to be said."""
    for stage, found in reasons.items():
        told = ", ".join(f"{n:,} {reason}" for reason, n in found.items() if reason != NEVER_MADE)
        if told:
            console().print(f"{stage}: {told}", markup=False)


def _time(forecast: Mapping[str, Any]) -> str:
    seconds, runs = forecast["seconds"], forecast["measured_runs"]
    took = f"{seconds / 60:,.0f} minutes" if seconds >= 90 else f"{max(seconds, 1):.0f} seconds"
    if seconds >= 5400:
        took = f"{seconds / 3600:.1f} hours"
    basis = f"{runs} earlier run{'s' if runs > 1 else ''}" if runs else "the sample: no run has been measured here yet"
    return f"It takes about {took}, going by {basis}."


def _counted(step: Mapping[str, Any]) -> str:
    return ", ".join(f"{n:,} {name}" for name, n in step["partitions"].items())


def _row(task: Mapping[str, Any]) -> tuple[str, ...]:
    about = "" if task["exact"] else "~"
    return (
        task["stage"],
        f"{about}{task['calls']:,}",
        f"{task['cached']:,}",
        f"{about}{task['prompt_tokens']:,}",
        f"~{task['completion_tokens']:,}",
        f"~{task['usd']:.4f}",
        task["basis"],
    )


def _too_much(usd: float, left: float, settings: Settings) -> str:
    return (
        f"About {usd:.4f} USD are more than is left of today's budget: {left:.4f} of "
        f"{settings.budget_usd_per_day:g}. The run stops when it is spent and keeps what was paid for; a run after "
        "00:00 UTC goes on from there."
    )


def announce(settings: Settings, first: date | None, last: date | None, only: Sequence[str], *, ask: bool) -> None:
    """Before a run of hosted models: say where the budget will not do, and ask where it is dear and somebody is there.

    Args:
        ask: whether to ask at all; without a terminal nobody is ever asked.

    Raises:
        typer.Exit: the answer was no.
    """
    if settings.chat == settings.encoder == "builtin":
        return
    from memory_pipeline.orchestration.runs.run import preview

    ahead = preview(settings, first, last, only)
    usd = ahead.forecast.usd
    if ahead.over_budget and ahead.left is not None:
        print(_too_much(usd, ahead.left, settings), file=sys.stderr)
    attended = sys.stdin.isatty() and sys.stderr.isatty()
    if ask and attended and usd > settings.policies.forecast.ask_usd:
        calls = f"{ahead.forecast.calls:,} calls, {ahead.forecast.tokens:,} tokens"
        print(f"This is going to cost about {usd:.2f} USD ({calls}).", file=sys.stderr)
        if not confirm("Go on?"):
            raise typer.Exit(0)
