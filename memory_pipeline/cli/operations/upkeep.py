"""Commands that look after the whole: demo, ui, doctor, maintain."""

from __future__ import annotations

import logging
import os
import warnings
from typing import Annotated, Any

import typer

from memory_pipeline.cli.output import console, for_people, print_account, print_json, progress
from memory_pipeline.cli.reads.reading import AsJson

app = typer.Typer()


@app.command()
def demo(
    fresh: Annotated[bool, typer.Option(help="Start over instead of showing what is there.")] = False,
) -> None:
    """Run the pipeline on the sample transcripts, in a home of its own, and show what came of them."""
    with progress() as tell:
        from memory_pipeline.cli.operations.demo import run_demo

        account = run_demo(tell, fresh=fresh)
    with for_people():
        account.show()


@app.command()
def ui(
    port: Annotated[int, typer.Option(help="Port of the web server.")] = 3000,
    host: Annotated[str, typer.Option(help="Address it listens on.")] = "127.0.0.1",
) -> None:
    """Open Dagster: the asset graph, runs, back-fills; its daemon watches the inbox and keeps the schedules."""
    from memory_pipeline.orchestration.dagster_home.instance import instance, prepare_home
    from memory_pipeline.orchestration.processes.liveness import stop_launched
    from memory_pipeline.settings import Settings

    settings = Settings.load()
    prepare_home(settings)
    os.makedirs(settings.path("inbox"), exist_ok=True)
    os.environ["MEMORY_PIPELINE_HOME"] = settings.path().rstrip("/")
    arguments = ["dagster", "dev", "-m", "memory_pipeline.definitions", "-h", host, "-p", str(port)]
    arguments += ["--log-level", "warning"]  # else two lines every few seconds say that the inbox is empty
    console().print(f"http://{host}:{port}   inbox: {settings.path('inbox')}", markup=False)
    import dagster as dg
    from dagster._cli import cli

    # `dg dev` has taken the place of `dagster dev`: nothing that whoever types `memory-pipeline ui` could do about.
    warnings.simplefilter("ignore", dg.SupersessionWarning)
    logging.getLogger("dagster").addFilter(_is_of_use)
    try:
        cli(args=arguments[1:], prog_name="dagster")
    finally:
        with instance(settings) as dagster:
            stop_launched(dagster, settings)


def _is_of_use(record: logging.LogRecord) -> bool:
    """Whether a line of Dagster's tells whoever has opened the UI anything: a ``dagster.yaml`` in the folder where they
    stand, as every checkout has one, is not to be looked at."""
    return "instance configuration value" not in record.getMessage()


@app.command()
def doctor(
    mend: Annotated[
        bool,
        typer.Option(
            "--repair", help="First make damaged or lost parts again, and put broken databases of runs aside."
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Check settings, stores, models and versions, and compare the lake with the index."""
    from memory_pipeline.cli.operations.doctor import examine

    if mend:
        _repair(as_json)
    checks = examine()
    ok = all(check["ok"] for check in checks)
    if as_json:
        print_json({"ok": ok, "checks": checks})
    else:
        for check in checks:
            mark = "[green]ok  [/]" if check["ok"] else "[red]FAIL[/]"
            console().print(f"{mark} {check['name']}", end="  ")
            console().print(str(check["detail"]), markup=False, style="dim")
    if not ok:
        raise typer.Exit(1)


def _repair(as_json: bool) -> None:
    """Damaged tables of the index, what was made in the lake and is gone, and broken databases of runs."""
    from datetime import UTC, datetime

    from memory_pipeline.orchestration.dagster_home.broken_databases import put_aside
    from memory_pipeline.orchestration.runs.materialise import make_lost
    from memory_pipeline.settings import Settings
    from memory_pipeline.stages.context import StageContext
    from memory_pipeline.stages.operations.index_repair import repair

    now = datetime.now(UTC)
    settings = Settings.load()
    with progress(not as_json) as tell:
        aside = put_aside(settings, now)
        found = repair(StageContext(settings, f"repair-{now:%Y%m%dT%H%M%S%f}", now, tell), whole=True)
        report = make_lost(settings)
    if as_json:
        return
    for line in (
        *(f"put aside: {path}" for path in aside),
        *(f"made again: {wrong}" for wrong in found.values()),
        *(f"made again: {', '.join(step['stages'])} of {step['from']} to {step['to']}" for step in report.planned),
    ):
        console().print(line, markup=False)


@app.command()
def maintain(as_json: AsJson = False) -> None:
    """Keep the stores and Dagster's event log small; nothing that is remembered changes."""
    from datetime import UTC, datetime

    from memory_pipeline.orchestration.dagster_home.instance import instance
    from memory_pipeline.orchestration.dagster_home.maintenance import maintain_all
    from memory_pipeline.settings import Settings
    from memory_pipeline.stages.context import StageContext

    now = datetime.now(UTC)
    settings = Settings.load()
    with progress(not as_json) as tell, instance(settings) as dagster:
        done = maintain_all(StageContext(settings, f"maintain-{now:%Y%m%dT%H%M%S%f}", now, tell), dagster)
    if as_json:
        print_json(done.to_dict())
    else:
        _print_maintained(done)
    if not all(check.ok for check in done.checks):
        raise typer.Exit(1)


def _print_maintained(done: Any) -> None:
    before, after = done.stores.before, done.stores.after
    parts = sorted({*after.datasets, *after.tables})
    sizes = [
        tuple(weight for size in (before, after) for weight in (size.datasets.get(p) or size.tables.get(p) or (0, 0)))
        for p in parts
    ]
    columns = ("", "bytes before", "files", "bytes after", "files")
    rows = [(part, *size) for part, size in zip(parts, sizes, strict=True)]
    print_account("", columns, [*rows, ("all", *before.total, *after.total)], figures=(1, 2, 3, 4))
    for check in done.checks:
        console().print(f"{'[green]ok  [/]' if check.ok else '[red]FAIL[/]'} {check.name}", end="  ")
        console().print(check.detail, markup=False, style="dim")
    history = done.history
    console().print(
        f"event log: {history.logs} runs' logs and {history.events} events removed, {history.freed:,} bytes freed",
        markup=False,
    )
