"""The inbox: what is pending, what is taken, and which days a file holds."""

from __future__ import annotations

import gzip
import json
import os
import threading
import time
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from memory_pipeline.errors import IngestError
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.messages.ingest import days_of, ingest, pending_inbox, take_inbox
from memory_pipeline.stages.messages.landing.inbox import fetched, list_inbox
from memory_pipeline.storage.parquet.schemas import Source
from memory_pipeline_tests.stages.importers.samples import CHATGPT, CLAUDE, DOCUMENTS, LOCOMO
from memory_pipeline_tests.stages.landing_files import NOW, context, line, numbered, put_aside, stored, write


@pytest.fixture
def ctx(tmp_path: Path) -> StageContext:
    return context(tmp_path / "home")


@pytest.fixture
def inbox(ctx: StageContext) -> Path:
    folder = Path(ctx.settings.path("inbox"))
    folder.mkdir(parents=True)
    return folder


def settled(path: Path, seconds: float = 60) -> Path:
    at = time.time() - seconds
    os.utime(path, (at, at))
    return path


def sources(ctx: StageContext) -> list[Source]:
    return ctx.lake.read("sources", Source, order="path")


def test_what_came_while_the_clock_was_behind_is_taken_when_it_is_right(ctx: StageContext, inbox: Path) -> None:
    write(inbox / "a.jsonl", [numbered(1), numbered(2, created_at="2999-12-31T08:00:00+02:00")])
    behind = replace(ctx, now=NOW - timedelta(days=3650))
    for _ in range(2):
        report = take_inbox(behind)
    assert (report.taken, report.known, report.quarantined) == (0, 0, 0), "taken once, with two lines put aside"
    assert stored(ctx) == [] and len(put_aside(ctx)) == 2
    report = take_inbox(ctx)
    assert (report.taken, report.known, report.quarantined) == (1, 0, 1)
    assert take_inbox(ctx).files == [], "what is from the future still does not have it read again"
    assert take_inbox(behind).files == [], "nor does a clock that goes back once more"
    late = replace(ctx, now=datetime(2999, 12, 31, 6, tzinfo=UTC))
    report = take_inbox(late)
    assert (report.taken, report.known, report.quarantined) == (1, 1, 0)
    assert take_inbox(late).files == [] and len(stored(ctx)) == 2


def test_without_an_inbox_nothing_is_pending(ctx: StageContext) -> None:
    assert pending_inbox(ctx.settings, ctx.lake) == []
    assert take_inbox(ctx).to_dict() == {
        "taken": 0,
        "known": 0,
        "edited": 0,
        "quarantined": 0,
        "languages": {},
        "files": [],
    }


def test_a_file_is_taken_once_by_its_content(ctx: StageContext, inbox: Path) -> None:
    file = write(inbox / "a.jsonl", [numbered(1), numbered(2, created_at="2026-03-05T08:00:00Z"), line(role="bot")])
    report = take_inbox(ctx)
    assert (report.taken, report.known, report.quarantined) == (2, 0, 1)
    (source,) = sources(ctx)
    assert (source.path, source.size, source.day) == ("a.jsonl", file.stat().st_size, NOW.date())
    assert (source.first_day, source.last_day) == (date(2026, 3, 2), date(2026, 3, 5))
    assert (source.taken, source.known, source.quarantined) == (2, 0, 1)
    file.rename(inbox / "b.jsonl")
    assert take_inbox(ctx).files == []
    assert len(sources(ctx)) == 1


def test_a_file_that_grew_is_taken_again_and_adds_what_is_new(ctx: StageContext, inbox: Path) -> None:
    write(inbox / "a.jsonl", map(numbered, range(3)))
    take_inbox(ctx)
    write(inbox / "a.jsonl", map(numbered, range(5)))
    report = take_inbox(ctx)
    assert (report.taken, report.known) == (2, 3)
    assert len(sources(ctx)) == 2


def test_only_some(ctx: StageContext, inbox: Path) -> None:
    one, two = (write(inbox / name, [numbered(n)]) for n, name in enumerate(("a.jsonl", "b.jsonl")))
    assert [file.path for file in take_inbox(ctx, [two]).files] == [str(two)]
    assert [file.path for file in take_inbox(ctx, [str(one)]).files] == [str(one)]
    with pytest.raises(IngestError, match=r"not in the inbox: .*c\.jsonl"):
        take_inbox(ctx, [inbox / "c.jsonl"])


