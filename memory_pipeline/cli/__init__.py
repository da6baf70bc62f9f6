"""The command line: ``memory-pipeline``."""

from __future__ import annotations

import sys

import typer

from memory_pipeline.cli import operating, reading, writing
from memory_pipeline.errors import MemoryPipelineError

app = typer.Typer(
    help="Long-term memory for LLM applications, run as a data pipeline.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
for part in (writing.app, reading.app, operating.app):
    app.registered_commands += part.registered_commands


def main() -> None:
    """Run a command: exit 0 when it did its work, 1 with one line on stderr when it could not, 2 for wrong usage."""
    try:
        app()
    except MemoryPipelineError as error:
        print(f"memory-pipeline: {error}", file=sys.stderr)
        raise SystemExit(1) from None
    except KeyboardInterrupt:
        print("memory-pipeline: stopped; what was finished is kept", file=sys.stderr)
        raise SystemExit(130) from None
    except BrokenPipeError:
        raise SystemExit(0) from None
