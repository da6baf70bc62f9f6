"""``explain --message``: why a turn's sentences are quoted in prompts or not, for people and as JSON."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable

import pytest

from memory_pipeline import cli as command_line
from memory_pipeline_tests.store import Store

Cli = Callable[..., str]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    from memory_pipeline.inference.builtin_encoder import BuiltinEncoder

    home = Store(tmp_path_factory.mktemp("explaining"), encoder=BuiltinEncoder(threads=1))
    turn = home.message("I own a [red]cello[/red]. Where is Porto?", message_id="m-1")
    home.memory("Owns a [red]cello[/red].", evidence=[turn.message_id])
    return home


@pytest.fixture
def cli(
    store: Store, clean_environment: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Cli:
    """Runs a command in this process. Returns what it prints: on stdout, or on stderr where it is to fail."""
    monkeypatch.setenv("MEMORY_PIPELINE_HOME", str(store.home))
    monkeypatch.setenv("COLUMNS", "160")

    def run(*arguments: str, code: int = 0) -> str:
        monkeypatch.setattr(sys, "argv", ["memory-pipeline", *arguments])
        assert command_line._run() == code
        printed = capsys.readouterr()
        return printed.err if code else printed.out

    return run


def test_people_read_each_sentence_with_its_reason(cli: Cli) -> None:
    told = cli("explain", "--message", "m-1", "--user", "alice")
    assert "“I own a [red]cello[/red].” not shown · a memory tells it" in told
    assert "Owns a [red]cello[/red]. (active, mem_" in told
    assert "“Where is Porto?” not shown · not what its speaker states: question" in told


def test_programs_read_json(cli: Cli) -> None:
    (turn,) = json.loads(cli("explain", "--message", "m-1", "--user", "alice", "--json"))
    assert (turn["message_id"], turn["session_id"], turn["role"]) == ("m-1", "s-1", "user")
    assert [set(s) for s in turn["sentences"]] == [{"text", "standing", "why", "memories", "shown", "reason"}] * 2
    assert [s["standing"] for s in turn["sentences"]] == ["own", "question"]


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("--message", "m-9", "--user", "alice"), 1, "m-9"),
        (("--message", "m-1", "--user", "bob"), 1, "m-1"),
        (("--message", "m-1", "--user", "alice", "--tenant", "acme"), 1, "m-1"),
        (("--message", "m-1"), 2, "--user"),
        (("mem_1", "--message", "m-1", "--user", "alice"), 2, "either"),
        ((), 2, "either"),
    ],
)
def test_what_cannot_be_explained_is_said(cli: Cli, arguments: tuple[str, ...], code: int, said: str) -> None:
    assert said in cli("explain", *arguments, code=code)
