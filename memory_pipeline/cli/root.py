"""What holds for every command: ``--home``, ``--version``, and variables of the environment that mean nothing."""

from __future__ import annotations

import os
import sys
from functools import cache
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

_HOME = "MEMORY_PIPELINE_HOME"


def _set_home(value: str | None) -> None:
    if value is not None:
        os.environ[_HOME] = value


@cache
def _home_option() -> Any:
    """The option, as Typer makes it of a command that has it."""
    only = typer.Typer(add_completion=False)

    @only.command()
    def command(
        home: Annotated[
            str | None,
            typer.Option("--home", callback=_set_home, is_eager=True, expose_value=False, hidden=True),
        ] = None,
    ) -> None: ...

    return next(option for option in get_command(only).params if option.name == "home")


class Group(TyperGroup):
    """Commands that take ``--home`` after their names, too, where people look for it."""

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        command = super().get_command(ctx, cmd_name)
        if command is not None and all(option.name != "home" for option in command.params):
            command.params.append(_home_option())
        return command


def _version(show: bool) -> None:
    if show:
        from importlib.metadata import version

        print(f"memory-pipeline {version('memory-pipeline')}")
        raise typer.Exit


def every_command(
    home: Annotated[
        str | None, typer.Option("--home", help="The home, in place of MEMORY_PIPELINE_HOME.", show_default=False)
    ] = None,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Long-term memory for LLM applications, run as a data pipeline."""
    if home is not None:
        os.environ[_HOME] = home
    if any(name.startswith("MEMORY_PIPELINE_") for name in os.environ):
        _name_unknown_variables()


def _name_unknown_variables() -> None:
    from memory_pipeline.settings import unknown_variables

    for name, nearest in unknown_variables(os.environ):
        meant = f"; did you mean {nearest}?" if nearest else ""
        print(f"memory-pipeline: {name} is no setting and means nothing{meant}", file=sys.stderr)
