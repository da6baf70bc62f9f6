"""What is put aside: in the lake once, and in a file that people can read."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

import pytest

from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.messages.ingest import ingest
from memory_pipeline.stages.messages.landing import quarantine
from memory_pipeline.stages.messages.landing.quarantine import Quarantine
from memory_pipeline_tests.stages.landing_files import (
    NOW,
    context,
    line,
    numbered,
    put_aside,
    readable_quarantine,
    stored,
    write,
)


@pytest.fixture
def ctx(tmp_path: Path) -> StageContext:
    return context(tmp_path / "home")


def test_a_row_says_where_and_why(ctx: StageContext, tmp_path: Path) -> None:
    file = write(tmp_path / "a.jsonl", [numbered(1), line(role="bot")])
    ingest(ctx, [file])
    (row,) = put_aside(ctx)
    assert (row.source, row.line, row.day, row.recorded_at) == ("a.jsonl", 2, date(2026, 3, 20), NOW)
    assert row.reason == "role must be one of user, assistant, system, tool, not 'bot'"
    assert row.content == file.read_text().splitlines()[1]
    assert readable_quarantine(ctx, "a.jsonl") == [
        {"file": str(file), "line": 2, "reason": row.reason, "content": row.content}
    ]


def test_the_same_file_again_is_counted_again_but_held_once(ctx: StageContext, tmp_path: Path) -> None:
    file = write(tmp_path / "a.jsonl", [line(role="bot"), line(role="bot"), line(content="")])
    first = ingest(ctx, [file])
    rows = put_aside(ctx)
    tomorrow = context(tmp_path / "home", now=NOW + timedelta(days=1))
    second = ingest(tomorrow, [file])
    assert (first.quarantined, second.quarantined) == (3, 3)
    assert len(rows) == 3
    assert put_aside(ctx) == rows
    assert len(readable_quarantine(ctx, "a.jsonl")) == 3


def test_another_line_in_the_same_place_is_held_too(ctx: StageContext, tmp_path: Path) -> None:
    for role in ("bot", "robot"):
        ingest(ctx, [write(tmp_path / "a.jsonl", [line(role=role)])])
    assert len(put_aside(ctx)) == 2
    assert len(readable_quarantine(ctx, "a.jsonl")) == 1


def test_a_mended_file_leaves_nothing_to_read(ctx: StageContext, tmp_path: Path) -> None:
    ingest(ctx, [write(tmp_path / "a.jsonl", [line(role="bot")])])
    assert readable_quarantine(ctx, "a.jsonl")
    ingest(ctx, [write(tmp_path / "a.jsonl", [line()])])
    assert list(Path(ctx.settings.path("quarantine")).iterdir()) == []


def test_files_of_one_name_do_not_overwrite_each_other(ctx: StageContext, tmp_path: Path) -> None:
    one = write(tmp_path / "one" / "a.jsonl", [line(role="one")])
    two = write(tmp_path / "two" / "a.jsonl", [line(role="two")])
    for _ in range(2):
        ingest(ctx, [one])
        ingest(ctx, [two])
    folder = Path(ctx.settings.path("quarantine"))
    found = sorted(path.read_text() for path in folder.iterdir())
    assert len(found) == 2
    assert "'one'" in found[0] or "'one'" in found[1]
    assert "'two'" in found[0] or "'two'" in found[1]


def test_names_follow_the_folder_that_was_given(ctx: StageContext, tmp_path: Path) -> None:
    write(tmp_path / "in" / "deep" / "a.jsonl", [line(role="bot")])
    ingest(ctx, [tmp_path / "in"])
    assert len(readable_quarantine(ctx, "deep/a.jsonl")) == 1


def test_content_is_cut_and_always_text(ctx: StageContext, tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_bytes(b"\xff\x80" + b"x" * 10_000 + b"\n\x1b[31m\xc2\x85red\n")
    ingest(ctx, [file])
    first, second = put_aside(ctx)
    assert len(first.content) == 2_000
    assert first.content.startswith("\\xff\\x80xxx")
    assert second.content == "\x1b[31m\x85red"
    raw = (Path(ctx.settings.path("quarantine")) / "a.jsonl.jsonl").read_bytes()
    assert b"\x1b" not in raw
    assert b"\xc2\x85" not in raw
    assert [e["content"] for e in readable_quarantine(ctx, "a.jsonl")] == [first.content, second.content]


def test_many_faults_are_written_in_batches(ctx: StageContext, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quarantine, "_BATCH", 10)
    file = write(tmp_path / "a.jsonl", [line(role=f"bot {n}") for n in range(45)])
    assert ingest(ctx, [file]).quarantined == 45
    assert ingest(ctx, [file]).quarantined == 45
    assert [row.line for row in put_aside(ctx)] == list(range(1, 46))
    assert len(ctx.lake.files("quarantined")) == 5


def test_an_error_on_the_way_leaves_no_half_written_file(ctx: StageContext, tmp_path: Path) -> None:
    with pytest.raises(RuntimeError), Quarantine(ctx, "a.jsonl", "a.jsonl") as aside:
        aside.put(1, "reason", "content")
        raise RuntimeError
    assert list(Path(ctx.settings.path("quarantine")).iterdir()) == []
    assert put_aside(ctx) == []


def test_a_quarantined_line_costs_nothing_else(ctx: StageContext, tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    good = write(tmp_path / "good.jsonl", map(numbered, range(20))).read_text().splitlines()
    file.write_text("\n{{{\n".join(good))
    report = ingest(ctx, [file])
    assert (report.taken, report.quarantined) == (20, 19)
    assert [m.message_id for m in stored(ctx)] == [f"m-{n}" for n in range(20)]
