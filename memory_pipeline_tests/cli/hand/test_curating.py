"""The user's own hand at the command line: what it says, in what shape, and with which exit code."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memory_pipeline import cli as command_line
from memory_pipeline.storage.parquet.lake import Lake
from memory_pipeline_tests.factories import message

Cli = Callable[..., str]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("curating") / "home"


@pytest.fixture
def cli(
    home: Path, clean_environment: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Cli:
    """Runs a command in this process. Returns what it prints: on stdout, or on stderr where it is to fail."""
    monkeypatch.setenv("MEMORY_PIPELINE_HOME", str(home))
    monkeypatch.setenv("COLUMNS", "160")

    def run(*arguments: str, code: int = 0) -> str:
        monkeypatch.setattr(sys, "argv", ["memory-pipeline", *arguments])
        assert command_line._run() == code
        printed = capsys.readouterr()
        return printed.err if code else printed.out

    return run


def as_json(cli: Cli, *arguments: str) -> Any:
    return json.loads(cli(*arguments, "--json"))


def test_a_memory_from_its_beginning_to_its_end(cli: Cli) -> None:
    made = as_json(cli, "remember", "Is allergic to peanuts.", "--user", "alice", "--pin")
    assert {"memory_id", "user_id", "tenant_id", "status", "evidence", "version", "change", "reason"} <= set(made)
    assert (made["content"], made["pinned"], made["change"]) == ("Is allergic to peanuts.", True, "add")
    memory_id = made["memory_id"]
    assert "edited by the user: Is allergic to hazelnuts." in cli("edit", memory_id, "Is allergic to hazelnuts.")
    assert "hazelnuts" in cli("search", "allergic", "--user", "alice")
    assert not as_json(cli, "unpin", memory_id, "--user", "alice")["pinned"]
    assert "never brought up" in cli("suppress", memory_id)
    assert "classified public by the user" in cli("classify", memory_id, "public")
    assert as_json(cli, "forget", memory_id)["status"] == "archived"
    assert "forgotten by the user" in cli("forget", memory_id)
    assert as_json(cli, "search", "allergic", "--user", "alice") == []
    versions = as_json(cli, "explain", memory_id)["versions"]
    assert [v["change"] for v in versions] == ["add", "edit", "unpin", "suppress", "classify", "forget"]
    assert {v["cause"] for v in versions} == {"manual"}


def test_an_open_loop_with_its_date(cli: Cli) -> None:
    made = as_json(cli, "remember", "Renew the passport.", "--user", "alice", "--due", "2027-04-15", "--tenant", "acme")
    assert (made["type"], made["tenant_id"], made["due_at"][:10]) == ("open_loop", "acme", "2027-04-15")


def test_classes_of_messages_and_domains(cli: Cli, home: Path) -> None:
    said = [message("The lease is old.", user_id="ben", tenant_id="default", domain="legal", message_id="m-lease")]
    said.append(message("Nothing new.", user_id="ben", tenant_id="default", message_id="m-1"))
    Lake(str(home / "lake")).append("messages", [*said, replace(said[1], user_id="cleo")])
    assert as_json(cli, "classify", "m-lease", "confidential") == {"messages": 1, "classification": "confidential"}
    assert "lease" not in cli("search", "lease", "--user", "ben")
    assert "1 message is public" in cli("classify", "public", "--domain", "legal", "--user", "ben")
    assert "lease" not in cli("search", "lease", "--user", "ben")  # what was said of the message itself counts
    assert "several users" in cli("classify", "m-1", "public", code=1)
    assert "1 message is public" in cli("classify", "m-1", "public", "--user", "cleo")
    assert "no memory and no message m-9" in cli("classify", "m-9", "public", code=1)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("remember", "My password is hunter2!!x9Q", "--user", "alice"), "password"),
        (("remember", "", "--user", "alice"), "no text"),
        (("remember", "Collects mugs of tin.", "--user", "alice", "--type", "nonsense"), "profile_fact"),
        (("forget", "mem_unknown"), "mem_unknown"),
        (("pin", "mem_unknown", "--user", "alice"), "mem_unknown"),
        (("undo", "mem_unknown", "--user", "alice"), "memories --user"),
    ],
)
def test_errors_are_one_clear_line(cli: Cli, arguments: tuple[str, ...], said: str) -> None:
    told = cli(*arguments, code=1)
    assert said in told and len(told.strip().splitlines()) == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ("remember", "Collects mugs."),
        ("edit", "mem_x"),
        ("forget",),
        ("remember", "x", "--user", "u", "--due", "soon"),
        ("classify", "mem_x"),
        ("classify", "mem_x", "public", "--domain", "legal"),
        ("classify", "public", "--domain", "legal"),
    ],
)
def test_wrong_usage_exits_with_2(cli: Cli, arguments: tuple[str, ...]) -> None:
    assert cli(*arguments, code=2)


def test_every_command_is_there_and_explains_itself() -> None:
    found = {
        c.name or c.callback.__name__: c.callback.__doc__ for c in command_line.app.registered_commands if c.callback
    }
    names = ("remember", "edit", "forget", "pin", "unpin", "suppress", "classify", "undo")
    assert all(found.get(name) for name in names)


def test_the_curator_is_light_to_import(tmp_path: Path) -> None:
    heavy = ("dagster", "lancedb", "pandas", "openai", "onnxruntime", "pyarrow", "duckdb", "numpy", "dateparser")
    script = f"""
import sys
from memory_pipeline import MemoryCurator
MemoryCurator.open(home={str(tmp_path)!r})
print(*(m for m in {heavy!r} if m in sys.modules))
"""
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    assert done.stdout.split() == []