def test_names_decide_for_json_lines_and_content_for_the_rest(ctx: StageContext, inbox: Path) -> None:
    write(inbox / "chats.jsonl", [{"messages": [{"role": "user", "content": "x"}]}])
    (inbox / "locomo.json").write_text(json.dumps(LOCOMO))
    (inbox / "deep").mkdir()
    (inbox / "deep" / "claude.json").write_text(json.dumps(CLAUDE))
    report = take_inbox(ctx)
    assert {Path(f.path).name: (f.taken, f.quarantined) for f in report.files} == {
        "chats.jsonl": (0, 1),
        "claude.json": (3, 0),
        "locomo.json": (4, 0),
    }
    assert {m.source for m in stored(ctx)} == {"deep/claude.json", "locomo.json"}


def test_a_file_that_cannot_be_read_is_put_aside_whole_and_stops_no_other(ctx: StageContext, inbox: Path) -> None:
    (inbox / "a.txt").write_text("Remember the milk.")
    (inbox / "b.json").write_text(json.dumps(CHATGPT))
    (inbox / "c.json").write_text(json.dumps(LOCOMO)[:-5])
    write(inbox / "d.jsonl", [line()])
    report = take_inbox(ctx)
    assert (report.taken, report.quarantined) == (1, 3)
    reasons = {q.source: (q.line, q.reason) for q in put_aside(ctx)}
    assert reasons["a.txt"][1].startswith("a.txt: of no known format")
    assert reasons["b.json"] == (0, "b.json: the format chatgpt names no user; take it with `ingest --user`")
    assert reasons["c.json"][1].startswith("c.json: not a readable JSON document")
    assert len(sources(ctx)) == 4
    assert take_inbox(ctx).files == []


def test_a_disk_that_does_not_answer_is_asked_again(ctx: StageContext, inbox: Path) -> None:
    (inbox / "a.jsonl").symlink_to("/proc/self/mem")
    write(inbox / "b.jsonl", [line()])
    report = take_inbox(ctx)
    assert (report.taken, report.quarantined) == (1, 1)
    assert "cannot read" in put_aside(ctx)[0].reason
    assert [s.path for s in sources(ctx)] == ["b.jsonl"]
    assert [f.path for f in take_inbox(ctx).files] == [str(inbox / "a.jsonl")]
    assert pending_inbox(ctx.settings, ctx.lake) == []


def test_hidden_and_unfinished_files_wait(ctx: StageContext, inbox: Path) -> None:
    for name in (".a.jsonl", "b.jsonl.part", "c.tmp", ".d/e.jsonl", "f.jsonl"):
        settled(write(inbox / name, [line()]))
    assert [file.name for file in list_inbox(ctx.settings)] == ["f.jsonl"]


def test_pending_is_what_was_not_taken(ctx: StageContext, inbox: Path) -> None:
    first = settled(write(inbox / "a.jsonl", [numbered(1)]))
    (file,) = pending_inbox(ctx.settings, ctx.lake)
    assert (file.path, file.name, file.size) == (str(first), "a.jsonl", first.stat().st_size)
    assert file.mtime == pytest.approx(first.stat().st_mtime)
    take_inbox(ctx, [file.path])
    assert pending_inbox(ctx.settings, ctx.lake) == []
    settled(write(inbox / "b.jsonl", [numbered(2)]))
    assert [f.name for f in pending_inbox(ctx.settings, ctx.lake)] == ["b.jsonl"]


def test_a_file_that_is_still_written_waits(ctx: StageContext, inbox: Path) -> None:
    file = write(inbox / "a.jsonl", [numbered(1)])
    seen: dict[str, str] = {}
    done = threading.Event()

    def keep_writing() -> None:
        while not done.wait(0.05):
            os.utime(file)

    writer = threading.Thread(target=keep_writing)
    writer.start()
    try:
        assert pending_inbox(ctx.settings, ctx.lake, seen) == []
    finally:
        done.set()
        writer.join()
    assert seen == {}
    settled(file, 2)
    assert len(pending_inbox(ctx.settings, ctx.lake, seen)) == 1
    settled(file, -3600)
    assert len(pending_inbox(ctx.settings, ctx.lake)) == 1


def test_a_file_that_was_just_written_is_given_its_second(ctx: StageContext, inbox: Path) -> None:
    write(inbox / "a.jsonl", [numbered(1)])
    assert [f.name for f in pending_inbox(ctx.settings, ctx.lake, {})] == ["a.jsonl"]


