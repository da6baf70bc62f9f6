"""A command that reads starts without what it does not need, and a command is built alone."""

from __future__ import annotations

import subprocess
import sys

import pytest

from memory_pipeline.cli import _asked_for, app

_READ = """
import gc, sys
from memory_pipeline.cli.reads.short_reads import lighten
lighten()
import lance, pyarrow as pa, pyarrow.dataset
table = pa.table({"a": [1], "b": ["x"]})
print("pandas" in sys.modules, gc.isenabled())
import pandas
print(pandas.DataFrame({"a": table["a"].to_pylist()}).shape)
"""
_ELSEWHERE = """
import gc, pyarrow as pa
from memory_pipeline.cli.reads.short_reads import lighten
lighten()
print(pa.table({"a": [1]}).to_pandas().shape, gc.isenabled())
"""


_RUN = """
import gc, sys
from memory_pipeline.cli.reads.short_reads import spare_pandas
spare_pandas()
import lance
print("pandas" in sys.modules, gc.isenabled())
from memory_pipeline.inference.builtin_chat import BuiltinChat
name = BuiltinChat().model
print("memory_pipeline.inference.builtin.extraction.extract" in sys.modules)
"""


@pytest.mark.parametrize(
    "script, said",
    [(_READ, ["False False", "(1, 1)"]), (_ELSEWHERE, ["(1, 1) True"]), (_RUN, ["False True", "False"])],
    ids=["own", "another's", "run"],
)
def test_a_command_loads_no_pandas_and_takes_it_from_nobody(script: str, said: list[str]) -> None:
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == said


@pytest.mark.parametrize(
    "arguments, command",
    [
        (["search", "serve"], "search"),
        (["--home", "search", "context", "hello"], "context"),
        (["--home=search", "ask", "hello"], "ask"),
        (["serch", "search"], ""),
        (["keys", "list"], ""),
        (["--help"], ""),
        ([], ""),
    ],
)
def test_a_command_that_is_asked_for_is_built_alone(arguments: list[str], command: str) -> None:
    named, alone = _asked_for(arguments)
    assert named == command
    assert (alone is app) == (command == "")
    assert [c.callback.__name__ for c in alone.registered_commands if c.callback][:1] == [command or "demo"]
