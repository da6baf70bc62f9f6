"""Commands that write: ingest and run."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from memory_pipeline.cli.output import console, print_json, print_table, progress
from memory_pipeline.cli.reading import AsJson

app = typer.Typer()


@app.command()
def ingest(
    paths: Annotated[list[Path], typer.Argument(help="Files or folders.", show_default=False)],
    format: Annotated[
        str, typer.Option(help="auto, jsonl, openai, chatgpt, claude, locomo, longmemeval, csv or parquet.")
    ] = "auto",
    tenant: Annotated[str | None, typer.Option("--tenant", "-t", help="For messages that name none.")] = None,
    user: Annotated[str | None, typer.Option("--user", "-u", help="For messages that name none.")] = None,
    timezone: Annotated[str | None, typer.Option(help="Zone of users whose messages name none.")] = None,
    as_json: AsJson = False,
) -> None:
    """Validate transcripts into the message log; bad lines go to the quarantine."""
    from memory_pipeline.settings import Settings
    from memory_pipeline.stages.context import StageContext
    from memory_pipeline.stages.ingest import ingest as take

    now = datetime.now(UTC)
    with progress(not as_json) as tell:
        ctx = StageContext(Settings.load(), f"ingest-{now:%Y%m%dT%H%M%S%f}", now, tell)
        report = take(ctx, paths, format=format, tenant=tenant, user=user, timezone=timezone)
    if as_json:
        print_json(report.as_dict())
        return
    print_table(
        "",
        ("file", "taken", "already known", "quarantined"),
        [(f.path, f.taken, f.known, f.quarantined) for f in report.files],
    )
    if report.quarantined:
        where = ctx.settings.path("quarantine")
        console().print(f"{report.quarantined} lines were put aside, each with its reason: {where}", markup=False)
    console().print("Next: memory-pipeline run", style="dim")


def _day(text: str | None) -> date | None:
    if text is None:
        return None
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise typer.BadParameter(f"{text!r} is not a day such as 2026-03-10") from error


@app.command()
def run(
    first: Annotated[str | None, typer.Option("--from", help="First day.", show_default=False)] = None,
    last: Annotated[str | None, typer.Option("--to", help="Last day.", show_default=False)] = None,
    only: Annotated[str | None, typer.Option(help="Only these stages, comma-separated.", show_default=False)] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be made.")] = False,
    as_json: AsJson = False,
) -> None:
    """Materialise what is missing or stale, oldest first."""
    from memory_pipeline.orchestration.resources import listen
    from memory_pipeline.orchestration.run import run as materialise
    from memory_pipeline.settings import Settings

    stages = [name.strip() for name in (only or "").split(",") if name.strip()]
    with progress(not as_json and not dry_run) as tell:
        stop = listen(tell)
        try:
            report = materialise(Settings.load(), _day(first), _day(last), stages, dry_run=dry_run)
        finally:
            stop()
    if as_json:
        print_json(report)
    elif dry_run:
        _print_plan(report.planned)
    else:
        print_run(report)


def _print_plan(planned: list[dict[str, Any]]) -> None:
    if not planned:
        console().print("Everything is up to date.")
        return
    print_table("", ("from", "to", "stages"), [(p["from"], p["to"], ", ".join(p["stages"])) for p in planned])


def print_run(report: Any) -> None:
    """The account of a run."""
    if not report.run_ids:
        console().print("Everything is up to date: nothing to make.")
        return
    print_table(
        "",
        ("stage", "partitions", "rows", "seconds"),
        [(name, int(s["partitions"]), int(s["rows"]), f"{s['seconds']:.1f}") for name, s in report.stages.items()],
    )
    console().print(
        f"{report.model_calls} model calls, {report.model_calls_cached} answered by the reply cache, "
        f"{report.tokens} tokens, {report.usd:.4f} USD",
        markup=False,
    )
