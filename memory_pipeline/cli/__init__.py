"""The command line: ``memory-pipeline``."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence
from typing import Any

import typer
from typer.models import CommandInfo

from memory_pipeline.cli import trouble
from memory_pipeline.cli.hand import bundles, curating, erase
from memory_pipeline.cli.operations import costs, encoder, lifecycle, mcp, migrate, rates, serve, upkeep
from memory_pipeline.cli.reads import profile, reading, short_reads, users
from memory_pipeline.cli.root import Group, every_command
from memory_pipeline.cli.runs import diff, evaluate, past_runs, shadow, unpublished, writing
from memory_pipeline.errors import MemoryPipelineError, SettingsError

_HOW: dict[str, Any] = {
    "cls": Group,
    "callback": every_command,
    "no_args_is_help": True,
    "pretty_exceptions_enable": False,
}

app = typer.Typer(**_HOW)
for part in (
    writing.app,
    reading.app,
    profile.app,
    users.app,
    curating.app,
    erase.app,
    lifecycle.app,
    bundles.app,
    costs.app,
    rates.app,
    evaluate.app,
    shadow.app,
    migrate.app,
    unpublished.app,
    upkeep.app,
    past_runs.app,
    diff.app,
    serve.app,
    mcp.app,
):
    app.registered_commands += part.registered_commands
app.add_typer(encoder.app, name="encoder", rich_help_panel="Operate")
app.add_typer(serve.keys, name="keys", rich_help_panel="Serve")

PANELS = {
    "Begin": ("demo", "ingest", "add", "run", "ui"),
    "Read": ("search", "context", "ask", "memories", "profile", "entities", "explain"),
    "By hand": ("remember", "edit", "forget", "pin", "unpin", "suppress", "classify", "undo"),
    "Look inside": ("users", "verdicts", "lifecycle", "maturity", "rates", "costs", "sql"),
    "Change and take back": ("diff", "runs", "rollback", "staged", "shadow", "promote", "eval"),
    "One user's data": ("erase", "export", "import"),
    "Serve": ("serve", "mcp"),
    "Operate": ("doctor", "maintain", "migrate"),
}


def _named(commands: list[CommandInfo]) -> dict[str, CommandInfo]:
    return {command.name or str(getattr(command.callback, "__name__", "")): command for command in commands}


def _in_panels(commands: list[CommandInfo]) -> list[CommandInfo]:
    """The commands in the order in which `--help` lists them, each under its heading."""
    named = _named(commands)
    found = []
    for panel, names in PANELS.items():
        for name in names:
            command = named.pop(name)
            command.rich_help_panel = panel
            found.append(command)
    return found + list(named.values())


app.registered_commands = _in_panels(app.registered_commands)

_READ_ONCE = {*PANELS["Read"], "users", "verdicts", "sql"}
_INTERRUPTED = 130  # 128 + SIGINT, as shells have it


def main() -> None:
    """Run a command: exit 0 when it did its work, 1 with one line on stderr when it could not, 2 for wrong usage."""
    # Leaving from outside the handlers lets go of the error, and with it of engines that its traceback holds.
    code = _run()
    if code == _INTERRUPTED:
        print("memory-pipeline: stopped; what was finished is kept, and `memory-pipeline run` goes on", file=sys.stderr)
        # What was interrupted still holds threads and engines; taking them apart in order only makes noise.
        sys.stderr.flush()
        os._exit(code)
    short_reads.leave(code)


def _asked_for(arguments: Sequence[str]) -> tuple[str, typer.Typer]:
    """The command that is asked for and an app of it alone, which is built sooner; the whole app where none is."""
    given = iter(arguments)
    for argument in given:
        if argument == "--home":
            next(given, None)
        elif not argument.startswith("-"):
            if command := _named(app.registered_commands).get(argument):
                alone = typer.Typer(**_HOW)
                alone.registered_commands = [command]
                return argument, alone
            break
    return "", app


def _run() -> int:
    # What a command loads and makes lives until it ends: to look through it for garbage as often as Python does by
    # itself is a tenth of a command's time (measured).
    gc.set_threshold(50_000, 20, 50)
    try:
        command, asked = _asked_for(sys.argv[1:])
        if command in _READ_ONCE:
            short_reads.lighten()
        elif command == "run":
            short_reads.spare_pandas()
        asked(prog_name="memory-pipeline")
    except SystemExit as done:
        return done.code if isinstance(done.code, int) else int(done.code is not None)
    except MemoryPipelineError as error:
        print(f"memory-pipeline: {error}{_advice(error)}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return _INTERRUPTED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # nothing is left to flush to
    except Exception as error:
        advice = _advice(error)
        if not advice:
            raise
        print(f"memory-pipeline: {trouble.first_line(error)} (home {_home()}){advice}", file=sys.stderr)
        return 1
    return 0


def _advice(error: BaseException) -> str:
    home = _home()
    found = trouble.remedy(error, home) if home else None
    return f"; {found}" if found else ""


def _home() -> str:
    from memory_pipeline.settings import Settings

    try:
        return Settings.load().path()
    except SettingsError:
        return ""
