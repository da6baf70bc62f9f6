"""The command line as a user types it: exit codes, one line on stderr, JSON shapes of the interface."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from typer.main import get_command

from memory_pipeline.cli import main

SAMPLE = [
    ("2026-03-02T09:15:00+00:00", "user", "I live in Lisbon and I am allergic to peanuts."),
    ("2026-03-02T09:15:30+00:00", "assistant", "Noted. I guess you are vegan, too?"),
    ("2026-03-02T09:16:00+00:00", "user", "No. I need to call my mom by Friday."),
    ("2026-03-04T18:00:00+00:00", "user", "I called my mom, done!"),
    ("2026-03-09T08:00:00+00:00", "user", "I moved to Porto last weekend."),
]


@dataclass(frozen=True)
class Done:
    """What a command has left."""

    returncode: int
    stdout: str
    stderr: str


class Cli:
    """Runs commands in a home of their own: in this process, as starting one costs more than most commands do."""

    def __init__(self, home: Path) -> None:
        self.home = home

    def __call__(self, *arguments: str, code: int = 0) -> str:
        done = self.run(arguments)
        assert done.returncode == code, done.stderr + done.stdout
        return done.stdout

    @property
    def environment(self) -> dict[str, str]:
        return {"MEMORY_PIPELINE_HOME": str(self.home), "NO_COLOR": "1", "COLUMNS": "160"}

    def run(self, arguments: Sequence[str]) -> Done:
        stdout, stderr = StringIO(), StringIO()
        with (
            patch.dict(os.environ, self.environment),
            patch.object(sys, "argv", ["memory-pipeline", *arguments]),
            redirect_stdout(stdout),
            redirect_stderr(stderr),
            pytest.raises(SystemExit) as left,
        ):
            main()
        assert isinstance(left.value.code, int)
        return Done(left.value.code, stdout.getvalue(), stderr.getvalue())

    def json(self, *arguments: str) -> Any:
        return json.loads(self(*arguments, "--json"))

    def fails(self, *arguments: str, code: int = 1) -> str:
        done = self.run(arguments)
        assert done.returncode == code, done.stdout
        lines = done.stderr.strip().splitlines()
        assert code != 1 or len(lines) == 1, done.stderr
        return done.stderr


def _transcript(path: Path, user: str = "alice") -> Path:
    lines = [
        {"user_id": user, "session_id": f"s-{at[:10]}", "role": role, "content": content, "created_at": at}
        for at, role, content in SAMPLE
    ]
    path.write_text("\n".join(map(json.dumps, lines)) + "\n", encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def cli(tmp_path_factory: pytest.TempPathFactory) -> Cli:
    """A home in which the sample has been taken and run."""
    folder = tmp_path_factory.mktemp("cli")
    found = Cli(folder / "home")
    taken = found.json("ingest", str(_transcript(folder / "alice.jsonl")))
    assert (taken["taken"], taken["known"], taken["quarantined"]) == (5, 0, 0)
    assert set(taken["files"][0]) == {"path", "taken", "known", "quarantined", "edited"}
    report = found.json("run")
    assert report["run_ids"] and report["model_calls"] > 0
    assert {"partitions", "rows", "seconds"} <= set(report["stages"]["proposals"])
    return found


def test_a_folder_with_a_bad_file_is_taken_and_the_file_is_named(cli: Cli, tmp_path: Path) -> None:
    _transcript(tmp_path / "a.jsonl")
    (tmp_path / "photos.zip").write_bytes(b"PK\x05\x06" + bytes(18))
    done = cli.run(["ingest", str(tmp_path), "--json"])
    assert (done.returncode, [f["known"] for f in json.loads(done.stdout)["files"]]) == (1, [5, 0])
    assert done.stderr.strip() == (
        "memory-pipeline: 1 of 2 files could not be read, or not to the end: photos.zip: of no known format: an empty "
        "zip archive; known are jsonl, openai, chatgpt, claude, locomo, longmemeval, csv, parquet"
    )


def test_a_file_without_messages_is_named(cli: Cli, tmp_path: Path) -> None:
    for name, content in (("none.jsonl", ""), ("blank.jsonl", " \n")):
        (tmp_path / name).write_text(content)
        done = cli.run(["ingest", str(tmp_path / name)])
        assert (done.returncode, done.stderr) == (0, f"{tmp_path / name}: there is no message in it\n")


def test_a_second_ingest_and_run_do_nothing(cli: Cli, tmp_path: Path) -> None:
    taken = cli.json("ingest", str(_transcript(tmp_path / "again.jsonl")))
    assert (taken["taken"], taken["known"]) == (0, 5)
    report = cli.json("run")
    assert (report["run_ids"], report["model_calls"]) == ([], 0)


def test_memories_have_the_keys_of_the_interface(cli: Cli) -> None:
    rows = cli.json("memories", "--user", "alice")
    keys = (
        "memory_id lineage_id user_id tenant_id type status content subject attribute value surface confidence "
        "salience importance pinned entities observed_at valid_from valid_until due_at evidence superseded_by version"
    )
    assert rows and all(set(keys.split()) <= set(row) for row in rows)
    by_value = {row["value"]: row for row in rows if row["attribute"] == "residence"}
    assert by_value["Porto"]["status"] == "active"
    assert by_value["Lisbon"]["status"] == "superseded"
    assert by_value["Lisbon"]["superseded_by"] == by_value["Porto"]["memory_id"]
    assert not any("vegan" in row["content"] for row in rows), "an assistant's guess is no fact"


def test_entities_by_command_and_in_sql(cli: Cli) -> None:
    rows = {row["name"]: row for row in cli.json("entities", "--user", "alice")}
    assert (rows["Porto"]["kind"], rows["Lisbon"]["kind"]) == ("place", "place")
    assert [row["name"] for row in cli.json("entities", "--user", "alice", "--kind", "pet")] == []
    assert "Porto" in cli("entities", "--user", "alice")
    stored = cli.json("sql", "SELECT name, kind, memory_ids FROM entities WHERE user_id = 'alice'")
    assert {row["name"]: row["memory_ids"] for row in stored} == {n: row["memory_ids"] for n, row in rows.items()}
    found = cli.json("sql", "SELECT relation FROM links WHERE relation = 'supersedes'")
    assert found == [{"relation": "supersedes"}]


def test_the_open_loop_was_closed(cli: Cli) -> None:
    loops = cli.json("memories", "--user", "alice", "--type", "open_loop")
    assert [row["status"] for row in loops] == ["closed"]


def test_search_context_and_ask(cli: Cli) -> None:
    hits = cli.json("search", "Where does she live?", "--user", "alice", "-k", "3", "--explain")
    assert len(hits) == 3 and "Porto" in " ".join(h["content"] for h in hits)
    assert all(h["signals"] and h["evidence"] for h in hits)
    shown = cli("search", "Where does she live?", "--user", "alice", "-k", "3")
    assert all(h["id"] in shown for h in hits)
    block = cli.json("context", "What should I cook?", "--user", "alice")
    assert block["text"].startswith("=== USER MEMORY ===") and "peanuts" in block["text"]
    answer = cli.json("ask", "Where do I live?", "--user", "alice")
    assert answer["known"] and "Porto" in answer["text"] and answer["citations"]
    assert cli.json("ask", "Which football club do I support?", "--user", "alice")["known"] is False


def test_nobody_else_sees_anything(cli: Cli) -> None:
    assert cli.json("search", "Lisbon", "--user", "bob") == []
    assert cli.json("search", "Lisbon", "--user", "alice", "--tenant", "other") == []
    assert cli.json("memories", "--user", "alice", "--tenant", "other") == []


def test_explain_walks_to_the_sentence(cli: Cli) -> None:
    row = next(r for r in cli.json("memories", "--user", "alice") if r["value"] == "Porto")
    found = cli.json("explain", row["memory_id"])
    assert {"memory", "versions", "verdict", "proposal", "window", "messages", "prompt_hash", "model", "run_id"} <= set(
        found
    )
    quoted = [m for m in found["messages"] if m["quote"]]
    assert quoted and all(m["quote"] in m["content"] for m in quoted)
    assert "Porto" in cli("explain", row["memory_id"])


def test_people_get_tables(cli: Cli) -> None:
    assert "Lives in Porto." in cli("memories", "--user", "alice")
    assert "add" in cli("verdicts")
    assert "5" in cli("sql", "SELECT count(*) AS messages FROM messages")


def test_a_pipe_gets_a_row_a_line_and_ids_may_be_cut_short(cli: Cli) -> None:
    rows = cli.json("memories", "--user", "alice")
    lines = cli("memories", "--user", "alice").splitlines()
    assert [line.split("\t")[0] for line in lines] == [row["memory_id"] for row in rows]
    assert cli("memories", "--user", "alice", "--limit", "1").splitlines() == lines[:1]
    short = rows[0]["memory_id"][:12]
    assert cli.json("explain", short)["memory"]["memory_id"] == rows[0]["memory_id"]
    assert cli.json("explain", short, "--user", "alice")["memory"]["memory_id"] == rows[0]["memory_id"]
    run_id = cli("runs", "--limit", "1").split("\t")[0]
    assert cli.json("runs", run_id[:8])["run_id"] == run_id


def test_users_are_listed_and_an_unknown_one_is_asked_about(cli: Cli) -> None:
    ((tenant, user, messages),) = ([row[k] for k in ("tenant_id", "user_id", "messages")] for row in cli.json("users"))
    assert (tenant, user, messages) == ("default", "alice", 5)
    asked = cli.run(["memories", "--user", "alice", "--tenant", "acme"])
    assert (asked.returncode, asked.stdout) == (0, "")
    assert asked.stderr == "memory-pipeline: tenant acme has no user alice; did you mean tenant default (--tenant)?\n"
    question = cli.run(["ask", "Where do I live?", "--user", "alice", "--tenant", "acme"])
    assert question.stderr == asked.stderr


def test_sql_lists_its_views(cli: Cli) -> None:
    views = {row["view"]: row["columns"] for row in cli.json("sql", "--views")}
    assert {"messages", "memories", "reflections", "links"} <= set(views) and "content" in views["memories"]
    assert "sql --views" in cli.fails("sql", "SELECT * FROM memoirs")
    cli.fails("sql", code=2)


def test_a_turn_from_standard_input_is_in_the_session_s_prompts_at_once(cli: Cli) -> None:
    environment = {**os.environ, "MEMORY_PIPELINE_HOME": str(cli.home)}
    command = [sys.executable, "-m", "memory_pipeline.cli", "add", "-", "--user", "dora", "--session", "now"]
    said = "My cat is called Miso.\n"
    subprocess.run(command, input=said, text=True, env=environment, check=True, capture_output=True)
    asked = cli.run(["context", "What is my cat called?", "--user", "dora", "--session", "now"])
    assert "Miso" in asked.stdout and asked.stderr == ""


def test_what_holds_for_every_command(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from importlib.metadata import version

    assert cli("--version") == f"memory-pipeline {version('memory-pipeline')}\n"
    for arguments in (("--home", str(tmp_path), "users"), ("users", "--home", str(tmp_path))):
        assert cli(*arguments) == ""
    monkeypatch.setenv("MEMORY_PIPELINE_TIMEZON", "UTC")
    assert cli.run(["users"]).stderr == (
        "memory-pipeline: MEMORY_PIPELINE_TIMEZON is no setting and means nothing; "
        "did you mean MEMORY_PIPELINE_TIMEZONE?\n"
    )


def test_a_shell_can_complete_commands(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_MEMORY_PIPELINE_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", "memory-pipeline mem")
    monkeypatch.setenv("COMP_CWORD", "1")
    assert cli().split() == ["memories"]


def test_doctor_is_content(cli: Cli) -> None:
    found = cli.json("doctor")
    assert found["ok"], [c for c in found["checks"] if not c["ok"]]
    assert {"name", "ok", "detail"} == set(found["checks"][0])


def test_dry_run_only_says(cli: Cli) -> None:
    before = cli.json("run", "--dry-run")
    assert before["forecast"]["seconds"] > 0 and before["forecast"]["measured_runs"] > 0
    assert before["run_ids"] == [] and all(p["stages"] == ["recall_feedback"] for p in before["planned"])
    cli("run")
    assert "up to date" in cli("run", "--dry-run")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("ingest", "/nowhere/at/all.jsonl"), "/nowhere/at/all.jsonl"),
        (("explain", "mem_unknown"), "mem_unknown"),
        (("sql", "DROP TABLE messages"), "read-only"),
        (("search", "x", "--user", "alice", "--profile", "nonsense"), "similarity"),
    ],
)
def test_errors_are_one_clear_line(cli: Cli, arguments: tuple[str, ...], said: str) -> None:
    assert said in cli.fails(*arguments)


def test_a_process_of_its_own_prints_and_leaves_the_same(cli: Cli) -> None:
    def process(*arguments: str) -> Done:
        command = [sys.executable, "-m", "memory_pipeline.cli", *arguments]
        environment = {**os.environ, **cli.environment}
        done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=180)
        return Done(done.returncode, done.stdout, done.stderr)

    shown = ("search", "Where does she live?", "--user", "alice")
    for arguments in (shown, ("explain", "mem_unknown")):
        assert process(*arguments) == cli.run(arguments)


@pytest.mark.parametrize(
    "arguments", [("search", "x"), ("run", "--from", "yesterday"), ("memories",), ("no-such-command",)]
)
def test_wrong_usage_exits_with_2(cli: Cli, arguments: tuple[str, ...]) -> None:
    cli.fails(*arguments, code=2)


def test_a_wrong_setting_is_named(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORY_PIPELINE_TIMEZONE", "Mars/Olympus")
    assert "MEMORY_PIPELINE_TIMEZONE" in cli.fails("memories", "--user", "alice")


def test_every_command_has_help() -> None:
    from memory_pipeline.cli import app

    names = [c.name or c.callback.__name__ for c in app.registered_commands if c.callback]
    assert {"demo", "ingest", "run", "search", "context", "ask", "memories", "explain", "sql", "doctor", "ui"} <= set(
        names
    )
    assert all(c.callback.__doc__ for c in app.registered_commands if c.callback)


def test_help_lists_every_command_under_one_heading() -> None:
    from memory_pipeline.cli import PANELS, app

    listed = [name for names in PANELS.values() for name in names]
    assert len(listed) == len(set(listed))
    assert [command.rich_help_panel for command in app.registered_commands] == [
        panel for panel, names in PANELS.items() for _ in names
    ]


def test_help_names_every_format() -> None:
    from memory_pipeline.cli.runs import writing
    from memory_pipeline.stages.messages.importers import FORMATS

    commands = get_command(writing.app).commands
    told = next(option.help for option in commands["ingest"].params if option.name == "format")
    assert [name for name in FORMATS if name not in told] == []


def test_an_empty_home_says_so(tmp_path: Path) -> None:
    empty = Cli(tmp_path / "home")
    assert empty.run(["runs"]).stderr == "No run has left a trace yet: memory-pipeline run\n"
    nobody = empty.run(["export", "--user", "nobody", "--out", str(tmp_path / "nobody.bundle")])
    assert nobody.returncode == 1
    assert nobody.stderr == "memory-pipeline: nothing is known of user 'nobody' of tenant 'default'\n"
    assert "let your application read" in empty.fails("shadow")
    unknown = empty.run(["run", "--only", "nonsense"])
    assert unknown.returncode == 2 and "no stage called nonsense" in unknown.stderr
