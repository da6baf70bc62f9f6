"""What the commands print: tables for people, rows for pipes, JSON for programs, one clear line for an error."""

from __future__ import annotations

import json
import sys
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from memory_pipeline.cli.short_ids import shortened
from memory_pipeline.domain.plain import plain

if TYPE_CHECKING:
    from rich.console import Console

_PROSE = frozenset({"content", "query", "gained", "lost", "meaning", "examples", "why", "quoted", "rule", "columns"})
"""Columns of sentences: they get what room there is, and lines of their own where that is not enough."""
_ROOM = 40  # characters below which a column of sentences cannot be read
_FOR_PEOPLE: ContextVar[bool] = ContextVar("for_people", default=False)
_ESCAPES = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})  # as PostgreSQL and MySQL have them


def piped() -> bool:
    """Whether a program reads standard output: it gets bare rows."""
    return not (_FOR_PEOPLE.get() or sys.stdout.isatty())


@contextmanager
def for_people() -> Iterator[None]:
    """Tables, also into a pipe: what is told is an account to be read, not rows to go on with."""
    token = _FOR_PEOPLE.set(True)
    try:
        yield
    finally:
        _FOR_PEOPLE.reset(token)


def console() -> Console:
    """Standard output for people; what goes into a pipe is not wrapped."""
    from rich.console import Console

    return Console(highlight=False, soft_wrap=piped())


def tell(text: str, style: str | None = None) -> None:
    """A text for people; into a pipe it goes as it is, and what lays it out is not loaded."""
    if piped():
        print(text)
    else:
        console().print(text, markup=False, style=style)


def note(text: str) -> None:
    """A remark beside rows: into a pipe go the rows alone, and the remark to standard error."""
    if piped():
        print(text, file=sys.stderr)
    else:
        console().print(text, markup=False)


def print_json(value: Any) -> None:
    """One JSON document on standard output."""
    print(json.dumps(plain(value), indent=2, ensure_ascii=False))


def print_table(
    title: str, columns: Sequence[str], rows: Iterable[Sequence[Any]], *, figures: Collection[int] = ()
) -> None:
    """A table; texts of users are printed as they are, never read as markup.

    A terminal shows ids by their beginnings, and sentences below the other columns where it is narrow. Into a pipe goes
    one row a line, tab-separated, ids whole, without title and header; tabs, line ends and backslashes within a cell
    are escaped.

    Args:
        figures: columns, from 0, that are set to the right.
    """
    cells = [["" if cell is None else str(cell) for cell in row] for row in rows]
    if piped():
        for row in cells:
            print("\t".join(cell.translate(_ESCAPES) for cell in row))
        return
    if sys.stdout.isatty():
        cells = shortened(cells)
    out = console()
    prose = [n for n, name in enumerate(columns) if name in _PROSE]
    if prose and cells and _too_narrow(out.width, columns, cells, prose):
        _print_below(out, title, columns, cells, prose, figures)
    else:
        out.print(_table(title, columns, cells, prose, figures))


def print_account(
    title: str, columns: Sequence[str], rows: Iterable[Sequence[Any]], *, figures: Collection[int] = ()
) -> None:
    """A table among what a command tells of its work: it is read, not gone on with, also where it goes into a log."""
    with for_people():
        print_table(title, columns, rows, figures=figures)


def _too_narrow(width: int, columns: Sequence[str], cells: Sequence[Sequence[str]], prose: Collection[int]) -> bool:
    """Whether the other columns leave sentences too little room."""
    taken = sum(_width(columns, cells, n) + 2 for n in range(len(columns)) if n not in prose)
    wanted = sum(min(_width(columns, cells, n), _ROOM) for n in prose)
    return width - taken < wanted


def _width(columns: Sequence[str], cells: Sequence[Sequence[str]], n: int) -> int:
    return max(len(columns[n]), *(max(map(len, row[n].splitlines()), default=0) for row in cells))


def _table(
    title: str,
    columns: Sequence[str],
    cells: Sequence[Sequence[str]],
    prose: Collection[int],
    figures: Collection[int],
) -> Any:
    from rich.markup import escape
    from rich.table import Table

    table = Table(
        title=title or None, title_justify="left", title_style="bold", header_style="dim", box=None, pad_edge=False
    )
    for n, column in enumerate(columns):
        whole = column == "id" or (bool(prose) and n not in prose)
        table.add_column(column, overflow="fold", justify="right" if n in figures else "left", no_wrap=whole)
    for row in cells:
        table.add_row(*map(escape, row))
    return table


def _print_below(
    out: Console,
    title: str,
    columns: Sequence[str],
    cells: Sequence[Sequence[str]],
    prose: Sequence[int],
    figures: Collection[int],
) -> None:
    """Each row on a line, its sentences below it."""
    from rich.padding import Padding
    from rich.text import Text

    head = [n for n in range(len(columns)) if n not in prose]
    widths = [_width(columns, cells, n) for n in head]

    def line(row: Sequence[str]) -> str:
        told = (row[n].rjust(w) if n in figures else row[n].ljust(w) for n, w in zip(head, widths, strict=True))
        return "  ".join(told).rstrip()

    if title:
        out.print(title, style="bold", markup=False)
    out.print("  ".join([line(columns), *(columns[n] for n in prose)]), style="dim", markup=False)
    for row in cells:
        out.print(line(row), markup=False)
        for n in prose:
            if row[n]:
                out.print(Padding(Text(row[n]), (0, 0, 0, 4)))


_SHOWN: list[Any] = []
"""Progress bars that are on the screen."""


@contextmanager
def progress(show: bool = True) -> Iterator[Any]:
    """A progress bar on standard error, fed by what the stages tell; yields the function that they call.

    It is there from the first moment on, before any stage has anything to tell. Only a terminal shows it: a log or a
    pipe gets nothing but what went wrong.
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
    starting = bars.add_task("starting", total=None)

    def tell(label: str, done: int, total: int | None) -> None:
        bars.update(starting, visible=False)
        if label not in tasks:
            tasks[label] = bars.add_task(label, total=total)
        bars.update(tasks[label], completed=done, total=total)

    with bars:
        _SHOWN.append(bars)
        try:
            yield tell
        finally:
            _SHOWN.remove(bars)
            bars.update(starting, visible=False)


def confirm(question: str) -> bool:
    """Ask on standard error; a progress bar that is on the screen waits for the answer."""
    import typer

    for bars in _SHOWN:
        bars.stop()
    try:
        return typer.confirm(question, err=True)
    finally:
        for bars in _SHOWN:
            bars.start()
