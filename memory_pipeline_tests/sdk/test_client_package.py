"""The client as a package of its own: it holds the modules that ``Memory.connect`` needs, is small, and works."""

from __future__ import annotations

import subprocess
import sys
import tomllib
import venv
from pathlib import Path

import pytest

from memory_pipeline_tests.serving.running import Server

ROOT = Path(__file__).parents[2]
CLIENT = ROOT / "clients" / "python"
MOST_MB = 10
_LOADED = """
import sys
from memory_pipeline import Memory
import memory_pipeline.sdk.embedding
Memory.connect("http://127.0.0.1:9", "mp_1_2").close()
print(*(m.__file__ for name, m in sys.modules.items() if name.split(".")[0] == "memory_pipeline"))
print(*(name for name in ("pydantic", "openai", "dagster", "numpy") if name in sys.modules))
"""
_TALK = """
import sys
from memory_pipeline import Memory, NotFound
with Memory.connect(sys.argv[1]) as memory:
    print(memory.add("I keep two goats.", user_id="ann", session_id="s").taken)
    print("goats" in memory.context("What do my animals eat?", user_id="ann", session_id="s").text)
    try:
        memory.history("mem_none", user_id="ann")
    except NotFound:
        print("not found")
"""


def included() -> dict[str, str]:
    told = tomllib.loads((CLIENT / "pyproject.toml").read_text(encoding="utf-8"))
    found: dict[str, str] = told["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    return found


def test_it_holds_what_connecting_loads() -> None:
    done = subprocess.run([sys.executable, "-c", _LOADED], check=True, capture_output=True, text=True)
    modules, heavy = done.stdout.split("\n")[:2]
    loaded = {Path(file).relative_to(ROOT).as_posix() for file in modules.split()}
    assert loaded | {"memory_pipeline/py.typed"} == set(included().values())
    assert heavy == ""
    assert all(source == f"../../{place}" and (ROOT / place).exists() for source, place in included().items())


@pytest.mark.clients
def test_it_is_small_and_talks_to_a_server(tmp_path: Path) -> None:
    fresh = tmp_path / "venv"
    venv.create(fresh, with_pip=True)
    packages = next(fresh.glob("lib/python*/site-packages"))
    before = size(packages)
    install = [fresh / "bin" / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", CLIENT]
    subprocess.run(install, check=True)
    assert size(packages) - before < MOST_MB * 1_000_000
    with Server(tmp_path / "home") as server:
        talk = [fresh / "bin" / "python", "-c", _TALK, server.url]
        done = subprocess.run(talk, check=True, capture_output=True, text=True, cwd=tmp_path, env={})
    assert done.stdout.split("\n") == ["1", "True", "not found", ""]


def size(folder: Path) -> int:
    """Bytes of all files in it."""
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
