"""The command that brings an older home to the present versions: migrate."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

import typer

from memory_pipeline.cli.output import console, print_account, print_json, progress
from memory_pipeline.cli.reads.reading import AsJson

app = typer.Typer()


@app.command()
def migrate(
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be done, and do nothing.")] = False,
    as_json: AsJson = False,
) -> None:
    """Write files and index tables of older releases anew, as this release has them.

    Readers understand older files without it, at the price of a look at each. Whoever stops it loses nothing: the next
    time it goes on where it was. Run it while no other run is going.
    """
    from memory_pipeline.settings import Settings
    from memory_pipeline.stages.context import StageContext
    from memory_pipeline.stages.operations.migrate import migrate, pending

    now = datetime.now(UTC)
    ctx = StageContext(Settings.load(), f"migrate-{now:%Y%m%dT%H%M%S}", now)
    if dry_run:
        found = pending(ctx)
    else:
        with progress(not as_json) as ctx.progress:
            found = migrate(ctx)
    if as_json:
        print_json({"pending" if dry_run else "migrated": found})
        return
    if not found:
        console().print("Everything is of this release.")
        return
    print_account(
        "To be done" if dry_run else "Done",
        ("what", "files", "of versions", "to", "steps"),
        [
            (e.name, sum(e.files.values()) or None, ", ".join(map(str, e.files)), e.version, ", then ".join(e.steps))
            for e in found
        ],
        figures=(1,),
    )
