"""Starts one of Dagster's own programs as the settings want it: ``python -m memory_pipeline.orchestration.environment
dagster-daemon run …``.

Dagster's programs read their storage from DAGSTER_HOME and the environment. Where secrets come from files, or the home
is new, neither says it yet.
"""

from __future__ import annotations

import os
import sys

from memory_pipeline.errors import MemoryPipelineError, SettingsError
from memory_pipeline.orchestration.dagster_home.instance import prepare_home
from memory_pipeline.settings import Settings


def main(command: list[str]) -> None:
    """Prepare Dagster's home and become the command.

    Raises:
        SettingsError: a setting is wrong, Postgres cannot be used, or there is no such program.
    """
    if not command:
        raise SettingsError("name the program to start, e.g. dagster-daemon run")
    prepare_home(Settings.load())
    sys.stdout.flush()
    try:
        os.execvp(command[0], command)
    except OSError as error:
        raise SettingsError(f"{command[0]} cannot be started: {error.strerror}") from error


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except MemoryPipelineError as error:
        sys.exit(f"memory-pipeline: {error}")
