"""The command line of a benchmark whose parameters are all figures."""

from __future__ import annotations

import argparse
import inspect
import json
from collections.abc import Callable
from typing import Any


def command_line(measure: Callable[..., Any], description: str | None) -> None:
    """Take each parameter of a function as an option of its name, and print as JSON what it returns."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    for parameter in inspect.signature(measure).parameters.values():
        parser.add_argument(f"--{parameter.name}", type=int, default=parameter.default)
    print(json.dumps(measure(**vars(parser.parse_args())), indent=2))
