"""What the commands print: tables for people, JSON for programs, one clear line for an error."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from memory_pipeline.domain.plain import plain

if TYPE_CHECKING:
    from rich.console import Console


def console() -> Console:
    """Standard output for people."""
    from rich.console import Console

    return Console(highlight=False, soft_wrap=False)


def print_json(value: Any) -> None:
    """One JSON document on standard output."""
    print(json.dumps(plain(value), indent=2, ensure_ascii=False))


def print_table(
    title: str, columns: Sequence[str], rows: Iterable[Sequence[Any]], *, figures: Collection[int] = ()
) -> None:
    """A table; texts of users are printed as they are, never read as markup.

    Args:
        figures: columns, from 0, that are set to the right.
    """
    from rich.markup import escape
    from rich.table import Table

    table = Table(
        title=title or None, title_justify="left", title_style="bold", header_style="dim", box=None, pad_edge=False
    )
    for n, column in enumerate(columns):
        whole = column == "id"  # to be copied into the next command, in a narrow terminal too
        table.add_column(column, overflow="fold", justify="right" if n in figures else "left", no_wrap=whole)
    for row in rows:
        table.add_row(*(escape("" if cell is None else str(cell)) for cell in row))
    console().print(table)


@contextmanager
def progress(show: bool = True) -> Iterator[Any]:
    """A progress bar on standard error, fed by what the stages tell; yields the function that they call.

    Only a terminal shows it: a log or a pipe gets nothing but what went wrong.
    """
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    errors = Console(stderr=True)
    bars = Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(bar_width=24),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=errors,
        transient=False,
        disable=not (show and errors.is_terminal),
    )
    tasks: dict[str, Any] = {}

    def tell(label: str, done: int, total: int | None) -> None:
        if label not in tasks:
            tasks[label] = bars.add_task(label, total=total)
        bars.update(tasks[label], completed=done, total=total)

    with bars:
        yield tell