def test_the_cursor_spares_reading_what_was_seen(ctx: StageContext, inbox: Path) -> None:
    file = settled(write(inbox / "a.jsonl", [numbered(1)]))
    gone = settled(write(inbox / "gone.jsonl", [numbered(2)]))
    seen: dict[str, str] = {}
    assert len(pending_inbox(ctx.settings, ctx.lake, seen)) == 2
    assert set(seen) == {str(file), str(gone)}
    gone.unlink()
    stamp = file.stat().st_mtime
    file.write_bytes(b"x" * file.stat().st_size)  # the stamp hides the change: it is not read
    os.utime(file, (stamp, stamp))
    assert pending_inbox(ctx.settings, ctx.lake, seen) == []
    assert set(seen) == {str(file)}
    settled(file, 30)
    assert [f.name for f in pending_inbox(ctx.settings, ctx.lake, json.loads(json.dumps(seen)))] == ["a.jsonl"]
    assert len(pending_inbox(ctx.settings, ctx.lake)) == 1


def test_what_is_taken_goes_into_the_cursor_too(ctx: StageContext, inbox: Path) -> None:
    file = settled(write(inbox / "a.jsonl", [numbered(1)]))
    take_inbox(ctx)
    seen: dict[str, str] = {}
    assert pending_inbox(ctx.settings, ctx.lake, seen) == []
    assert set(seen) == {str(file)}


def test_ingest_of_a_path_does_not_count_as_taking_the_inbox(ctx: StageContext, inbox: Path) -> None:
    file = write(inbox / "a.jsonl", [line(user_id=None)])
    ingest(ctx, [file], user="alice")
    assert sources(ctx) == []
    assert take_inbox(ctx).quarantined == 1


def test_days_of_a_landing_file_with_slack(tmp_path: Path) -> None:
    lines = [line(created_at=at) for at in ("2026-03-05T10:00:00", "20260302T235900Z", "2026-W11-3", "nonsense")]
    file = write(tmp_path / "a.jsonl", lines)
    assert days_of(file) == (date(2026, 3, 1), date(2026, 3, 12))
    packed = tmp_path / "b.jsonl.gz"
    packed.write_bytes(gzip.compress(file.read_bytes()))
    assert days_of(str(packed)) == (date(2026, 3, 1), date(2026, 3, 12))


def test_days_are_found_across_the_borders_of_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from memory_pipeline.stages.messages.landing import inbox

    monkeypatch.setattr(inbox, "_BLOCK", 97)
    lines = [line(created_at=f"2026-03-{n:02}T10:00:00Z", content="x" * n) for n in range(1, 29)]
    for n in range(0, 28, 5):
        file = write(tmp_path / "a.jsonl", lines[n:])
        assert days_of(file) == (date(2026, 3, n + 1) - timedelta(days=1), date(2026, 3, 29))


@pytest.mark.parametrize(
    ("name", "first", "last"),
    [
        ("openai", date(2026, 3, 1), date(2026, 3, 3)),
        ("chatgpt", date(2026, 3, 1), date(2026, 3, 3)),
        ("claude", date(2026, 3, 1), date(2026, 3, 3)),
        ("locomo", date(2023, 5, 7), date(2024, 1, 2)),
        ("longmemeval", date(2023, 5, 19), date(2023, 5, 25)),
    ],
)
def test_days_of_other_formats(tmp_path: Path, name: str, first: date, last: date) -> None:
    file = tmp_path / "export.json"
    file.write_text(json.dumps(DOCUMENTS[name]))
    assert days_of(file) == (first, last)


@pytest.mark.parametrize("content", [b"", b"Remember the milk.", b'{"created_at": 5}', b"\x1f\x8b broken"])
def test_no_days(tmp_path: Path, content: bytes) -> None:
    for name in ("a.jsonl", "a.txt"):
        (tmp_path / name).write_bytes(content)
        assert days_of(tmp_path / name) is None
    assert days_of(tmp_path / "missing.jsonl") is None


def test_a_uri_is_read_from_a_copy(tmp_path: Path) -> None:
    file = write(tmp_path / "a.jsonl", [line()])
    assert days_of(file.as_uri()) == (date(2026, 3, 1), date(2026, 3, 3))
    with fetched(file.as_uri()) as copy:
        assert copy.name == "a.jsonl"
        assert copy != file
        assert copy.read_bytes() == file.read_bytes()
    assert not copy.exists()
    with pytest.raises(IngestError, match="cannot read file://"), fetched(f"{file.as_uri()}.missing"):
        pass
