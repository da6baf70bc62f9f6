"""Commands that carry a user from one home to another: export, import."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from memory_pipeline.cli.output import console, print_account, print_json, progress
from memory_pipeline.cli.reads.reading import AsJson, Tenant, User
from memory_pipeline.cli.runs.writing import Accept, accepted_audits

if TYPE_CHECKING:
    pass

app = typer.Typer()


@app.command()
def export(
    user: User,
    out: Annotated[Path, typer.Option("--out", "-o", help="File to write; one of that name is replaced.")],
    tenant: Tenant = "default",
    as_json: AsJson = False,
) -> None:
    """Write everything of one user into a bundle: transcripts, memories, summaries, kept replies, the recall log."""
    from memory_pipeline.curator import MemoryCurator

    with progress(not as_json) as tell:
        manifest = MemoryCurator.open().export(out, user_id=user, tenant_id=tenant, progress=tell)
    if as_json:
        print_json({"out": out, "manifest": manifest})
        return
    print_account(
        str(out), ("dataset", "rows"), [(n, m.rows) for n, m in manifest.members.items() if m.rows], figures=(1,)
    )
    console().print("The bundle holds what the user said, in the clear; erasing the user here does not reach it.")


@app.command("import")
def import_(
    path: Annotated[Path, typer.Argument(metavar="FILE", help="A bundle.", exists=True, dir_okay=False)],
    user: Annotated[str | None, typer.Option("--user", "-u", help="Whose it becomes; else the bundle's.")] = None,
    tenant: Annotated[str | None, typer.Option("--tenant", "-t", help="The tenant; else the bundle's.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be taken in, and take nothing.")] = False,
    accept: Accept = None,
    as_json: AsJson = False,
) -> None:
    """Take a bundle in: what breaks the gate's rules is put aside, and nothing reaches another user."""
    from memory_pipeline.curator import MemoryCurator

    accepted = accepted_audits(accept)
    with progress(not as_json) as tell:
        report = MemoryCurator.open().import_(
            path, user_id=user, tenant_id=tenant, dry_run=dry_run, accept=accepted, progress=tell
        )
    if as_json:
        print_json({"dry_run": dry_run, **report.to_dict()})
        return
    aside = Counter(a.dataset for a in report.aside)
    names = [n for n in report.added if report.added[n] or report.known[n] or aside[n]]
    print_account(
        f"{'Would be taken in' if dry_run else 'Taken in'} for user {report.user_id} of tenant {report.tenant_id}",
        ("dataset", "new", "known", "put aside"),
        [(n, report.added[n], report.known[n], aside[n]) for n in names],
        figures=(1, 2, 3),
    )
    for (dataset, reason), count in Counter((a.dataset, a.reason) for a in report.aside).most_common(10):
        console().print(f"- {dataset}: {reason} ({count})", markup=False)
    if report.merged and not dry_run:
        console().print("This home knew the user: `memory-pipeline run` makes anew what follows from both.")
