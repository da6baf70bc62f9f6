"""Commands about runs: what each did, and taking one back."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from memory_pipeline.cli.output import console, note, piped, print_account, print_json, print_table, progress
from memory_pipeline.cli.owner import run_named
from memory_pipeline.cli.reads.reading import AsJson
from memory_pipeline.cli.runs.diff import Limit, Yes, show
from memory_pipeline.cli.runs.writing import print_run

app = typer.Typer()
_COLUMNS = ("run", "at", "calls", "kept replies", "USD", "added", "changed", "retired", "withdrawn", "stages", "fate")


@app.command()
def runs(
    run_id: Annotated[str | None, typer.Argument(help="One run in full.", show_default=False)] = None,
    limit: Annotated[int, typer.Option(min=1, help="The latest so many.")] = 20,
    as_json: AsJson = False,
) -> None:
    """What each run made, changed and cost: really made model calls apart from kept replies."""
    from memory_pipeline.errors import NotFound
    from memory_pipeline.settings import Settings
    from memory_pipeline.storage.parquet.lake import Lake
    from memory_pipeline.storage.queries.runs import runs as of

    run_id = None if run_id is None else run_named(run_id)
    found = of(Lake(Settings.load().path("lake")), run_id, limit)
    if run_id is not None and not found:
        sentence = f"no run {run_id!r} has left a trace; `memory-pipeline runs` lists those that have"
        raise NotFound(sentence, run_id=run_id)
    if as_json:
        print_json(found if run_id is None else found[0])
    elif run_id is not None:
        _print_run(found[0])
    elif not found:
        note("No run has left a trace yet: memory-pipeline run")
    elif piped():
        print_table("", _COLUMNS, [_row(run) for run in found])
    else:
        for run in found:
            _print_lines(run)


def _print_lines(run: dict[str, Any]) -> None:
    """One run in three lines: its id must stay whole, to be copied."""
    versions = ", ".join(f"{n:,} {name}" for name, n in run["versions"].items() if n) or "no version written"
    asked = f"{run['model_calls']:,} model calls, {run['model_calls_cached']:,} kept replies, {run['usd']:.4f} USD"
    head = f"{run['run_id']}  {run['at']:%Y-%m-%d %H:%M:%S} UTC  {_fate(run)}".rstrip()
    made = ", ".join(run["stages"]) or "no partition"
    for line in (head, f"  {asked}; {versions}", f"  made: {made}"):
        console().print(line, markup=False, soft_wrap=True)


def _row(run: dict[str, Any]) -> tuple[Any, ...]:
    asked = (run["model_calls"], run["model_calls_cached"], f"{run['usd']:.4f}")
    return (
        run["run_id"],
        run["at"].isoformat(),
        *asked,
        *run["versions"].values(),
        ",".join(run["stages"]),
        _fate(run),
    )


def _fate(run: dict[str, Any]) -> str:
    taken_back = f"rolled back by {run['rolled_back_by']}" if run["rolled_back_by"] else ""
    takes_back = f"rolls back {', '.join(run['rolls_back'])}" if run["rolls_back"] else ""
    return taken_back or takes_back


def _print_run(run: dict[str, Any]) -> None:
    console().print(f"{run['run_id']}  {run['at']:%Y-%m-%d %H:%M:%S} UTC  {_fate(run)}".rstrip(), markup=False)
    if run["stages"]:
        rows = [(name, f"{s['partitions']:,}", f"{s['rows']:,}") for name, s in run["stages"].items()]
        print_account("", ("stage", "partitions", "rows"), rows, figures=(1, 2))
    models = [(n, m["calls"], m["cached"], m["tokens"], f"{m['usd']:.4f}") for n, m in run["models"].items()]
    if models:
        print_account("", ("model task", "calls", "kept replies", "tokens", "USD"), models, figures=(1, 2, 3, 4))
    else:
        console().print("No model was called, and no kept reply was needed.")
    versions = ", ".join(f"{n:,} {name}" for name, n in run["versions"].items())
    console().print(f"Versions of memories: {versions}.", markup=False)


@app.command()
def rollback(
    run_ids: Annotated[
        list[str],
        typer.Argument(metavar="RUN_ID...", help="Runs, taken back as one; or one rollback.", show_default=False),
    ],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what it would come to, as `diff` does.")] = False,
    limit: Limit = 50,
    yes: Yes = False,
    why: Annotated[str, typer.Option("--why", help="Kept with it.", show_default=False)] = "",
    as_json: AsJson = False,
) -> None:
    """Take back what a run did to memories, by further versions; what rests on them is made again."""
    from memory_pipeline.orchestration.processes.stage_contexts import listen
    from memory_pipeline.orchestration.runs.diff import rollback_diff
    from memory_pipeline.orchestration.runs.rollback import roll_back
    from memory_pipeline.settings import Settings

    run_ids = [run_named(run_id) for run_id in run_ids]
    if dry_run:
        settings = Settings.load()
        show(lambda tell, agree: rollback_diff(settings, run_ids, agree=agree, progress=tell), limit, yes, as_json)
        return
    with progress(not as_json) as tell:
        stop = listen(tell)
        try:
            report = roll_back(Settings.load(), run_ids, why)
        finally:
            stop()
    if as_json:
        print_json(report)
        return
    print_run(report.run)
    console().print(
        f"Rolled back: {', '.join(report.runs)}; {len(report.days)} days of {report.users} users are put back. They "
        "stay so until their messages, the prompts, the models or the policy change.",
        markup=False,
    )
    if report.kept:
        print_account(
            "Kept, because the user has taken them up by hand",
            ("memory", "user", "content", "by hand"),
            [(k["memory_id"], k["user_id"], k["content"], k["reason"]) for k in report.kept],
        )
    console().print(f"To undo it: memory-pipeline rollback {report.rollback_id}", markup=False)
