"""``staged``: what runs have staged and did not publish, because an audit failed, with the rows to look at."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memory_pipeline.cli.output import console, print_account, print_json
from memory_pipeline.cli.reads.reading import AsJson
from memory_pipeline.errors import NotFound

if TYPE_CHECKING:
    from memory_pipeline.storage.parquet.lake import Lake
    from memory_pipeline.storage.parquet.staged_rows import StagedRows

app = typer.Typer()
_ROWS = ("day", "tenant_id", "user_id", "memory_id", "change", "status", "reason", "content", "asserted")


@app.command()
def staged(
    run_id: Annotated[str | None, typer.Argument(help="The run; all when not given.", show_default=False)] = None,
    rows: Annotated[int, typer.Option("--limit", "--rows", min=0, help="Staged versions to show.")] = 20,
    discard: Annotated[bool, typer.Option("--discard", help="Throw away what is staged.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show what runs have staged and did not publish: the audits, the rows that failed them, the versions."""
    from memory_pipeline.settings import Settings
    from memory_pipeline.storage.parquet.lake import Lake

    lake = Lake(Settings.load().path("lake"))
    found = list(_wanted(lake, run_id))
    if discard:
        for one in found:
            _discard(one)
        console().print(f"thrown away: what {len(found)} runs had staged", markup=False)
    elif as_json:
        print_json([_as_dict(one, rows) for one in found])
    elif not found:
        console().print("Nothing is staged: every run has published what it made.")
    else:
        for one in found:
            _print(one, rows, in_full=run_id is not None)


def _wanted(lake: Lake, run_id: str | None) -> Iterator[StagedRows]:
    from memory_pipeline.storage.parquet.staged_rows import StagedRows, staged_runs

    there = staged_runs(lake)
    if run_id is None:
        yield from there
        return
    names = {one.name for one in there}
    wanted = StagedRows.of(lake, run_id)
    if wanted.name not in names:
        known = f"; there is {', '.join(sorted(names))}" if names else ", nor of any other"
        raise NotFound(f"nothing is staged of run {run_id!r}{known}", run_id=run_id)
    yield wanted


def _discard(one: StagedRows) -> None:
    with one.held() as idle:
        if not idle:
            raise NotFound(f"run {one.name} is still at work", run_id=one.name)
        one.remove()


def _as_dict(one: StagedRows, rows: int) -> dict[str, Any]:
    note = one.note()
    table = one.rows("memory_versions")
    return {
        "run_id": note.get("run_id", one.name),
        "audited_at": note.get("audited_at"),
        "folder": one.path,
        "audits": note.get("audits", []),
        "versions": table.num_rows,
        "rows": table.select(_ROWS).slice(0, rows).to_pylist(),
    }


def _print(one: StagedRows, rows: int, *, in_full: bool) -> None:
    shown = _as_dict(one, rows)
    failed = [audit for audit in shown["audits"] if not audit["ok"]]
    when = shown["audited_at"] or "not audited: still at work, or stopped"
    console().print(f"{one.name}  {when}  {shown['versions']} versions in {one.path}", markup=False)
    print_account("", ("audit", "rows", "rule"), [(a["name"], a["found"], a["detail"]) for a in failed], figures=(1,))
    if not in_full:
        console().print(f"More: memory-pipeline staged {one.name}", style="dim", markup=False)
        return
    for audit in failed:
        for example in audit["examples"]:
            console().print(f"  {audit['name']}: {_line(example)}", markup=False)
    columns = [name for name in _ROWS if name != "asserted"]
    told = [{**row, "change": row["change"] if row["asserted"] else "withdrawn"} for row in shown["rows"]]
    print_account("staged versions", columns, [[row[name] for name in columns] for row in told])


def _line(example: dict[str, Any]) -> str:
    return "; ".join(f"{name} {value}" for name, value in example.items())
