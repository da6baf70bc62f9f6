"""Writes the pages that follow from code: ``docs/cli.md`` and ``docs/settings.md``.

Run it after changing either: ``python docs/reference.py``. A test compares the pages with the code.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import Any

_CLI = """# Command line

`memory-pipeline COMMAND`. Exit status 0: done; 1: it could not be done, with one line on stderr; 2: wrong usage.
Commands that read take `--json`.

Output that goes into a pipe is one row a line, tab-separated and unwrapped, without a header, as `gh` has it; ids are
whole; tabs, line ends and backslashes in a cell are escaped as `\\t`, `\\n` and `\\\\`; remarks go to standard error.
What a command tells of its own work (`run`, `diff`, `erase`, …) stays a table; programs take `--json`. A terminal shows
ids by their beginnings, and sentences below the other columns where it is narrow. The beginning of an id is taken
wherever an id is, as long as it names one thing alone (`mem_3f9a`, the first characters of a run's id); ids that came
with the transcripts are given in full.

For every command: `--home PATH` in place of `MEMORY_PIPELINE_HOME`, before or after its name; `--help`. And
`memory-pipeline --version`, `memory-pipeline --install-completion` for your shell.

This page is written by `python docs/reference.py`.
"""
_SETTINGS = """# Settings

Environment variables, each with the prefix `MEMORY_PIPELINE_`. Beside them count `OPENAI_API_KEY` and
`OPENAI_BASE_URL`, as the openai package reads them, and `OPENAI_API_KEY_FILE`, a file that holds the key. Thresholds
are no settings: they stand in the [policy table](concepts.md#the-policy-table). This page is written by
`python docs/reference.py`.

| variable | default | means |
|---|---|---|
"""


def command_page() -> str:
    """Every command under the heading that ``--help`` gives it, as Markdown."""
    import typer
    from typer.main import get_command

    from memory_pipeline.cli import app

    root: Any = get_command(app)
    context = typer.Context(root, info_name="memory-pipeline")
    commands = [root.get_command(context, name) for name in root.list_commands(context)]
    parts = [_CLI, "\n".join(["| command | does |", "|---|---|", *map(_line, commands)]) + "\n"]
    for panel, listed in groupby(commands, key=lambda command: command.rich_help_panel or "Other"):
        parts.append(f"## {panel}\n")
        for command in listed:
            parts += _command(command, context)
    return "\n".join(parts)


def _line(command: Any) -> str:
    """A command as a row of the overview: the first sentence of its help."""
    told = " ".join(_plain(command.help or "").split("\n\n")[0].split())
    return f"| [`{command.name}`](#{command.name}) | {told.split('. ')[0].rstrip('.')} |"


def _command(command: Any, parent: Any) -> Iterator[str]:
    """A command and those below it: heading, what it does, how it is called, its arguments and options."""
    import typer

    context = typer.Context(command, info_name=command.name, parent=parent)
    path = context.command_path
    yield f"### {path.removeprefix('memory-pipeline ')}\n"
    if command.help:
        yield f"{_plain(command.help)}\n"
    yield f"```sh\n{path} {' '.join(command.collect_usage_pieces(context))}\n```\n"
    records = [r for p in command.get_params(context) if p.name != "help" and (r := p.get_help_record(context))]
    if records:
        yield "\n".join(f"* `{name}`{f': {_plain(text)}' if text else ''}" for name, text in records) + "\n"
    for name in getattr(command, "commands", {}):
        yield from _command(command.commands[name], context)


def _plain(text: str) -> str:
    """Help as Markdown: what only the help formatter reads is left out, and nothing is taken for HTML."""
    return text.replace("\b", "").replace("\f", "").replace("<", "&lt;").strip()


def settings_page() -> str:
    """Every setting with its default and meaning, as a Markdown table."""
    from memory_pipeline.settings import Settings

    return _SETTINGS + "\n".join(_rows(Settings.model_fields)) + "\n"


def _rows(fields: Mapping[str, Any]) -> Iterable[str]:
    for name, field in fields.items():
        found = field.get_default(call_default_factory=True)
        default = "" if found is None else f"`{found if isinstance(found, str) else str(found).lower()}`"
        yield f"| `{name.upper()}` | {default} | {field.description} |"


PAGES = {"cli.md": command_page, "settings.md": settings_page}


def main() -> None:
    """Write the pages beside this script."""
    for name, page in PAGES.items():
        Path(__file__).with_name(name).write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
