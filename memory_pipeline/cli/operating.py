"""Commands that look after the whole: demo, ui, doctor."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from memory_pipeline.cli.output import console, print_json, progress
from memory_pipeline.cli.reading import AsJson

app = typer.Typer()


@app.command()
def demo(
    fresh: Annotated[bool, typer.Option(help="Start over instead of showing what is there.")] = False,
) -> None:
    """Run the pipeline on the sample transcripts, in a home of its own, and show what came of them."""
    from memory_pipeline.cli.demo import run_demo

    with progress() as tell:
        account = run_demo(tell, fresh=fresh)
    account.show()


@app.command()
def ui(
    port: Annotated[int, typer.Option(help="Port of the web server.")] = 3000,
    host: Annotated[str, typer.Option(help="Address it listens on.")] = "127.0.0.1",
) -> None:
    """Open Dagster: the asset graph, runs, back-fills; its daemon watches the inbox and keeps the schedules."""
    from memory_pipeline.orchestration.instance import prepare_home
    from memory_pipeline.settings import Settings

    settings = Settings.load()
    prepare_home(settings)
    os.makedirs(settings.path("inbox"), exist_ok=True)
    os.environ["MEMORY_PIPELINE_HOME"] = settings.path().rstrip("/")
    arguments = ["dagster", "dev", "-m", "memory_pipeline.definitions", "-h", host, "-p", str(port)]
    console().print(f"http://{host}:{port}   inbox: {settings.path('inbox')}", markup=False)
    from dagster._cli import cli

    cli(args=arguments[1:], prog_name="dagster")


@app.command()
def doctor(as_json: AsJson = False) -> None:
    """Check settings, stores, models and versions, and compare the lake with the index."""
    from memory_pipeline.cli.doctor import examine

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
