"""The programs in ``examples/`` do what they say."""

from __future__ import annotations

import importlib.util
import io
import sys
from pathlib import Path
from types import ModuleType

import pytest

from memory_pipeline_tests.protocol_server import ProtocolServer

EXAMPLES = Path(__file__).parents[1] / "examples"


def example(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"example_{name}", EXAMPLES / f"{name}.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_each_is_tested_here() -> None:
    assert sorted(path.stem for path in EXAMPLES.glob("*.py")) == [
        "as_of_a_past_day",
        "chat_with_memory",
        "forget_and_explain",
        "own_conversations",
    ]


def test_own_conversations(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    example("own_conversations").main(str(tmp_path))
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "4 messages taken"
    assert {
        "superseded | profile_fact | Lives in Oslo.",
        "active | profile_fact | Lives in Bergen.",
        "active | open_loop | Has to renew their passport by 30 March 2026.",
    } <= set(lines)
    assert lines[-1] == "found: Is allergic to hazelnuts."


def test_forget_and_explain(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    example("forget_and_explain").main(str(tmp_path))
    assert capsys.readouterr().out.splitlines() == [
        "memory: Plays the cello in an orchestra.",
        "verdict: accepted add",
        "rests on: m-3 “I play the cello in an orchestra.”",
        "still found: []",
        "version 1 proposal active",
        "version 2 manual archived",
    ]


def test_as_of_a_past_day(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    example("as_of_a_past_day").main(str(tmp_path))
    then, now = capsys.readouterr().out.removeprefix("as of 2026-02-01\n").split("as of now\n")
    assert then.splitlines()[:2] == ["  Lives in Oslo.", "  Is vegetarian."]
    assert "where? You live in Oslo" in then
    assert "Lives in Bergen." in now and "Lives in Oslo." not in now
    assert "where? You live in Bergen" in now


def test_chat_with_memory(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    protocol_server: ProtocolServer,
) -> None:
    chat = example("chat_with_memory")
    monkeypatch.setattr(sys, "stdin", io.StringIO("I live in Oslo and I am allergic to hazelnuts.\n\nnot read\n"))
    chat.main("ann", str(tmp_path))
    assert capsys.readouterr().out == "Hello.\n"
    monkeypatch.setattr(sys, "stdin", io.StringIO("Suggest a cake for tonight.\nAnother one?\n"))
    chat.main("ann", str(tmp_path))
    first, second, third = protocol_server.calls
    assert "hazelnuts" not in first.body["messages"][0]["content"], "nothing is remembered yet"
    assert "Is allergic to hazelnuts." in second.body["messages"][0]["content"]
    assert [m["content"] for m in third.body["messages"][1:]] == [
        "Suggest a cake for tonight.",
        "Hello.",
        "Another one?",
    ]
