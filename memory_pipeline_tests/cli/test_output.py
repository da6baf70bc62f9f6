"""Rows for pipes, tables for people; ids by their beginnings."""

from __future__ import annotations

import sys

import pytest

from memory_pipeline.cli.output import note, print_account, print_table
from memory_pipeline.cli.reads.users import who_is_meant
from memory_pipeline.cli.short_ids import beginning, shortened

ONE, OTHER = f"mem_{'a' * 24}", f"mem_{'a' * 9}{'b' * 15}"
SENTENCE = "Lives in a house by the sea with two cats, a dog and a great many books that nobody has read."
COLUMNS = ("id", "type", "content")
ROWS = [(ONE, "profile_fact", SENTENCE), (OTHER, "boundary", None)]


def terminal(monkeypatch: pytest.MonkeyPatch, columns: int) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", str(columns))


def test_a_pipe_gets_one_bare_row_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    print_table("2 memories", COLUMNS, [*ROWS, ("m-1", "tabs\tand\nlines", "back\\slash")])
    note("a remark")
    printed = capsys.readouterr()
    assert printed.out.split("\n") == [
        f"{ONE}\tprofile_fact\t{SENTENCE}",
        f"{OTHER}\tboundary\t",
        "m-1\ttabs\\tand\\nlines\tback\\\\slash",
        "",
    ]
    assert printed.err == "a remark\n"


def test_an_account_stays_a_table_in_a_log(capsys: pytest.CaptureFixture[str]) -> None:
    print_account("", ("stage", "rows"), [("memories", 5)])
    assert capsys.readouterr().out.splitlines()[0].split() == ["stage", "rows"]


def test_a_narrow_terminal_gives_sentences_a_line_of_their_own(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    terminal(monkeypatch, 80)
    monkeypatch.setenv("TERM", "dumb")  # no styles among the words
    columns = ("id", "type", "status", "content")
    print_table("", columns, [(i, kind, "contradicted", content) for i, kind, content in ROWS])
    head, first, *rest, last = capsys.readouterr().out.splitlines()
    assert head.split() == list(columns)
    assert first.split() == ["mem_" + "a" * 10, "profile_fact", "contradicted"]
    assert last.split() == ["mem_" + "a" * 9 + "b", "boundary", "contradicted"]
    assert " ".join(" ".join(rest).split()) == SENTENCE and len(rest) == 2


def test_a_wide_terminal_has_all_in_one_row(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    terminal(monkeypatch, 160)
    print_table("", COLUMNS, ROWS)
    assert f"profile_fact  {SENTENCE}" in capsys.readouterr().out


def test_ids_are_cut_where_they_differ_and_others_are_left_whole() -> None:
    assert shortened([[ONE, "x"], ["m-17", "y"]]) == [["mem_" + "a" * 8, "x"], ["m-17", "y"]]
    assert beginning("mem_aaaa") and not beginning("mem_aaa") and not beginning("m-1") and not beginning(ONE)


def test_who_may_be_meant() -> None:
    known = [("acme", "alice"), ("acme", "bob"), ("globex", "yumi")]
    assert "did you mean tenant acme (--tenant)?" in who_is_meant("alice", "default", known)
    assert "did you mean alice?" in who_is_meant("alcie", "acme", known)
    assert "did you mean yumi of tenant globex (--tenant)?" in who_is_meant("yummi", "acme", known)
    assert "memory-pipeline users" in who_is_meant("zed", "acme", known)
    assert "--home" in who_is_meant("zed", "acme", [])
