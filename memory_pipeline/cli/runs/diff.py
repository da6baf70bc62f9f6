"""``diff`` and ``rollback --dry-run``: what would become of memories, and what it takes, before anything counts."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memory_pipeline.cli.output import confirm, console, print_account, print_json, progress
from memory_pipeline.cli.reads.reading import AsJson
from memory_pipeline.cli.runs.forecasts import print_reasons
from memory_pipeline.cli.runs.writing import LAST_DAY, day_of
from memory_pipeline.domain.plain import plain

if TYPE_CHECKING:
    from memory_pipeline.orchestration.runs.diff import DiffReport
    from memory_pipeline.orchestration.runs.look_ahead import LookAhead
    from memory_pipeline.stages.plan.diff import Difference, Side

app = typer.Typer()
Limit = Annotated[int, typer.Option(min=0, help="Memories and summaries to list at most.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask before hosted models cost something.")]


@app.command()
def diff(
    first: Annotated[str | None, typer.Option("--from", help="First day.", show_default=False)] = None,
    last: Annotated[str | None, typer.Option("--to", help=LAST_DAY, show_default=False)] = None,
    limit: Limit = 50,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """What a changed prompt, model, gate or policy would add, change and retire, and cost; nothing counts yet."""
    from memory_pipeline.orchestration.runs.diff import diff as compare
    from memory_pipeline.settings import Settings

    settings = Settings.load()
    span = day_of(first), day_of(last)
    if span[0] and span[1] and span[1] < span[0]:
        raise typer.BadParameter(f"--to {span[1]} is before --from {span[0]}")
    show(lambda tell, agree: compare(settings, *span, agree=agree, progress=tell), limit, yes, as_json)


def show(make: Callable[[Any, Callable[[LookAhead], bool]], DiffReport], limit: int, yes: bool, as_json: bool) -> None:
    """Rehearse, and tell what came of it.

    Raises:
        typer.Exit: it would cost something, and nobody agreed.
    """
    from memory_pipeline.orchestration.runs.diff import Declined

    try:
        with progress(not as_json) as tell:
            report = make(tell, lambda ahead: yes or _agreed(ahead))
    except Declined as declined:
        raise typer.Exit(1) from declined
    if as_json:
        print_json(_as_dict(report, limit))
    else:
        _print(report, limit)


def _agreed(ahead: LookAhead) -> bool:
    """Ask, where somebody is there; without a terminal hosted models need ``--yes``."""
    forecast = ahead.forecast
    told = f"{forecast.calls:,} calls, {forecast.tokens:,} tokens, about {forecast.usd:.2f} USD"
    question = f"To see it, models must be asked: {told}. The replies are kept for the run."
    if not sys.stdin.isatty():
        print(f"memory-pipeline: {question} Say --yes to go on, or --from and --to to make it less", file=sys.stderr)
        return False
    return confirm(f"{question} Go on?")


def _as_dict(report: DiffReport, limit: int) -> dict[str, Any]:
    found: dict[str, Any] = plain(report)
    left_out = 0
    for name in ("memories", "summaries"):
        left_out += max(len(found[name]) - limit, 0)
        found[name] = found[name][:limit]
    return found | {"left_out": left_out}


def _print(report: DiffReport, limit: int) -> None:
    if not report.partitions:
        console().print("Nothing is stale: a run would make nothing, and ask no model.")
        return
    listed = [*report.memories, *report.summaries]
    for found in listed[:limit]:
        _print_one(found)
    if listed[limit:]:
        console().print(f"… and {len(listed) - limit:,} more: --limit, or --json", style="dim", markup=False)
    kinds = ("added", "changed", "retired")
    _print_counts("by type", report.by_type, kinds)
    _print_counts("by day", report.by_day, kinds)
    counts = ", ".join(f"{n:,} {kind}" for kind, n in report.counts.items())
    console().print(f"Memories: {counts}. Summaries told otherwise: {len(report.summaries):,}.", markup=False)
    made = ", ".join(f"{name} {n:,}" for name, n in report.partitions.items())
    console().print(f"Partitions: {made}.", markup=False)
    print_reasons(report.forecast.get("reasons", {}))
    if report.later_days:
        console().print(
            f"The same users' memories of {report.later_days:,} later days rest on it and are among them.", markup=False
        )
    for name, rule in report.refused.items():
        console().print(f"The audit {name} would stop the run: {rule}", markup=False)
    if report.failed:
        console().print(f"Replies that did not fit, to be asked for again: {report.failed}", markup=False)
    _print_cost(report)


def _print_counts(title: str, counts: dict[str, dict[str, int]], kinds: Sequence[str]) -> None:
    if counts:
        print_account(
            "", (title, *kinds), [(n, *(c[k] for k in kinds)) for n, c in counts.items()], figures=range(1, 4)
        )


def _print_cost(report: DiffReport) -> None:
    forecast, used = report.forecast, report.used
    console().print(
        f"Forecast: {forecast['calls']:,} calls, {forecast['tokens']:,} tokens, {forecast['usd']:.4f} USD. "
        f"Really made: {used['calls']:,} calls, {used['cached']:,} answered by kept replies, {used['tokens']:,} "
        f"tokens, {used['usd']:.4f} USD.",
        markup=False,
    )
    console().print("Nothing has changed; `memory-pipeline run` puts it in force, with the replies that are kept now.")


def _print_one(found: Difference) -> None:
    told = [
        ("now", _side(found.before)),
        ("then", _after(found)),
        ("why", found.reason),
        ("rests on", f"“{found.quote}” ({found.message_id})" if found.quote else ""),
    ]
    console().print(f"{found.kind}  {found.day}  {found.user_id}  {found.type}", markup=False, style="bold")
    for title, text in told:
        if text:
            console().print(f"  {title:<9} {text}", markup=False, soft_wrap=True)


def _side(side: Side | None) -> str:
    if side is None:
        return ""
    return side.content if side.status == "active" else f"{side.content} [{side.status}]"


def _after(found: Difference) -> str:
    """What it would say, and what else would differ."""
    others = ", ".join(name for name in found.fields if name != "content")
    return _side(found.after) + (f" ({others})" if others else "")
