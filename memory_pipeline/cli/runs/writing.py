"""Commands that write: ingest and run."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memory_pipeline.cli.output import console, note, print_account, print_json, print_table, progress
from memory_pipeline.cli.reads.reading import AsJson
from memory_pipeline.cli.runs.forecasts import announce, print_plan
from memory_pipeline.errors import IngestError, ModelError, SettingsError

if TYPE_CHECKING:
    from memory_pipeline.settings import Settings
    from memory_pipeline.stages.messages.ingest import IngestReport

app = typer.Typer()
LAST_DAY = "Last day. Where later days of the same users rest on what changed, these are consolidated again, too."


@app.command()
def ingest(
    paths: Annotated[
        list[Path], typer.Argument(help="Files, or folders of nothing but such files.", show_default=False)
    ],
    format: Annotated[
        str, typer.Option(help="auto, jsonl, openai, chatgpt, claude, locomo, longmemeval, csv or parquet.")
    ] = "auto",
    tenant: Annotated[str | None, typer.Option("--tenant", "-t", help="For messages that name none.")] = None,
    user: Annotated[
        str | None, typer.Option("--user", "-u", help="For messages that name none, or only an account.")
    ] = None,
    timezone: Annotated[str | None, typer.Option(help="Zone of users whose messages name none.")] = None,
    as_json: AsJson = False,
) -> None:
    """Validate transcripts into the message log; bad lines go to the quarantine."""
    from memory_pipeline.settings import Settings

    now = datetime.now(UTC)
    with progress(not as_json) as tell:
        from memory_pipeline.stages.context import StageContext
        from memory_pipeline.stages.messages.ingest import ingest as take

        ctx = StageContext(Settings.load(), f"ingest-{now:%Y%m%dT%H%M%S%f}", now, tell)
        report = take(ctx, paths, format=format, tenant=tenant, user=user, timezone=timezone)
    if as_json:
        print_json(report.to_dict())
    else:
        _print_intake(report, ctx.settings)
    if unreadable := report.unreadable:
        more = f" (and {len(unreadable) - 1} more)" if len(unreadable) > 1 else ""
        raise IngestError(
            f"{len(unreadable)} of {len(report.files)} files could not be read, or not to the end: "
            f"{unreadable[0].reason}{more}",
            path=unreadable[0].path,
        )


def _print_intake(report: IngestReport, settings: Settings) -> None:
    from memory_pipeline.stages.messages.languages import unread

    print_table(
        "",
        ("file", "taken", "already known", "edited", "quarantined"),
        [(f.path, f.taken, f.known, f.edited, f.quarantined) for f in report.files],
    )
    for file in report.unreadable:
        note(str(file.reason))
    said = ("taken", "known", "edited", "quarantined", "skipped", "reason")
    empty = [f for f in report.files if not any(getattr(f, name) for name in said)]
    for file in empty:
        note(f"{file.path}: there is no message in it")
    if report.quarantined:
        note(f"{report.quarantined} lines were put aside, each with its reason: {settings.path('quarantine')}")
    if report.skipped:
        kinds = ", ".join(f"{n:,} {kind}" for kind, n in report.skipped.most_common())
        note(f"Left out, because they are no part of a talk: {kinds}.")
    if told := unread(settings, report.languages):
        note(told)
    if report.erased:
        note(f"{report.erased} messages had been erased and stay out; see `memory-pipeline erase --help`.")
    if len(report.files) > len(report.unreadable) + len(empty):
        note("Next: memory-pipeline run")


def day_of(text: str | None) -> date | None:
    """An option that names a day."""
    if text is None:
        return None
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise typer.BadParameter(f"{text!r} is not a day such as 2026-03-10") from error


Accept = Annotated[
    str | None,
    typer.Option(
        "--accept", help="Publish although these audits fail, comma-separated; it is recorded.", show_default=False
    ),
]


@app.command()
def run(
    first: Annotated[str | None, typer.Option("--from", help="First day.", show_default=False)] = None,
    last: Annotated[str | None, typer.Option("--to", help=LAST_DAY, show_default=False)] = None,
    only: Annotated[str | None, typer.Option(help="Only these stages, comma-separated.", show_default=False)] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be made.")] = False,
    batch: Annotated[
        bool, typer.Option("--batch", help="Ask the model through its Batch API: half the price, up to a day's wait.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask, whatever it is going to cost.")] = False,
    accept: Accept = None,
    as_json: AsJson = False,
) -> None:
    """Materialise what is missing or stale, oldest first."""
    from memory_pipeline.settings import Settings

    span = day_of(first), day_of(last)
    with progress(not as_json) as tell:
        from memory_pipeline.orchestration.processes.stage_contexts import listen
        from memory_pipeline.orchestration.runs.run import run as materialise

        stages, accepted = _stages(only), accepted_audits(accept)
        settings = Settings.load(chat_batch=batch or None)
        if not dry_run and not as_json:
            announce(settings, *span, stages, ask=not yes)
        stop = listen(tell)
        try:
            report = materialise(settings, *span, stages, dry_run=dry_run, accept=accepted, mark_empty=True)
        finally:
            stop()
    if as_json:
        print_json(report)
    elif dry_run:
        print_plan(settings, report.planned, report.forecast or {})
    else:
        print_run(report)
    if report.failure:
        raise ModelError(report.failure)


def _stages(text: str | None) -> list[str]:
    from memory_pipeline.stages.plan.registry import BY_NAME

    names = _names(text)
    if unknown := [name for name in names if name not in BY_NAME]:
        raise typer.BadParameter(
            f"no stage called {', '.join(unknown)}; the stages are {', '.join(BY_NAME)}", param_hint="--only"
        )
    return names


def accepted_audits(text: str | None) -> list[str]:
    """The names of audits that may fail.

    Raises:
        typer.BadParameter: no audit of that name, or one that nobody may accept to fail.
    """
    if not (names := _names(text)):
        return []
    from memory_pipeline.stages.publication.auditing import accepting

    try:
        return sorted(accepting(names))
    except SettingsError as error:
        raise typer.BadParameter(str(error), param_hint="--accept") from error


def _names(text: str | None) -> list[str]:
    """An option that lists names."""
    return [name.strip() for name in (text or "").split(",") if name.strip()]


def print_run(report: Any) -> None:
    """The account of a run."""
    if not report.run_ids:
        console().print("Everything is up to date: nothing was made, and no model was called.")
        return
    print_account(
        "",
        ("stage", "partitions", "rows", "seconds"),
        [(name, int(s["partitions"]), int(s["rows"]), f"{s['seconds']:.1f}") for name, s in report.stages.items()],
        figures=(1, 2, 3),
    )
    if report.models:
        print_account(
            "",
            ("model task", "calls", "kept replies", "tokens", "USD"),
            [(name, m["calls"], m["cached"], m["tokens"], f"{m['usd']:.4f}") for name, m in report.models.items()],
            figures=(1, 2, 3, 4),
        )
    console().print(report.told, markup=False)
    if report.unread:
        console().print(report.unread, markup=False)
    for line in _shortfalls(report):
        console().print(line, markup=False, style="yellow")
    if report.quarantined:
        console().print(f"{report.quarantined} replies, or parts of replies, did not fit and were put aside.")
    if report.later_days:
        console().print(
            f"The same users' memories of {report.later_days:,} later days rest on what changed, and were consolidated "
            "again.",
            markup=False,
        )
    versions = ", ".join(f"{n:,} {name}" for name, n in report.versions.items())
    console().print(f"Versions of memories: {versions}.", markup=False)
    console().print(f"What each of the {len(report.run_ids)} runs did: memory-pipeline runs", style="dim", markup=False)


def _shortfalls(report: Any) -> list[str]:
    """What a run did not get: windows without a reply, and proposals that the gate let not pass."""
    told = []
    calls, useless = report.model_calls, sum(int(m["unfit"]) for m in report.models.values())
    if useless:
        told.append(f"{useless:,} of {calls:,} model calls ({useless / calls:.0%}) brought no reply that fits.")
    windows, unfit = report.windows.get("windows", 0), report.windows.get("unfit", 0)
    if unfit:
        told.append(
            f"{unfit:,} of {windows:,} windows ({unfit / windows:.0%}) got no reply that fits; the next run asks "
            "again. "
            f"{report.why}".strip()
        )
    judged, rejected = report.proposals.get("proposals", 0), report.proposals.get("rejected", 0)
    if rejected * 2 > judged:
        told.append(
            f"The gate rejected {rejected:,} of {judged:,} proposals ({rejected / judged:.0%}): "
            "memory-pipeline verdicts says why."
        )
    return told
