"""A command that reads starts without what it does not need, and a command is built alone."""

from __future__ import annotations

import os
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
import pyarrow.compute as pc
print("pydoc" in sys.modules, pc.add(table["a"], 1).to_pylist(), pc.utf8_upper(table["b"]).to_pylist())
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
    [
        (_READ, ["False False", "False [2] ['X']", "(1, 1)"]),
        (_ELSEWHERE, ["(1, 1) True"]),
        (_RUN, ["False True", "False"]),
    ],
    ids=["own", "another's", "run"],
)
def test_a_command_loads_no_pandas_and_takes_it_from_nobody(script: str, said: list[str]) -> None:
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == said


_LEFT = """
import atexit, sys, threading
from memory_pipeline.cli.reads import short_reads
if sys.argv[1] != "another's":
    short_reads.lighten()
class Taken:
    def __del__(self):
        print("taken apart")
taken = Taken()
atexit.register(print, "registered")
if sys.argv[1] == "busy":
    threading.Timer(0.2, print, ["at work"]).start()
print("said")
short_reads.leave(3)
"""


@pytest.mark.parametrize(
    "how, told",
    [
        ("alone", ["said", "registered"]),
        ("busy", ["said", "at work", "registered", "taken apart"]),
        ("another's", ["said", "registered", "taken apart"]),
    ],
)
def test_a_command_that_has_read_does_what_is_left_to_do_and_is_gone(how: str, told: list[str]) -> None:
    command = [sys.executable, "-c", ("import pyarrow\n" if how == "another's" else "") + _LEFT, how]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.splitlines(), done.stderr) == (3, told, "")


def test_nobody_reads_to_the_end_of_what_a_command_prints() -> None:
    script = "from memory_pipeline.cli.reads import short_reads as s\ns.lighten()\nprint('x' * 99)\ns.leave(0)"
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    command = [sys.executable, "-c", script]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=kept) as reading:
        assert reading.stdout is not None and reading.stderr is not None
        reading.stdout.close()
        assert (reading.stderr.read(), reading.wait()) == (b"", 0)


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
